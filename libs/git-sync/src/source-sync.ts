import { AdapterError, canonicalJson, messageOf } from '#kernel';
import type { CommitReference } from '#reconciliation';
import { restoreDocument } from './activate/active-policy-set.ts';
import { planActivation } from './activate/plan-activation.ts';
import { recordRun, settleRun, unrecordedState } from './activate/record-run.ts';
import {
  type Brakes,
  brakesRecord,
  findHold,
  type Hold,
  holdsOf,
  noBrakes,
  restoreBrakes,
  resumed,
  type Verdict,
  withApproval,
  withRejection,
  withRelease,
} from './approve/brakes.ts';
import { loadParticipants } from './approve/load-participants.ts';
import type { Participants } from './approve/may-approve.ts';
import { CommitJudge, type JudgedCommit } from './judge/commit-judge.ts';
import type { GitRepositoryPort } from './ports/git.port.ts';
import type { SourceState } from './ports/revision-store.port.ts';
import { planRollback } from './roll-back/plan-rollback.ts';
import { configurationRecord, type SourceConfiguration } from './source-configuration.ts';
import type { SyncOutcome } from './sync-outcome.ts';
import type { SyncPorts } from './sync-ports.ts';
import { Turns } from './turns.ts';

/** What an operator asks of a source; the reason is kept. */
export interface OperatorRequest {
  readonly by: string;
  readonly reason: string;
}

/** One source: from its commits to the policies in force. One piece of work at a time. */
export class SourceSync {
  readonly #ports: SyncPorts;
  readonly #configuration: SourceConfiguration;
  readonly #judge: CommitJudge;
  readonly #turns = new Turns();
  #repository: GitRepositoryPort | undefined;
  #state: SourceState;
  #lastFailure = '';
  #waiting: Promise<SyncOutcome> | undefined;

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
    return holdsOf(this.#brakes());
  }

  /** The newest commit of which anything is in force. */
  get commit(): CommitReference | null {
    return this.#state.commit;
  }

  /** The revision that the source was rolled back to, and who did it; null: it follows its ref. */
  get pin(): Brakes['pin'] {
    return this.#brakes().pin;
  }

  /** Policies that were released by name, by whom and why. */
  get released(): Brakes['released'] {
    return this.#brakes().released;
  }

  /**
   * Everybody who took part in the held commit since what its tenant, or any tenant, has in force; an approver is none of
   * them. A rollback brings no commit, and has none. Throws `AdapterError`.
   */
  async participants(hold: Hold): Promise<Participants> {
    const { scope, commit: head, digest } = hold;
    if (this.#brakes().rollbackHolds.some((held) => held.digest === digest)) return noParticipants;
    const { tenants, commit } = this.#state;
    const own = scope.kind === 'Tenant' ? tenants[scope.tenant] : undefined;
    const active = commit === null ? [] : [commit.hash, ...Object.values(tenants)];
    return loadParticipants({
      repository: await this.#open(),
      since: own === undefined ? active : [own],
      head,
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
   * Looks at the source now. Never throws for what fails on the way: that is an outcome, and what is in force stays. A call
   * during a sync gets the next one, which all such calls share: the one under way may have fetched already.
   */
  sync(): Promise<SyncOutcome> {
    this.#waiting ??= this.#turns.take(() => {
      this.#waiting = undefined;
      return this.#inOrder(() => this.#sync());
    });
    return this.#waiting;
  }

  /** Approves exactly the hold of that digest, and puts it in force. */
  async approve(digest: string, request: OperatorRequest): Promise<SyncOutcome> {
    const refused = await this.#turns.take(async () => {
      const hold = findHold(this.#brakes(), digest);
      if (hold === undefined) return this.#emptyOutcome('held', 'nothing with that digest is held any more');
      if (hold.causes.some(({ code }) => code === 'RolledBack'))
        return this.#emptyOutcome('held', 'a rollback ends when the source is resumed');
      const { rollbackHolds, pin } = this.#brakes();
      await this.#saveBrakes((brakes) => withApproval(brakes, this.#verdict(digest, request)));
      const isOfRollback = pin !== null && rollbackHolds.some((held) => held.digest === digest);
      return isOfRollback ? this.#inOrder(() => this.#rollBack(pin.commit, pin)) : undefined;
    });
    return refused ?? this.sync();
  }

  /** Rejects the hold of that digest: what is in force stays. */
  reject(digest: string, request: OperatorRequest): Promise<void> {
    return this.#turns.take(() =>
      this.#saveBrakes((brakes) =>
        findHold(brakes, digest) === undefined
          ? brakes
          : withRejection(brakes, this.#verdict(digest, request)),
      ),
    );
  }

  /** Takes a policy (`shop/checkout`) out of force, its HPA and count kept, whatever its document says. */
  async release(policy: string, request: OperatorRequest): Promise<SyncOutcome> {
    const time = this.#ports.clock.now();
    await this.#turns.take(() =>
      this.#saveBrakes((brakes) => withRelease(brakes, { policy, ...request, time })),
    );
    return this.sync();
  }

  /** Takes back a release, or the pin of a rollback and what of it still waits. */
  async resume(request: OperatorRequest & { readonly policy?: string }): Promise<SyncOutcome> {
    await this.#turns.take(() => this.#saveBrakes((brakes) => resumed(brakes, request.policy)));
    return this.sync();
  }

  /**
   * Puts in force what was in force with an earlier revision, from SQL alone: it works while Git is down. The source is
   * held there until it is resumed. Every brake but the blast radius holds it as it would hold a commit. What fails on
   * the way is an outcome, as of a look.
   */
  rollBack(commit: string, request: OperatorRequest): Promise<SyncOutcome> {
    return this.#turns.take(() => this.#inOrder(() => this.#rollBack(commit, request)));
  }

  async #open(): Promise<GitRepositoryPort> {
    this.#repository ??= await this.#ports.git.open(this.#configuration.location);
    return this.#repository;
  }

  /** Nothing comes in force before what did so last is recorded. */
  async #inOrder(work: () => Promise<SyncOutcome>): Promise<SyncOutcome> {
    try {
      this.#state = await settleRun(this.#state, this.#ports);
      return await work();
    } catch (error) {
      return this.#fail(error);
    }
  }

  async #sync(): Promise<SyncOutcome> {
    const outcome = await this.#fetchAndJudge();
    if (outcome.unreachable === undefined) this.#lastFailure = '';
    this.#ports.report?.(outcome);
    return outcome;
  }

  async #fetchAndJudge(): Promise<SyncOutcome> {
    const repository = await this.#open();
    let hash: string;
    try {
      hash = await repository.fetchHead(this.#configuration.fetchLimits);
    } catch (error) {
      return this.#judgeLastGood(repository, error);
    }
    return this.#isJudged(hash)
      ? this.#emptyOutcome('unchanged', 'nothing is new')
      : this.#judgeHead(repository, hash);
  }

  /**
   * A changed configuration, an approval and a release are not put off until Git answers: they are judged on the last good
   * commit, where it is on disk.
   */
  async #judgeLastGood(repository: GitRepositoryPort, error: unknown): Promise<SyncOutcome> {
    const { commit, judged } = this.#state;
    const isAsked = judged === null || !this.#isConfigured();
    if (!isAsked || commit === null || !(await repository.hasCommit(commit.hash))) throw error;
    const outcome = await this.#judgeHead(repository, commit.hash);
    if (outcome.result === 'unchanged') throw error;
    return { ...outcome, unreachable: messageOf(error) };
  }

  /**
   * What another source put in force meanwhile is judged with: two newcomers never come in force side by side. The second
   * judgement is in turn, so that a start with many sources ends; what it reads was read by the first.
   */
  async #judgeHead(repository: GitRepositoryPort, hash: string): Promise<SyncOutcome> {
    const { active, clock } = this.#ports;
    const fetchedAt = clock.now();
    const judge = (): Promise<JudgedCommit> =>
      this.#judge.judge({ repository, state: this.#state, brakes: this.#brakes(), hash });
    const version = active.versionBeside(this.source);
    const judged = await judge();
    return active.inTurn(async () => {
      const isCurrent = active.versionBeside(this.source) === version;
      return this.#activate(repository, isCurrent ? judged : await judge(), fetchedAt);
    });
  }

  /** A commit that came in force whole needs no second look, unless its configuration changed. */
  #isJudged(hash: string): boolean {
    const { judged } = this.#state;
    return this.#isConfigured() && judged?.commit === hash && judged.outcome === 'active';
  }

  #isConfigured(): boolean {
    return (
      canonicalJson(this.#state.configuration) === canonicalJson(configurationRecord(this.#configuration))
    );
  }

  async #activate(
    repository: GitRepositoryPort,
    judged: JudgedCommit,
    fetchedAt: string,
  ): Promise<SyncOutcome> {
    const { store, clock, active } = this.#ports;
    const time = clock.now();
    const plan = planActivation({
      ...judged,
      fetchedAt,
      time,
      state: this.#state,
      inForce: active.documentsOf(this.source),
      configuration: configurationRecord(this.#configuration),
      isVerified: this.#configuration.verify !== undefined,
    });
    const inForce = plan.change.state.commit;
    if (plan.isActivating && inForce !== null) await repository.keep('active', inForce.hash);
    const isNew = !plan.isRepetition || plan.isActivating;
    const state = isNew ? unrecordedState(plan.change.state, plan.run, time) : plan.change.state;
    await store.save({ ...plan.change, state, revision: plan.isRepetition ? null : plan.change.revision });
    this.#state = state;
    if (plan.isActivating) active.replace(this.source, plan.documents);
    this.#state = await recordRun(state, plan.changes, this.#ports);
    const { message, commit } = plan.run;
    const { diagnostics } = judged.admission;
    const result = isNew ? plan.outcome : 'unchanged';
    return { source: this.source, result, commit, message, diagnostics, holds: this.holds() };
  }

  async #rollBack(commit: string, request: OperatorRequest): Promise<SyncOutcome> {
    const { store, clock, active } = this.#ports;
    const revision = await store.loadRevision(this.source, commit);
    if (revision === undefined)
      return this.#emptyOutcome('failed', `RevisionUnknown: ${commit} was never in force as a whole`);
    const stored = await store.loadInForceAt(this.source, revision.finishedAt);
    const time = clock.now();
    const judge = await this.#judge.rollback({ stored, brakes: this.#brakes(), commit, time });
    return active.inTurn(async () => {
      const inForce = active.documentsOf(this.source);
      const judged = judge();
      const brakes = this.#brakes();
      const plan = planRollback({ state: this.#state, brakes, revision, request, judged, inForce, time });
      const state = unrecordedState(plan.change.state, plan.run, time);
      await store.save({ ...plan.change, state });
      this.#state = state;
      active.replace(this.source, plan.documents);
      this.#state = await recordRun(state, plan.changes, this.#ports);
      const { diagnostics } = judged;
      const { message } = plan.run;
      const outcome = { ...this.#emptyOutcome(plan.outcome, message), commit: revision.commit, diagnostics };
      this.#ports.report?.(outcome);
      return outcome;
    });
  }

  #brakes(): Brakes {
    return restoreBrakes(this.#state.brakes);
  }

  #verdict(digest: string, request: OperatorRequest): Verdict {
    return { digest, by: request.by, reason: request.reason, time: this.#ports.clock.now() };
  }

  /** Only in a turn: a sync under way would write the brakes that it began with. */
  async #saveBrakes(change: (brakes: Brakes) => Brakes): Promise<void> {
    const brakes = brakesRecord(change(this.#brakes()));
    // What was judged is judged again: the brakes are part of the judgement.
    const state = { ...this.#state, brakes, judged: null };
    const time = this.#ports.clock.now();
    await this.#ports.store.save({ state, revision: null, put: [], end: [], time });
    this.#state = state;
  }

  /**
   * The same failure again is not recorded again: a Git server that is down for a day is one entry. Before a run that is
   * missing in the ledger stands no later one.
   */
  async #fail(error: unknown): Promise<SyncOutcome> {
    const code = error instanceof AdapterError ? error.code : 'Bug';
    const outcome = this.#emptyOutcome('failed', `${code}: ${messageOf(error)}`);
    if (this.#lastFailure === outcome.message) return outcome;
    this.#lastFailure = outcome.message;
    this.#ports.report?.(outcome);
    if (this.#state.unrecorded === undefined) await this.#recordFailure(outcome);
    return outcome;
  }

  /** Where the ledger fails, too, the outcome alone tells. */
  async #recordFailure({ source, message, commit }: SyncOutcome): Promise<void> {
    const run = { source, outcome: 'failed', message, commit, diagnostics: [] };
    const time = this.#ports.clock.now();
    await this.#ports.journal.append({ run, changes: [], time }).catch(() => undefined);
  }

  #emptyOutcome(result: SyncOutcome['result'], message: string): SyncOutcome {
    const commit: CommitReference | null = this.#state.commit;
    return { source: this.source, result, commit, message, diagnostics: [], holds: this.holds() };
  }
}

const noParticipants: Participants = { commits: [], signers: [] };

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
