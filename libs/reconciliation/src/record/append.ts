import { AdapterError } from '#kernel';
import type { AppendFailure, AppendRequest, ChainedEntry } from '#ledger';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import type { Pass } from '../pass/pass.ts';

/** `Refused`: certainly not stored. `Unanswered`: it may have been. */
export type Appended =
  | { readonly kind: 'Stored'; readonly entries: readonly ChainedEntry[] }
  | { readonly kind: 'Refused'; readonly code: AppendFailure['code']; readonly outcome: PassOutcome }
  | { readonly kind: 'Unanswered'; readonly outcome: PassOutcome };

/** Makes entries and states durable, or says what that means for the pass: without a record nothing is written. */
export async function append(
  { ports, deadline }: Pick<Pass, 'ports' | 'deadline'>,
  request: AppendRequest,
): Promise<Appended> {
  try {
    const appended = await deadline.race(ports.writer.append(request));
    if (appended.ok) return { kind: 'Stored', entries: appended.value };
    const { error } = appended;
    return { kind: 'Refused', code: error.code, outcome: unavailable(describeRefusal(error)) };
  } catch (error) {
    if (error instanceof AdapterError) return { kind: 'Unanswered', outcome: unavailable(error.message) };
    throw error;
  }
}

function unavailable(message: string): PassOutcome {
  return {
    kind: 'Failed',
    reason: 'LedgerUnavailable',
    message: `nothing written, since it could not be recorded: ${message}`,
  };
}

function describeRefusal(failure: AppendFailure): string {
  switch (failure.code) {
    case 'Fenced':
      return 'another process has taken the ledger over';
    case 'HeadMoved':
      return 'another process keeps appending to the same stream';
    case 'IntentPending':
      return 'an earlier write has no outcome yet; the next pass finds out';
    case 'IntentNotPending':
      return 'the write already has an outcome';
    case 'InvalidEntry':
    case 'QueueFull':
    case 'TooLarge':
      return failure.message;
  }
}
