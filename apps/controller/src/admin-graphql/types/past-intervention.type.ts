import { Field, ObjectType } from '@nestjs/graphql';
import type { PastIntervention as Past } from '../../admin/history/past-interventions.ts';
import { Intervention, toIntervention } from './intervention.type.ts';
import { InterventionEnding } from './intervention-ending.type.ts';

/** An intervention that acted on a policy. */
@ObjectType({ description: 'An intervention that acted on the policy, and how it ended.' })
export class PastIntervention {
  @Field(() => Intervention, { description: 'What it did, to what, from when until when at most.' })
  declare intervention: Intervention;

  @Field(() => Boolean, {
    description:
      'It went against guardrails or limits of the tenant; `against` of the intervention says what they said, where that was kept.',
  })
  declare isForced: boolean;

  @Field(() => InterventionEnding, {
    nullable: true,
    description:
      'null: it had not ended by the end of the time that was asked for; of a decision: it stands.',
  })
  declare end: InterventionEnding | null;
}

/** Shapes one for the API. */
export function toPastIntervention({ standing, isForced, end }: Past): PastIntervention {
  return { intervention: toIntervention(standing), isForced, end };
}
