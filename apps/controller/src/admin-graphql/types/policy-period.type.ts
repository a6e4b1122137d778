import { Field, ObjectType } from '@nestjs/graphql';
import type { PolicyPeriod as Period } from '../../admin/policy-periods.ts';
import { toSyncRun } from '../entry-forms.ts';
import { SyncRun } from './events.type.ts';
import { Intervention, toIntervention } from './intervention.type.ts';

/** How an intervention ended. */
@ObjectType({ description: 'When and by whom an intervention ended.' })
export class InterventionEnding {
  @Field(() => String, { description: 'From then on it acted no more, RFC 3339.' })
  declare time: string;

  @Field(() => String, {
    description: 'The person or token that ended it; `plimsoll`: it expired.',
  })
  declare actor: string;

  @Field(() => String, { nullable: true, description: 'What the operator wrote; null: nothing.' })
  declare reason: string | null;
}

/** An intervention that acted on a policy. */
@ObjectType({ description: 'An intervention that acted on the policy, and how it ended.' })
export class PastIntervention {
  @Field(() => Intervention, { description: 'What it did, to what, from when until when at most.' })
  declare intervention: Intervention;

  @Field(() => InterventionEnding, {
    nullable: true,
    description: 'null: it had not ended by the end of the time that was asked for.',
  })
  declare end: InterventionEnding | null;
}

/** What happened around a policy in a time. */
@ObjectType({
  description:
    'What happened in a time to a policy’s namespace, its source, the sources of its metrics and the cluster, as far as it acted on the policy.',
})
export class PolicyPeriod {
  @Field(() => [PastIntervention], {
    description:
      'Those that acted on the policy at any moment of it, whatever their scope, those that began last first; at most 100.',
  })
  declare interventions: readonly PastIntervention[];

  @Field(() => [SyncRun], {
    description: 'Of its source, newest first; at most 100. None for who may not see all of the source.',
  })
  declare syncs: readonly SyncRun[];

  @Field(() => Boolean, { description: 'false: there was more; the oldest are left out.' })
  declare isComplete: boolean;
}

/** Shapes a period for the API. */
export function toPolicyPeriod({ interventions, syncs, isComplete }: Period): PolicyPeriod {
  return {
    interventions: interventions.map(({ standing, end }) => ({
      intervention: toIntervention(standing),
      end,
    })),
    syncs: syncs.map(toSyncRun),
    isComplete,
  };
}
