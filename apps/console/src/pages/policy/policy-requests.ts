import { act, type ActResult } from '../../api/act.ts';
import type { InterventionKind, ScalingDirection } from '../../api/schema.generated.ts';
import type { ActionPreview, ActionRequest, ActionResult } from '../../components/action-dialog.tsx';
import type { ActionEffectPartsFragment } from '../../components/action-effect.generated.ts';
import {
  DryRunOnePolicyDocument,
  EndDryRunDocument,
  EndOverrideDocument,
  EndSuspensionDocument,
  OverrideOnePolicyDocument,
  ReleaseOnePolicyDocument,
  SuspendOnePolicyDocument,
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

/** What the server says that the action would do. */
export async function previewOf(
  policy: PolicyToActOn,
  action: PolicyAction,
  expires: string | undefined,
): Promise<ActionPreview> {
  const result = await send(policy, action, {
    dryRun: true,
    expires: expires ?? '',
    confirm: null,
    reason: null,
  });
  if (result.kind !== 'Answered') return { kind: 'Refusal', message: result.problem.message };
  const { outcome } = result.data;
  if (outcome.effect !== undefined) return { kind: 'Effect', effect: outcome.effect };
  return { kind: 'Refusal', message: outcome.message ?? outcome.__typename };
}

/** Carries the action out. */
export async function carryOut(
  policy: PolicyToActOn,
  action: PolicyAction,
  { reason, expires, confirm }: ActionRequest,
): Promise<ActionResult> {
  const form = { dryRun: false, expires: expires ?? '', confirm: confirm ?? null, reason };
  const result = await send(policy, action, form);
  if (result.kind === 'Unknown') return { kind: 'Unknown' };
  if (result.kind === 'NotSent') return { kind: 'Refusal', message: result.problem.message };
  const { outcome } = result.data;
  return outcome.message === undefined ? { kind: 'Done' } : { kind: 'Refusal', message: outcome.message };
}

interface Form {
  readonly dryRun: boolean;
  readonly expires: string;
  readonly confirm: string | null;
  readonly reason: string | null;
}

/** A preview has an effect, a refusal a message; what was carried out has neither. */
interface Sent {
  readonly outcome: {
    readonly __typename: string;
    readonly effect?: ActionEffectPartsFragment;
    readonly message?: string;
  };
}

async function send(policy: PolicyToActOn, action: PolicyAction, form: Form): Promise<ActResult<Sent>> {
  const { namespace, name, source } = policy;
  const { dryRun, confirm, reason } = form;
  switch (action.kind) {
    case 'suspend':
      return act(SuspendOnePolicyDocument, { namespace, name, direction: action.direction, ...form });
    case 'override':
      return act(OverrideOnePolicyDocument, { namespace, name, ...action.counts, ...form });
    case 'dryRun':
      return act(DryRunOnePolicyDocument, { namespace, name, ...form });
    case 'release':
      return act(ReleaseOnePolicyDocument, { namespace, name, source, dryRun, confirm, reason });
    case 'end':
      return act(endings[action.intervention.kind], { id: action.intervention.id, dryRun, confirm, reason });
  }
}

const endings = {
  Suspend: EndSuspensionDocument,
  Override: EndOverrideDocument,
  DryRun: EndDryRunDocument,
} as const;
