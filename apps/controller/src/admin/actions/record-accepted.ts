import { AdapterError, type JsonObject } from '#kernel';
import { adminStream, type AppendRequest, type EntryDraft, type LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';

/** What was accepted, as the ledger has it. */
export interface AcceptedAction {
  readonly actor: string;
  readonly action: string;
  /** Null: the action needs none. */
  readonly reason: string | null;
  readonly arguments: JsonObject;
  /** What it does; absent: nothing to any policy. */
  readonly effect?: JsonObject;
}

/**
 * Records an action that is about to be carried out, so that nothing happens that the ledger does not know of. What it does
 * to tokens and sources is stored in the same transaction: neither is without the other.
 *
 * @throws AdapterError where it could not be recorded: then it is not to be carried out.
 */
export async function recordAccepted(
  ports: { readonly writer: Pick<LedgerWriter, 'append'>; readonly clock: Pick<ClockPort, 'now'> },
  action: AcceptedAction,
  stored: Pick<AppendRequest, 'tokens' | 'sources'> = {},
): Promise<void> {
  const drafts = [acceptedDraft(action, ports.clock.now())];
  const appended = await ports.writer.append({ drafts, ...stored });
  if (appended.ok) return;
  const { code } = appended.error;
  throw new AdapterError({ code, message: `the action could not be recorded: ${code}`, retryable: true });
}

/** The entry of an action that is stored together with what it does. */
export function acceptedDraft(action: AcceptedAction, time: string): EntryDraft {
  return { stream: adminStream, kind: 'OperatorAction', time, payload: { ...action, outcome: 'Accepted' } };
}
