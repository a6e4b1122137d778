import type { Condition } from '#decision';
import type { FailedReason, PassOutcome, StalledReason } from './pass-outcome.ts';

/** A pass's outcome, as it is shown. */
export interface ShownOutcome {
  readonly kind: PassOutcome['kind'];
  readonly reason: string;
  readonly message: string;
}

/** How the pass ended that set a policy's condition `Ready`, told from the condition alone: that is what is stored. Pure. */
export function outcomeOfReady({ status, reason, message }: Omit<Condition, 'type'>): ShownOutcome {
  return { kind: kindOf(status, reason), reason, message };
}

function kindOf(status: Condition['status'], reason: string): PassOutcome['kind'] {
  if (status === 'True') return 'Done';
  if (status === 'Unknown') return 'Waiting';
  return Object.hasOwn(kinds, reason) ? kinds[reason as keyof typeof kinds] : 'Failed';
}

/** Of the outcomes with the status `False`. */
const kinds: Readonly<Record<StalledReason | FailedReason | 'Bug', PassOutcome['kind']>> = {
  InvalidSelector: 'Stalled',
  AmbiguousSelector: 'Stalled',
  Conflict: 'Stalled',
  Contested: 'Stalled',
  FieldNotSupported: 'Stalled',
  NamespaceNotManaged: 'Stalled',
  WriteRefused: 'Stalled',
  FailedGetScale: 'Failed',
  FailedUpdateScale: 'Failed',
  FailedUpdateHpa: 'Failed',
  LedgerUnavailable: 'Failed',
  PassTimedOut: 'Failed',
  AdapterFailed: 'Failed',
  Bug: 'Bug',
};
