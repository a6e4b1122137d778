import { act } from '../../api/act.ts';
import type { InterventionKind, ScalingDirection } from '../../api/schema.generated.ts';
import type { Action, ActionForm } from '../../components/action-requests.ts';
import {
  DryRunPolicyDocument,
  EndDryRunDocument,
  EndOverrideDocument,
  EndSuspensionDocument,
  OverridePolicyDocument,
  ReleasePolicyDocument,
  SuspendPolicyDocument,
} from './policy.generated.ts';

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
  | { readonly kind: 'suspend'; readonly direction: ScalingDirection }
  | { readonly kind: 'override'; readonly counts: OverriddenCounts }
  | { readonly kind: 'dryRun' | 'release' }
  | { readonly kind: 'end'; readonly intervention: { readonly id: string; readonly kind: InterventionKind } };

/** The action on each of the policies. */
export function policyActions(policies: readonly PolicyToActOn[], action: PolicyAction): readonly Action[] {
  return policies.map((policy) => ({
    name: `${policy.namespace}/${policy.name}`,
    send: async (form) => send(policy, action, form),
  }));
}

async function send(
  policy: PolicyToActOn,
  action: PolicyAction,
  form: ActionForm,
): ReturnType<Action['send']> {
  const { namespace, name, source } = policy;
  const { dryRun, reason, confirm } = form;
  const withoutEnd = { dryRun, reason, confirm };
  switch (action.kind) {
    case 'suspend':
      return act(SuspendPolicyDocument, { namespace, name, direction: action.direction, ...form });
    case 'override':
      return act(OverridePolicyDocument, { namespace, name, ...action.counts, ...form });
    case 'dryRun':
      return act(DryRunPolicyDocument, { namespace, name, ...form });
    case 'release':
      return act(ReleasePolicyDocument, { namespace, name, source, ...withoutEnd });
    case 'end':
      return act(endings[action.intervention.kind], { id: action.intervention.id, ...withoutEnd });
  }
}

const endings = {
  Suspend: EndSuspensionDocument,
  Override: EndOverrideDocument,
  DryRun: EndDryRunDocument,
} as const;
