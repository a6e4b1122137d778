import { AdapterError, messageOf, namespacedName } from '#kernel';
import type { SyncRunPayload } from '#ledger';
import type { CommitReference } from '#reconciliation';
import type { HoldCause } from '#repository';
import { type HeldDocument, restoreDocument } from './activate/active-policy-set.ts';
import { departureOf, endedDocument, leavingDocument } from './activate/departures.ts';
import { policyChanges } from './activate/policy-changes.ts';
import { type RecordPorts, recordRun, settleRun, unrecordedState } from './activate/record-run.ts';
import type { Hold } from './approve/brakes.ts';
import type { SourceState } from './ports/revision-store.port.ts';
import type { OperatorRequest } from './source-sync.ts';
import type { SyncOutcome } from './sync-outcome.ts';
import type { SyncPorts } from './sync-ports.ts';
import { Turns } from './turns.ts';

/** What a retired source stands on. */
type RetiredSourcePorts = RecordPorts & Pick<SyncPorts, 'digest' | 'report'>;

/**
 * A source that the configuration no longer names. Its policies stay in force until somebody approves that they leave:
 * a line lost from a configuration file prunes nothing.
 */
export class RetiredSource {
  #state: SourceState;
  readonly #turns = new Turns();
  #since: string | undefined;
  #rejected = '';
  readonly #ports: RetiredSourcePorts;

  constructor(state: SourceState, ports: RetiredSourcePorts) {
    this.#state = state;
    this.#ports = ports;
  }

  get source(): string {
    return this.#state.source;
  }

  /** The commit that its policies came from. */
  get commit(): CommitReference | null {
    return this.#state.commit;
  }

  /** Puts in force again what was in force, and records what is not; a ledger that fails stops no start. */
  async restore(): Promise<void> {
    const documents = await this.#ports.store.loadInForce(this.source);
    this.#ports.active.replace(this.source, documents.map(restoreDocument));
    try {
      this.#state = await settleRun(this.#state, this.#ports);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** What waits for a person; nothing once it has no policy. */
  holds(): readonly Hold[] {
    const names = this.#policies().map(({ stored }) => namespacedName(stored));
    if (names.length === 0) return [];
    const cause: HoldCause = {
      code: 'SourceChanged',
      message: `the source is no longer configured, and ${names.length} policies would leave`,
      items: names.toSorted(),
    };
    const digest = this.#ports.digest(JSON.stringify([this.source, 'retired', cause.items]));
    const commit = this.#state.commit?.hash ?? '';
    this.#since ??= this.#ports.clock.now();
    const isRejected = this.#rejected === digest;
    return [{ scope: { kind: 'Source' }, causes: [cause], digest, commit, since: this.#since, isRejected }];
  }

  /** Says no: its policies stay. */
  reject(digest: string): void {
    this.#rejected = digest;
  }

  /** Lets its policies leave, where the digest is that of its hold. */
  approve(digest: string, request: OperatorRequest): Promise<SyncOutcome> {
    return this.#turns.take(async () => {
      try {
        this.#state = await settleRun(this.#state, this.#ports);
        return await this.#approve(digest, request);
      } catch (error) {
        return this.#fail(error);
      }
    });
  }

  async #approve(digest: string, request: OperatorRequest): Promise<SyncOutcome> {
    if (!this.holds().some((hold) => hold.digest === digest))
      return this.#outcome('held', 'nothing with that digest is held');
    const { store, active, clock } = this.#ports;
    const { source } = this;
    const { commit } = this.#state;
    const time = clock.now();
    const message = `the source was removed; approved by ${request.by}: ${request.reason}`;
    const run: SyncRunPayload = { source, outcome: 'active', message, commit, diagnostics: [] };
    const ended = active
      .documentsOf(source)
      .map((held) => endedDocument(held, departureOf(held, 'SourceRemoved', none)));
    const state = unrecordedState({ ...this.#state, tenants: {}, judged: null }, run, time);
    await store.save({ state, revision: null, put: [], end: ended.map(leavingDocument), time });
    this.#state = state;
    active.replace(source, []);
    this.#state = await recordRun(state, policyChanges({ source, commit, put: [], ended }), this.#ports);
    return this.#outcome('active', message);
  }

  #fail(error: unknown): SyncOutcome {
    const code = error instanceof AdapterError ? error.code : 'Bug';
    const outcome = this.#outcome('failed', `${code}: ${messageOf(error)}`);
    this.#ports.report?.(outcome);
    return outcome;
  }

  #outcome(result: SyncOutcome['result'], message: string): SyncOutcome {
    const { source, commit } = this.#state;
    return { source, result, commit, message, diagnostics: [], holds: this.holds() };
  }

  #policies(): readonly HeldDocument[] {
    return this.#ports.active.documentsOf(this.source).filter(({ stored }) => stored.role === 'Policy');
  }
}

/** A source that is gone has nobody to release from it. */
const none: ReadonlySet<string> = new Set();
