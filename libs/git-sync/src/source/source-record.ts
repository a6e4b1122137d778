import { AdapterError, mapInSteps, messageOf, runInTimeSlices } from '#kernel';
import type { PolicyChangePayload, SyncRunPayload } from '#ledger';
import { flushRun, recordRun, unrecordedState } from '../activate/record-run.ts';
import {
  type Approvals,
  approvalsRecord,
  type Hold,
  holdsOf,
  type Pin,
  restoreApprovals,
} from '../holds/approvals.ts';
import {
  type ActiveDocument,
  type PreparedDocuments,
  prepareDocuments,
  restoreDocument,
} from '../in-force/active-policy-set.ts';
import { SerialQueue } from '../in-force/serial-queue.ts';
import type { RevisionChange, SourceState } from '../ports/revision-store.port.ts';
import type { SyncOutcome } from '../ports/sync-outcome.ts';
import type { SyncPorts } from '../setup/sync-ports.ts';
import { failureText } from './failure-text.ts';

/** What becomes durable together, and what follows from it. */
export interface SourceTransaction {
  readonly change: RevisionChange;
  /** Absent: nothing worth an entry happened. */
  readonly run?: SyncRunPayload;
  readonly changes: readonly PolicyChangePayload[];
  /** Everything in force afterwards; absent: the same as before. */
  readonly documents?: readonly ActiveDocument[];
}

/** Stores where a source stands, together with what else is to be durable with it. @throws AdapterError: nothing is. */
export type SaveSource = (state: SourceState) => Promise<void>;

/**
 * A usual look ends within seconds, and a fetch that hangs only after minutes; whoever acts is told long before an answer of
 * the API may take no longer.
 */
const turnMilliseconds = 30_000;

type RecordPorts = Pick<SyncPorts, 'store' | 'journal' | 'active' | 'clock' | 'events' | 'ending'>;

/** The stored state of one source. Only one piece of work changes it at a time. */
export class SourceRecord {
  readonly #ports: RecordPorts;
  readonly #holds: () => readonly Hold[];
  readonly #queue = new SerialQueue();
  #state: SourceState;
  /** What was read, by place, while nothing else was put into force; undefined: nothing was read, or it is out of date. */
  #restored: ReadonlyMap<bigint, ActiveDocument> | undefined;
  #lastFailure = '';

  /** `holds` are those that outcomes name; by default those of the approvals. */
  constructor(state: SourceState, ports: RecordPorts, holds?: () => readonly Hold[]) {
    this.#state = state;
    this.#ports = ports;
    this.#holds = holds ?? ((): readonly Hold[] => holdsOf(this.approvals));
  }

  get state(): SourceState {
    return this.#state;
  }

  get approvals(): Approvals {
    return restoreApprovals(this.#state.brakes);
  }

  /**
   * Puts what is stored into force, from the store alone: what was in force before, or what another process has put into
   * force since. Only what is not known yet is read.
   */
  restore(): Promise<void> {
    return this.exclusively(() => this.#restore());
  }

  async #restore(): Promise<void> {
    const { store, active, clock } = this.#ports;
    const { source } = this.#state;
    const state = (await store.listSources()).find((stored) => stored.source === source);
    if (state === undefined) return;
    const known = this.#restored ?? new Map<bigint, ActiveDocument>();
    const stored = await store.loadInForce(source, known);
    const steps = mapInSteps([...stored], ([place, document]): readonly [bigint, ActiveDocument][] => {
      const restored = document === null ? known.get(place) : restoreDocument(document);
      return restored === undefined ? [] : [[place, restored]];
    });
    const restored = new Map((await runInTimeSlices(steps, clock, 'sync: restoring')).flat());
    const isKnown =
      this.#restored?.size === restored.size && [...restored.keys()].every((place) => known.has(place));
    const prepared = isKnown ? undefined : await this.#prepare([...restored.values()]);
    this.#state = state;
    if (prepared !== undefined) active.replace(prepared);
    this.#restored = restored;
  }

  /** Runs work once the work before it has ended. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(work);
  }

  /**
   * The same for work that people wait for.
   *
   * @throws AdapterError `TurnTimeout` where the work before it takes too long: then it is never begun.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#ports;
    const seconds = turnMilliseconds / 1_000;
    const message = `${this.#state.source} was busy for ${seconds} seconds, with a look at its repository or another action; nothing was done`;
    return this.#queue.run(work, { clock, milliseconds: turnMilliseconds, message });
  }

  /** The same for work whose failures are outcomes. */
  run(work: () => Promise<SyncOutcome>): Promise<SyncOutcome> {
    return this.exclusively(() => this.attempt(work));
  }

  /** Does work, inside {@link exclusively}: nothing comes into force before the run before it is in the ledger. */
  async attempt(work: () => Promise<SyncOutcome>): Promise<SyncOutcome> {
    try {
      this.#ports.ending?.throwIfAborted();
      this.#state = await flushRun(this.#state, this.#ports);
      return await work();
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Changes the approvals, inside {@link exclusively}: a sync under way would overwrite them. */
  changeApprovals(change: (approvals: Approvals) => Approvals, save?: SaveSource): Promise<void> {
    const brakes = approvalsRecord(change(this.approvals));
    // The approvals are part of the judgement, so the same commit is judged again.
    return this.#save({ ...this.#state, brakes, judged: null }, save);
  }

  /** Keeps a rollback until it is carried out, inside {@link exclusively}; null: there is nothing to carry out. */
  requestRollback(requestedRollback: Pin | null, save?: SaveSource): Promise<void> {
    const brakes = approvalsRecord({ ...this.approvals, requestedRollback });
    return this.#save({ ...this.#state, brakes }, save);
  }

  async #save(state: SourceState, save: SaveSource = this.#saveAlone): Promise<void> {
    await save(state);
    this.#state = state;
  }

  readonly #saveAlone: SaveSource = (state) => {
    const time = this.#ports.clock.now();
    return this.#ports.store.save({ state, revision: null, put: [], end: [], time });
  };

  /** Stores what changes, puts it into force and records it, inside {@link exclusively}. */
  async commit({ change, run, changes, documents }: SourceTransaction): Promise<void> {
    const state = run === undefined ? change.state : unrecordedState(change.state, run, change.time);
    const prepared = documents === undefined ? undefined : await this.#prepare(documents);
    // What is stored from here on is in force, whatever becomes of the process: its entries may follow later.
    this.#ports.ending?.throwIfAborted();
    await this.#ports.store.save({ ...change, state });
    this.#state = state;
    if (prepared !== undefined) {
      this.#restored = undefined;
      this.#ports.active.replace(prepared);
    }
    this.#state = await recordRun(state, changes, this.#ports);
  }

  #prepare(documents: readonly ActiveDocument[]): Promise<PreparedDocuments> {
    const steps = prepareDocuments(this.#state.source, documents);
    return runInTimeSlices(steps, this.#ports.clock, 'sync: putting in force');
  }

  /** An outcome of this source as it stands. */
  outcome(result: SyncOutcome['result'], message: string): SyncOutcome {
    const { source, commit } = this.#state;
    return { source, result, commit, message, diagnostics: [], holds: this.#holds() };
  }

  /** The next failure is recorded again, even if it is the same as the last one. */
  forgetFailure(): void {
    this.#lastFailure = '';
  }

  /** A Git server that is down for a day is one entry: the same failure again is not recorded again. */
  async #fail(error: unknown): Promise<SyncOutcome> {
    const isUnstored = error instanceof AdapterError && error.system === 'Database';
    const failed = this.outcome('failed', failureText(error));
    const outcome: SyncOutcome = isUnstored
      ? { ...failed, unstored: messageOf(error.cause ?? error) }
      : failed;
    if (this.#lastFailure === outcome.message) return outcome;
    this.#lastFailure = outcome.message;
    this.#ports.events?.ended(outcome);
    // Entries stay in order: while a run is missing in the ledger, no later one is appended.
    if (this.#state.unrecorded === undefined) await this.#recordFailure(outcome);
    return outcome;
  }

  /** Where the ledger fails as well, or the process ends, only the outcome reports it. */
  async #recordFailure({ source, message, commit }: SyncOutcome): Promise<void> {
    const run = { source, outcome: 'failed', message, commit, diagnostics: [] };
    const time = this.#ports.clock.now();
    await this.#ports.journal.append({ run, changes: [], time }, this.#ports.ending).catch(() => undefined);
  }
}
