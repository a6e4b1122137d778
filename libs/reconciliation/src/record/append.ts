import { AdapterError } from '#kernel';
import { type AppendFailure, type AppendRequest, type ChainedEntry, outcomeUnknown } from '#ledger';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import type { Pass } from '../pass/pass.ts';

/** Whether a request became durable. `NotStored`: certainly not. */
export type Appended =
  | { readonly kind: 'Stored'; readonly entries: readonly ChainedEntry[] }
  | {
      readonly kind: 'NotStored';
      /** Null: the ledger could not be reached. */
      readonly code: AppendFailure['code'] | null;
      readonly outcome: PassOutcome;
    }
  /** The process ends, and whether the request was stored will not be known here. */
  | { readonly kind: 'Unknown'; readonly outcome: PassOutcome };

const forever = new Promise<never>(() => undefined);

/** A request, and what follows from its being durable. */
export interface PolicyAppend {
  readonly request: AppendRequest;
  /** Called as soon as the request is known to be stored, even where the pass has ended by then. */
  readonly onStored: (entries: readonly ChainedEntry[]) => void;
  /** Called as soon as it is known not to be stored. */
  readonly onRefused?: (code: AppendFailure['code'] | null) => void;
}

/**
 * Makes a policy's entries and state durable, or says what that means for the pass: without a record nothing is written.
 * A pass that ends before the answer comes leaves the append with its policy, which appends nothing else until then: so
 * nothing is recorded twice.
 *
 * @throws DeadlineExceeded
 */
export function appendForPolicy(
  { ports, runtime, deadline }: Pick<Pass, 'ports' | 'runtime' | 'deadline'>,
  { request, onStored, onRefused }: PolicyAppend,
): Promise<Appended> {
  const answer = append(ports, request).then((appended) => {
    if (appended.kind === 'Stored') onStored(appended.entries);
    if (appended.kind === 'NotStored') onRefused?.(appended.code);
    return appended;
  });
  runtime.trackAppend(answer.then((appended) => (appended.kind === 'Unknown' ? forever : appended)));
  return deadline.race(answer);
}

/** Makes entries and states durable. */
export async function append(
  { writer }: Pick<Pass['ports'], 'writer'>,
  request: AppendRequest,
): Promise<Appended> {
  try {
    const appended = await writer.append(request);
    if (appended.ok) return { kind: 'Stored', entries: appended.value };
    const { error } = appended;
    return { kind: 'NotStored', code: error.code, outcome: ledgerUnavailable(describeRefusal(error)) };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const outcome = ledgerUnavailable(error.message);
    return error.code === outcomeUnknown
      ? { kind: 'Unknown', outcome }
      : { kind: 'NotStored', code: null, outcome };
  }
}

/** What a pass comes to whose decision could not be recorded. */
export function ledgerUnavailable(message: string): PassOutcome {
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
    case 'InterventionEnded':
      return 'the intervention has ended already';
    case 'InvalidEntry':
    case 'QueueFull':
    case 'TooLarge':
      return failure.message;
  }
}
