import { Field, ObjectType } from '@nestjs/graphql';
import type { PolicyPeriod as Period } from '../../admin/history/policy-periods.ts';
import { toSyncRun } from './entry-forms.ts';
import { SyncRun } from './events.type.ts';
import { PastIntervention, toPastIntervention } from './past-intervention.type.ts';

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
    interventions: interventions.map(toPastIntervention),
    syncs: syncs.map(toSyncRun),
    isComplete,
  };
}
