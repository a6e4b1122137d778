import { act } from '../../api/act.ts';
import type { ActionPreview, ActionRequest, ActionResult } from '../../components/action-dialog.tsx';
import {
  ApproveHoldDocument,
  RejectHoldDocument,
  ResumeSourceDocument,
  RollBackSourceDocument,
  type SyncOutcomePartsFragment,
  SyncSourceDocument,
} from './source.generated.ts';

/** Something that can be done to a source. */
export type SourceAction =
  | { readonly kind: 'sync' | 'resume'; readonly source: string }
  | { readonly kind: 'approve' | 'reject'; readonly source: string; readonly digest: string }
  | { readonly kind: 'rollBack'; readonly source: string; readonly commit: string };

/** What the server says that the action would do. */
export async function previewOf(action: SourceAction): Promise<ActionPreview> {
  const result = await send(action, { isDryRun: true });
  if (result.kind !== 'Answered') return { kind: 'Refusal', message: result.problem.message };
  const { outcome } = result.data;
  if (outcome.__typename === 'ActionPreview') return { kind: 'Effect', effect: outcome.effect };
  return { kind: 'Refusal', message: messageOf(outcome) };
}

/** Carries the action out. A sync that fails or is rejected was carried out all the same: the page shows what came of it. */
export async function carryOut(
  action: SourceAction,
  { reason, confirm }: ActionRequest,
): Promise<ActionResult> {
  const result = await send(action, { isDryRun: false, reason, confirm });
  if (result.kind === 'Unknown') return { kind: 'Unknown' };
  if (result.kind === 'NotSent') return { kind: 'Refusal', message: result.problem.message };
  const { outcome } = result.data;
  return outcome.__typename === 'ActionRefusal'
    ? { kind: 'Refusal', message: outcome.message }
    : { kind: 'Done' };
}

interface Form {
  readonly isDryRun: boolean;
  readonly reason?: string;
  readonly confirm?: string | undefined;
}

async function send(action: SourceAction, { isDryRun, reason, confirm }: Form) {
  const { source } = action;
  const form = { source, dryRun: isDryRun, confirm: confirm ?? null };
  const withReason = { ...form, reason: reason ?? null };
  switch (action.kind) {
    case 'sync':
      return act(SyncSourceDocument, form);
    case 'resume':
      return act(ResumeSourceDocument, withReason);
    case 'approve':
      return act(ApproveHoldDocument, { ...withReason, digest: action.digest });
    case 'reject':
      return act(RejectHoldDocument, { ...withReason, digest: action.digest });
    case 'rollBack':
      return act(RollBackSourceDocument, { ...withReason, commit: action.commit });
  }
}

function messageOf(outcome: SyncOutcomePartsFragment | { readonly __typename: 'HoldRejection' }): string {
  return 'message' in outcome ? outcome.message : outcome.__typename;
}
