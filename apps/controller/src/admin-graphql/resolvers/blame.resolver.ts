import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { BlameQueries } from '../../admin/history/blame.ts';
import { Blame } from '../types/history.type.ts';
import { PastIntervention, toPastIntervention } from '../types/past-intervention.type.ts';

/** What operators had put in place as something was decided. */
@Resolver(() => Blame)
export class BlameResolver {
  readonly #blame: BlameQueries;

  constructor(blame: BlameQueries) {
    this.#blame = blame;
  }

  @ResolveField(() => [PastIntervention], {
    nullable: true,
    description:
      'The interventions that stood as it was decided, whatever their scope and whether or not they had a part in it, those that began last first, each with how it has ended since. Null: more was done to the scopes of the policy than is looked through.',
  })
  async interventions(@Parent() { record }: Blame): Promise<readonly PastIntervention[] | null> {
    const found = await this.#blame.interventionsAt(record);
    return found?.map(toPastIntervention) ?? null;
  }
}
