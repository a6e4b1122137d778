import { AdapterError } from '#kernel';
import { type AppendFailure, type AppendRequest, type ChainedEntry, outcomeUnknown } from '#ledger';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { ledgerAppend } from '../pass/awaited-calls.ts';
import type { Pass } from '../pass/pass.ts';
import type { JournalRequest } from '../ports/journal.port.ts';

/** Whether a request became durable. `NotStored`: certainly not. */
export type Appended =
  | { readonly kind: 'Stored'; readonly entries: readonly ChainedEntry[] }
  | {
      readonly kind: 'NotStored';
      /** Null: the ledger could not be reached. */
      readonly code: AppendFailure['code'] | null;
      /** The database takes nothing now; the same request may be stored later. */
      readonly isOutage: boolean;
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
  /** What of it is kept in the journal while the database takes nothing; absent: nothing, and it is derived again. */
  readonly inOutage?: InOutage;
}

/** What the journal takes of a request. */
export interface InOutage {
  /** Made when it is needed. */
  readonly request: () => JournalRequest;
  /** Called as soon as it is in the journal: nothing of it is derived again. */
  readonly onJournaled: () => void;
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
  { request, onStored, onRefused, inOutage }: PolicyAppend,
): Promise<Appended> {
  const answer = append(ports, request).then(async (appended) => {
    if (appended.kind === 'Stored') onStored(appended.entries);
    if (appended.kind !== 'NotStored') return appended;
    onRefused?.(appended.code);
    return inOutage !== undefined && appended.isOutage
      ? { ...appended, outcome: await keepInJournal(ports, inOutage, appended.outcome) }
      : appended;
  });
  runtime.trackAppend(answer.then((appended) => (appended.kind === 'Unknown' ? forever : appended)));
  return deadline.race(answer, ledgerAppend);
}

/** @returns the outcome, which says whether the journal took the request */
async function keepInJournal(
  { journal }: Pick<Pass['ports'], 'journal'>,
  { request, onJournaled }: InOutage,
  outcome: PassOutcome,
): Promise<PassOutcome> {
  const kept = await journal.record(request(), outcome.message);
  if (kept.ok) onJournaled();
  const where = kept.ok
    ? 'what was decided is in the journal, and will be recorded'
    : `what was decided is not kept either: ${kept.error.message}`;
  return { ...outcome, message: `${outcome.message}; ${where}` };
}

/** Makes entries and states durable. What waits in the journal comes first. */
export async function append(
  { writer, journal }: Pick<Pass['ports'], 'writer' | 'journal'>,
  request: AppendRequest,
): Promise<Appended> {
  if (journal.isInUse)
    return { kind: 'NotStored', code: null, isOutage: true, outcome: ledgerUnavailable(outageGoesOn) };
  try {
    const appended = await writer.append(request);
    if (appended.ok) return { kind: 'Stored', entries: appended.value };
    const { error } = appended;
    const { code } = error;
    const isOutage = code === 'QueueFull';
    return { kind: 'NotStored', code, isOutage, outcome: ledgerUnavailable(describeRefusal(error)) };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const outcome = ledgerUnavailable(error.message);
    if (error.code === outcomeUnknown) return { kind: 'Unknown', outcome };
    return { kind: 'NotStored', code: null, isOutage: !isDefect(error), outcome };
  }
}

/** A request that the database refuses for what is in it is refused again, and would stop the journal for good. */
function isDefect({ code }: AdapterError): boolean {
  return code === 'ConstraintViolated';
}

const outageGoesOn = 'the database takes nothing, or not yet what was decided meanwhile';

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
    case 'AlreadyReplayed':
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
