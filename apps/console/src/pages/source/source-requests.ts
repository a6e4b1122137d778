import { act } from '../../api/act.ts';
import type { Action, ActionForm } from '../../components/actions/action-requests.ts';
import {
  ApproveHoldDocument,
  RejectHoldDocument,
  ResumePolicyDocument,
  ResumeSourceDocument,
  RollBackSourceDocument,
  SyncSourceDocument,
} from './source.generated.ts';

/** Something that can be done to a source. */
export type SourceAction =
  | { readonly kind: 'sync' | 'resume'; readonly source: string }
  | { readonly kind: 'approve' | 'reject'; readonly source: string; readonly digest: string }
  | { readonly kind: 'rollBack'; readonly source: string; readonly commit: string }
  | {
      readonly kind: 'resumePolicy';
      readonly source: string;
      readonly namespace: string;
      readonly name: string;
    };

/** The action, to be looked at and carried out. */
export function actionOn(action: SourceAction): Action {
  return { name: action.source, send: async (form) => send(action, form) };
}

async function send(
  action: SourceAction,
  { dryRun, confirm, reason }: ActionForm,
): ReturnType<Action['send']> {
  const form = { source: action.source, dryRun, confirm };
  switch (action.kind) {
    case 'sync':
      return act(SyncSourceDocument, form);
    case 'resume':
      return act(ResumeSourceDocument, { ...form, reason });
    case 'approve':
      return act(ApproveHoldDocument, { ...form, reason, digest: action.digest });
    case 'reject':
      return act(RejectHoldDocument, { ...form, reason, digest: action.digest });
    case 'rollBack':
      return act(RollBackSourceDocument, { ...form, reason, commit: action.commit });
    case 'resumePolicy':
      return act(ResumePolicyDocument, { ...form, reason, namespace: action.namespace, name: action.name });
  }
}
