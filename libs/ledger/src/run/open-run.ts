import type { DecisionRunPayload } from '../payloads.ts';

/**
 * Unchanged verdicts that are not in the ledger yet. It is JSON, so that `policy_state` can hold it: after a SIGKILL
 * the run goes on where the last sweep left it.
 */
export interface OpenRun extends DecisionRunPayload {
  /** 0: the `Decision` was recorded, and nothing has repeated it yet. `first` and `last` are then its time. */
  readonly count: number;
  /** SHA-256 of what must stay equal. */
  readonly verdict: string;
}
