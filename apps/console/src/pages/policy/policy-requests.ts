import { act } from '../../api/act.ts';
import type { Action, ActionForm } from '../../components/actions/action-requests.ts';
import { beginning, type ScopedIntervention } from '../interventions/intervention-requests.ts';
import { OverrideReplicasDocument } from '../interventions/interventions.generated.ts';
import { ReleasePolicyDocument } from './policy.generated.ts';

/** The policy that something is done to. */
export interface PolicyToActOn {
  readonly namespace: string;
  readonly name: string;
  readonly source: string;
}

/** Counts that an override names; null: what the policy has stays. */
export interface OverriddenCounts {
  readonly minReplicas: number | null;
  readonly maxReplicas: number | null;
  readonly replicas: number | null;
}

/** Something that can be done to a policy. */
export type PolicyAction =
  | ScopedIntervention
  | { readonly kind: 'override'; readonly counts: OverriddenCounts }
  | { readonly kind: 'release' };

/** The action on each of the policies. */
export function policyActions(policies: readonly PolicyToActOn[], action: PolicyAction): readonly Action[] {
  return policies.map((policy) => actionOn(policy, action));
}

function actionOn({ namespace, name, source }: PolicyToActOn, action: PolicyAction): Action {
  if (action.kind === 'suspend' || action.kind === 'dryRun')
    return beginning({ kind: 'Policy', namespace, name }, action);
  return {
    name: `${namespace}/${name}`,
    send: async (form) =>
      action.kind === 'override'
        ? act(OverrideReplicasDocument, { namespace, name, ...action.counts, ...form })
        : act(ReleasePolicyDocument, { namespace, name, source, ...withoutEnd(form) }),
  };
}

function withoutEnd({ dryRun, reason, confirm }: ActionForm): Omit<ActionForm, 'expires'> {
  return { dryRun, reason, confirm };
}
