import { AdapterError, databaseCondition, messageOf, runInTimeSlices } from '#kernel';
import type { PolicyChangePayload, SyncRunPayload } from '#ledger';
import { restoreApprovals } from '../holds/approvals.ts';
import type { SourceState } from '../ports/revision-store.port.ts';
import type { SyncPorts } from '../setup/sync-ports.ts';
import { operatorOfUnrecorded } from './operator-of.ts';
import { policyChanges } from './policy-changes.ts';

/** What recording a run needs. */
export type RecordPorts = Pick<SyncPorts, 'store' | 'journal' | 'active' | 'clock' | 'ending'>;

/** What was done failed only in being recorded, as its message says without an address. */
export class RunNotRecorded extends AdapterError {}

/** The state to save with what a run does: until its entries are durable it says that they may be missing. */
export function unrecordedState(state: SourceState, run: SyncRunPayload, time: string): SourceState {
  return { ...state, unrecorded: { run, time } };
}

/**
 * Records what was just done, and forgets that it may be missing.
 *
 * @throws AdapterError where the ledger or the store failed: the state still says that entries may be missing, and
 *   {@link flushRun} does the rest.
 */
export async function recordRun(
  state: SourceState,
  changes: readonly PolicyChangePayload[],
  ports: RecordPorts,
): Promise<SourceState> {
  const { unrecorded } = state;
  if (unrecorded === undefined) return state;
  await appended(ports.journal.append({ ...unrecorded, changes }, ports.ending));
  return markRecorded(state, ports);
}

/**
 * Records what a crash or a refusal has kept from the ledger, exactly once: before anything else is done to the source, so
 * that its entries stay in order, and what it put is in force still. Nothing where nothing is missing.
 *
 * @throws AdapterError where the ledger or the store failed again.
 */
export async function flushRun(state: SourceState, ports: RecordPorts): Promise<SourceState> {
  const { source, unrecorded } = state;
  if (unrecorded === undefined) return state;
  const { run, time } = unrecorded;
  const put = ports.active
    .documentsOf(source)
    .map(({ stored }) => stored)
    .filter(({ validFrom }) => validFrom === time);
  const ended = await ports.store.loadEnded(source, time);
  const operatorOf = operatorOfUnrecorded(restoreApprovals(state.brakes), time);
  const steps = policyChanges({ source, commit: run.commit, put, ended, operatorOf });
  const changes = await runInTimeSlices(steps, ports.clock, 'sync: recording');
  await appended(ports.journal.complete({ ...unrecorded, changes }, ports.ending));
  return markRecorded(state, ports);
}

async function appended(appending: Promise<void>): Promise<void> {
  try {
    await appending;
  } catch (error) {
    const why = error instanceof AdapterError ? databaseCondition(error.code) : messageOf(error);
    throw new RunNotRecorded({
      code: error instanceof AdapterError ? error.code : 'NotRecorded',
      message: `the run took effect and is not in the ledger yet; the next look records it: ${why}`,
      retryable: true,
      system: 'Database',
      cause: error,
    });
  }
}

async function markRecorded(state: SourceState, { store, clock }: RecordPorts): Promise<SourceState> {
  const { source, configuration, commit, tenants, judged, brakes } = state;
  const recorded: SourceState = { source, configuration, commit, tenants, judged, brakes };
  await store.save({ state: recorded, revision: null, put: [], end: [], time: clock.now() });
  return recorded;
}
