import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { JsonObject } from '#kernel';
import { InterventionEnds } from '../../admin/history/intervention-ends.ts';
import { OperatorAction } from '../types/entries.type.ts';
import { InterventionEnding } from '../types/intervention-ending.type.ts';

/** What became of what an operator did. */
@Resolver(() => OperatorAction)
export class OperatorActionResolver {
  readonly #ends: InterventionEnds;

  constructor(ends: InterventionEnds) {
    this.#ends = ends;
  }

  @ResolveField(() => InterventionEnding, {
    nullable: true,
    description:
      'How the intervention ended that this action began; null: it began none, it stands, or its end is not known.',
  })
  end(@Parent() { time, arguments: given, ...action }: OperatorAction): Promise<InterventionEnding | null> {
    const { actor, action: name, outcome, reason } = action;
    const payload = { actor, action: name, outcome, reason, arguments: given as JsonObject };
    return this.#ends.find({ payload, time });
  }
}
