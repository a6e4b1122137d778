import { AdapterError, canonicalJson } from '#kernel';

import type { CommitReference } from '../model/active-policy.ts';
import { restoreDocument } from './active-policy-set.ts';
import {
  type Brakes,
  brakesRecord,
  type Hold,
  noBrakes,
  restoreBrakes,
  type Verdict,
  withApproval,
  withRejection,
} from './brakes.ts';
import { CommitJudge, type JudgedCommit } from './commit-judge.ts';
import { loadParticipants } from './load-participants.ts';
import type { Participants } from './may-approve.ts';
import { planActivation } from './plan-activation.ts';
import { planRollback } from './plan-rollback.ts';
import type { GitRepositoryPort } from './ports/git.port.ts';
import type { SourceState } from './ports/revision-store.port.ts';
import { configurationRecord, type SourceConfiguration } from './source-configuration.ts';
import type { SyncOutcome } from './sync-outcome.ts';
import type { SyncPorts } from './sync-ports.ts';

/** What an operator asks of a source; the reason is kept. */
export interface OperatorRequest {
  readonly by: string;
  readonly reason: string;
}

/** One source: from its commits to the policies in force. One sync at a time. */
export class SourceSync {
  readonly #ports: SyncPorts;
  readonly #configuration: SourceConfiguration;
  readonly #judge: CommitJudge;
  #repository: GitRepositoryPort | undefined;
  #state: SourceState;
  #lastFailure = '';
  #last: Promise<SyncOutcome> | undefined;
  #next: Promise<SyncOutcome> | undefined;

  constructor(configuration: SourceConfiguration, ports: SyncPorts) {
    this.#ports = ports;
    this.#configuration = configuration;
    this.#judge = new CommitJudge(configuration, ports);
    this.#state = emptyState(configuration);
  }

  get source(): string {
    return this.#configuration.location.source;
  }

  /** What waits for a person. */
  holds(): readonly Hold[] {
    return this.#brakes().holds;
  }

  /** The newest commit of which anything is in force. */
  get commit(): CommitReference | null {
    return this.#state.commit;
  }

  /** The revision that the source was rolled back to, and who did it; null: it follows its ref. */
  get pin(): Brakes['pin'] {
    return this.#brakes().pin;
  }

  /** Everybody who took part in the held commit; an approver is none of them. @throws AdapterError */
  async participants(hold: Hold): Promise<Participants> {
    this.#repository ??= await this.#ports.git.open(this.#configuration.location);
    return loadParticipants({
      repository: this.#repository,
      since: this.#state.commit?.hash ?? null,
      head: hold.commit,
      trusted: this.#configuration.verify?.trusted,
    });
  }

  /** Puts in force again what was in force, from SQL alone: a dead Git server does not stop a start. */
  async restore(): Promise<void> {
    const { store, active } = this.#ports;
    const state = (await store.listSources()).find(({ source }) => source === this.source);
    if (state === undefined) return;
    this.#state = state;
    const documents = await store.loadInForce(this.source);
    active.replace(this.source, documents.map(restoreDocument));
  }

  /**
   * Looks at the source now. Never throws: what fails is an outcome, and what is in force stays. A call during a sync
   * gets the next one, which all such calls share: the one under way may have fetched already.
   */
  sync(): Promise<SyncOutcome> {
    return this.#enqueue(() => this.#sync());
  }

  /** Approves exactly the hold of that digest, and activates it. */
  async approve(digest: string, request: OperatorRequest): Promise<SyncOutcome> {
    await this.#saveBrakes((brakes) => withApproval(brakes, this.#verdict(digest, request)));
    return this.sync();
  }

  /** Rejects the hold of that digest: what is in force stays. */
  async reject(digest: string, request: OperatorRequest): Promise<void> {
    await this.#saveBrakes((brakes) => withRejection(brakes, this.#verdict(digest, request)));
  }

  /** Takes a policy (`shop/checkout`) out of force, its HPA and count kept, whatever its document says. */
  async release(policy: string, request: OperatorRequest): Promise<SyncOutcome> {
    const time = this.#ports.clock.now();
    await this.#saveBrakes((brakes) => ({
      ...brakes,
      released: [...brakes.released.filter((known) => known.policy !== policy), { policy, ...request, time }],
    }));
    return this.sync();
  }

  /** Takes back a release, or the pin of a rollback. */
  async resume(request: OperatorRequest & { readonly policy?: string }): Promise<SyncOutcome> {
    await this.#saveBrakes((brakes) =>
      request.policy === undefined
        ? { ...brakes, pin: null }
        : { ...brakes, released: brakes.released.filter(({ policy }) => policy !== request.policy) },
    );
    return this.sync();
  }

  /**
   * Puts in force what was in force with an earlier revision, from SQL alone: it works while Git is down. The source is
   * held there until it is resumed.
   */
  async rollBack(commit: string, request: OperatorRequest): Promise<SyncOutcome> {
    return this.#enqueue(() => this.#rollBack(commit, request));
  }

  #enqueue(run: () => Promise<SyncOutcome>): Promise<SyncOutcome> {
    if (this.#next !== undefined) return this.#next;
    const previous = this.#last;
    if (previous === undefined) return this.#begin(run);
    this.#next = previous.then(() => {
      this.#next = undefined;
      return this.#begin(run);
    });
    return this.#next;
  }

  #begin(run: () => Promise<SyncOutcome>): Promise<SyncOutcome> {
    const running = run().finally(() => {
      if (this.#last === running) this.#last = undefined;
    });
    this.#last = running;
    return running;
  }

  async #sync(): Promise<SyncOutcome> {
    try {
      const outcome = await this.#fetchAndJudge();
      this.#lastFailure = '';
      this.#ports.report?.(outcome);
      return outcome;
    } catch (error) {
      return this.#fail(error);
    }
  }

  async #fetchAndJudge(): Promise<SyncOutcome> {
    const fetchedAt = this.#ports.clock.now();
    this.#repository ??= await this.#ports.git.open(this.#configuration.location);
    const hash = await this.#repository.fetchHead(this.#configuration.fetchLimits);
    if (this.#isJudged(hash)) return this.#unchanged();
    const judged = await this.#judge.judge({
      repository: this.#repository,
      state: this.#state,
      brakes: this.#brakes(),
      hash,
    });
    return this.#activate(judged, fetchedAt);
  }

  /** A commit that came in force whole needs no second look, unless its configuration changed. */
  #isJudged(hash: string): boolean {
    const { judged, configuration } = this.#state;
    const isSameConfiguration =
      canonicalJson(configuration) === canonicalJson(configurationRecord(this.#configuration));
    return isSameConfiguration && judged?.commit === hash && judged.outcome === 'active';
  }

  #unchanged(): SyncOutcome {
    return { ...this.#emptyOutcome('unchanged', 'nothing is new') };
  }

  async #activate(judged: JudgedCommit, fetchedAt: string): Promise<SyncOutcome> {
    const { store, journal, clock, active } = this.#ports;
    const plan = planActivation({
      ...judged,
      fetchedAt,
      time: clock.now(),
      state: this.#state,
      inForce: active.documentsOf(this.source),
      configuration: configurationRecord(this.#configuration),
      isVerified: this.#configuration.verify !== undefined,
    });
    if (plan.isActivating) await this.#repository?.keep('active', judged.commit.hash);
    await store.save({ ...plan.change, revision: plan.isRepetition ? null : plan.change.revision });
    this.#state = plan.change.state;
    if (plan.isActivating) active.replace(this.source, plan.documents);
    if (!plan.isRepetition || plan.isActivating) await journal.append(plan.run, plan.changes);
    const { message, commit } = plan.run;
    const { diagnostics } = judged.admission;
    const result = plan.isRepetition && !plan.isActivating ? 'unchanged' : plan.outcome;
    return { source: this.source, result, commit, message, diagnostics, holds: this.holds() };
  }

  async #rollBack(commit: string, request: OperatorRequest): Promise<SyncOutcome> {
    const { store, journal, clock, active } = this.#ports;
    const revisions = await store.listRevisions(this.source, maximumRevisions);
    const revision = revisions.find((each) => each.commit.hash === commit && each.outcome === 'active');
    if (revision === undefined)
      return this.#emptyOutcome('failed', `RevisionUnknown: ${commit} was never in force as a whole`);
    const plan = planRollback({
      state: this.#state,
      brakes: this.#brakes(),
      revision,
      request,
      documents: await store.loadInForceAt(this.source, revision.finishedAt),
      inForce: active.documentsOf(this.source),
      time: clock.now(),
    });
    await store.save(plan.change);
    this.#state = plan.change.state;
    active.replace(this.source, plan.documents);
    await journal.append(plan.run, plan.changes);
    const outcome = { ...this.#emptyOutcome('active', plan.run.message), commit: revision.commit };
    this.#ports.report?.(outcome);
    return outcome;
  }

  #brakes(): Brakes {
    return restoreBrakes(this.#state.brakes);
  }

  #verdict(digest: string, request: OperatorRequest): Verdict {
    return { digest, by: request.by, reason: request.reason, time: this.#ports.clock.now() };
  }

  async #saveBrakes(change: (brakes: Brakes) => Brakes): Promise<void> {
    const brakes = brakesRecord(change(this.#brakes()));
    // What was judged is judged again: the brakes are part of the judgement.
    const state = { ...this.#state, brakes, judged: null };
    await this.#ports.store.save({
      state,
      revision: null,
      put: [],
      end: [],
      time: this.#ports.clock.now(),
    });
    this.#state = state;
  }

  /** The same failure again is not recorded again: a Git server that is down for a day is one entry. */
  async #fail(error: unknown): Promise<SyncOutcome> {
    const message = error instanceof Error ? error.message : 'the sync failed';
    const code = error instanceof AdapterError ? error.code : 'Bug';
    const outcome = this.#emptyOutcome('failed', `${code}: ${message}`);
    if (this.#lastFailure === outcome.message) return outcome;
    this.#lastFailure = outcome.message;
    this.#ports.report?.(outcome);
    const { commit } = outcome;
    await this.#ports.journal
      .append(
        { source: this.source, outcome: 'failed', message: outcome.message, commit, diagnostics: [] },
        [],
      )
      .catch(() => undefined);
    return outcome;
  }

  #emptyOutcome(result: SyncOutcome['result'], message: string): SyncOutcome {
    const commit: CommitReference | null = this.#state.commit;
    return { source: this.source, result, commit, message, diagnostics: [], holds: this.holds() };
  }
}

/** How far back a rollback looks. */
const maximumRevisions = 100;

function emptyState(configuration: SourceConfiguration): SourceState {
  return {
    source: configuration.location.source,
    configuration: {},
    commit: null,
    tenants: {},
    judged: null,
    brakes: brakesRecord(noBrakes),
  };
}
