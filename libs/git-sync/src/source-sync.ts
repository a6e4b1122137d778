import { AdapterError, canonicalJson, messageOf, namespacedName, runInTimeSlices } from '#kernel';
import { type Span, untraced } from '#reconciliation';
import { describeHold, warningsText } from './activate/activation-message.ts';
import { effectOfChanges } from './activate/effect-of-changes.ts';
import { type ActivationPlan, planActivation } from './activate/plan-activation.ts';
import { type Approvals, approvalsRecord, type Hold, holdsOf } from './holds/approvals.ts';
import type { AdmittedCommit, CommitJudge, FetchedCommit } from './judge/commit-judge.ts';
import type { GitRepositoryPort } from './ports/git.port.ts';
import type { PolicyVersion, SourceState } from './ports/revision-store.port.ts';
import type { LastSync, SyncOutcome } from './ports/sync-outcome.ts';
import { configurationRecord, type SourceConfiguration } from './setup/source-configuration.ts';
import type { SyncPorts } from './setup/sync-ports.ts';
import { failureText } from './source/failure-text.ts';
import type { LookRehearsal } from './source/source.ts';
import type { SourceRecord } from './source/source-record.ts';

/** What a sync works with. */
export interface SourceSyncOptions {
  readonly configuration: SourceConfiguration;
  readonly ports: SyncPorts;
  readonly record: SourceRecord;
  readonly judge: CommitJudge;
  /** Carries out first what was decided and is not carried out yet. */
  readonly carryOn: () => Promise<unknown>;
}

/** As many policies as one read takes. */
const policiesPerRead = 100;

/** A repository, and what a look at it is timed as. */
interface TracedRepository {
  readonly repository: GitRepositoryPort;
  readonly span: Span;
}

/** Follows the ref of a source: fetched → verified → parsed → admitted → active, held or rejected. */
export class SourceSync {
  readonly #ports: SyncPorts;
  readonly #record: SourceRecord;
  #configuration: SourceConfiguration;
  #judge: CommitJudge;
  readonly #carryOn: SourceSyncOptions['carryOn'];
  #repository: GitRepositoryPort | undefined;
  #next: Promise<SyncOutcome> | undefined;
  /** While it is under way. */
  #ahead: Promise<void> | undefined;
  #last: LastSync | null = null;
  /** Of the commit that this process judged last. */
  #warnings: readonly string[] = [];

  constructor({ configuration, ports, record, judge, carryOn }: SourceSyncOptions) {
    this.#configuration = configuration;
    this.#ports = ports;
    this.#record = record;
    this.#judge = judge;
    this.#carryOn = carryOn;
  }

  /** Follows another configuration, inside `exclusively`: a look goes by one from its beginning to its end. */
  reconfigure({ configuration, judge }: Pick<SourceSyncOptions, 'configuration' | 'judge'>): void {
    this.#configuration = configuration;
    this.#judge = judge;
    this.#repository = undefined;
  }

  /** The latest look, with what a rollback since came to; null before the first. */
  get last(): LastSync | null {
    return this.#last;
  }

  /**
   * Fetches and parses what a first look will judge, which then finds it known. Nothing is judged, stored or told; a look
   * that begins meanwhile waits for it, and fails as it does.
   *
   * @throws AdapterError
   */
  readAhead(): Promise<void> {
    const ahead = this.#readAhead().finally(() => {
      this.#ahead = undefined;
    });
    this.#ahead = ahead;
    return ahead;
  }

  async #readAhead(): Promise<void> {
    const judge = this.#judge;
    const repository = await this.repository();
    await judge.readAhead(repository, await repository.fetchHead(this.#configuration.fetchLimits));
  }

  /** Looks at the ref now. A call during a sync gets the next one: the one under way may have fetched already. */
  sync(): Promise<SyncOutcome> {
    this.#next ??= this.#record.exclusively(() => {
      this.#next = undefined;
      return this.look();
    });
    return this.#next;
  }

  /** Looks at the ref now, inside `exclusively`. */
  async look(): Promise<SyncOutcome> {
    await this.#carryOn();
    const outcome = await this.#record.attempt(() => this.#sync());
    this.#note(outcome);
    return outcome;
  }

  /**
   * What a look would come to with other approvals, inside `exclusively`. The commit is fetched; nothing is stored, told or
   * put into force.
   */
  async rehearse(approvals: Approvals): Promise<LookRehearsal> {
    const { state } = this.#record;
    const asked = { ...state, brakes: approvalsRecord(approvals), judged: null };
    try {
      const repository = await this.repository();
      const hash = await repository.fetchHead(this.#configuration.fetchLimits);
      const fetchedAt = this.#ports.clock.now();
      const verified = await this.#judge.verify({ repository, state: asked, approvals, hash, fetchedAt });
      const plan = await this.#plan(await this.#judge.admit(await this.#judge.parse(verified)));
      const { message, commit } = plan.run;
      return { outcome: plan.outcome, message, commit, effect: effectOfChanges(plan.changes) };
    } catch (error) {
      // A process that ends knows nothing of the source.
      if (!(error instanceof AdapterError) || error.code === 'Closed') throw error;
      return { outcome: 'failed', message: failureText(error), commit: null, effect: effectOfChanges([]) };
    }
  }

  /**
   * Notes what a rollback came to, in the place of what the look before it did: that is in force no more. The source is
   * as fresh, or as stale, as it was.
   */
  noteRollback(outcome: SyncOutcome): void {
    if (this.#last !== null) this.#last = { ...this.#last, outcome };
  }

  /** Notes that what the latest look says of a hold is so no more: it awaits no approval. */
  noteRejection(before: Hold): void {
    if (this.#last === null) return;
    const holds = holdsOf(this.#record.approvals);
    const rejected = holds.find(({ digest }) => digest === before.digest) ?? before;
    const { outcome } = this.#last;
    const message = outcome.message.replace(textOf(before), () => textOf(rejected));
    this.#last = { ...this.#last, outcome: { ...outcome, message, holds } };
  }

  #note(outcome: SyncOutcome): void {
    const time = this.#ports.clock.now();
    const before = this.#last?.staleSince ?? null;
    const isStale = outcome.result === 'failed' || outcome.unreachable !== undefined;
    // A database that is away says nothing of the repository.
    const since = outcome.unstored === undefined ? time : null;
    this.#last = { time, outcome, staleSince: isStale ? (before ?? since) : null };
  }

  /**
   * The source's repository on disk.
   *
   * @throws AdapterError
   */
  async repository(): Promise<GitRepositoryPort> {
    this.#repository ??= await this.#ports.git.open(this.#configuration.location);
    return this.#repository;
  }

  #sync(): Promise<SyncOutcome> {
    const traces = this.#ports.traces ?? untraced;
    return traces.trace('sync', { 'plimsoll.source': this.#record.state.source }, (span) =>
      this.#syncTraced(span),
    );
  }

  async #syncTraced(span: Span): Promise<SyncOutcome> {
    const outcome = await this.#followRef(span);
    span.setAttributes({
      'plimsoll.outcome': outcome.result,
      ...(outcome.commit === null ? {} : { 'plimsoll.commit': outcome.commit.hash }),
    });
    if (outcome.unreachable === undefined) this.#record.forgetFailure();
    this.#ports.events?.ended(outcome);
    return outcome;
  }

  async #followRef(span: Span): Promise<SyncOutcome> {
    await this.#ahead;
    const repository = await this.repository();
    let hash: string;
    try {
      hash = await span.step('fetch', () => repository.fetchHead(this.#configuration.fetchLimits));
    } catch (error) {
      return this.#judgeLastGood({ repository, span }, error);
    }
    if (this.#isActive(hash))
      return this.#record.outcome('unchanged', ['nothing is new', ...this.#warnings].join('; '));
    this.#ports.events?.judging(this.#record.state.source, hash);
    return this.#advance({ repository, span }, hash);
  }

  /** The life of a revision, from the fetched commit on. */
  async #advance({ repository, span }: TracedRepository, hash: string): Promise<SyncOutcome> {
    const { active, clock } = this.#ports;
    const { state, approvals } = this.#record;
    const fetched: FetchedCommit = { repository, state, approvals, hash, fetchedAt: clock.now() };
    const verified = await span.step('verify', () => this.#judge.verify(fetched));
    const parsed = await span.step('parse', () => this.#judge.parse(verified));
    const version = active.versionOfOthers(state.source);
    const admitted = await span.step('judge', () => this.#judge.admit(parsed));
    return active.runExclusively(async () => {
      // Policies that another source put into force meanwhile may conflict with those of this commit.
      const isCurrent = active.versionOfOthers(state.source) === version;
      const current = isCurrent ? admitted : await span.step('judge', () => this.#judge.admit(parsed));
      return span.step('activate', () => this.#activate(current));
    });
  }

  /**
   * A changed configuration, an approval and a release do not wait until Git answers: they are judged on the last good
   * commit, where it is on disk.
   */
  async #judgeLastGood(traced: TracedRepository, error: unknown): Promise<SyncOutcome> {
    const { repository } = traced;
    const { commit, judged } = this.#record.state;
    const isAsked = judged === null || !this.#isConfigured();
    if (!isAsked || commit === null || !(await repository.hasCommit(commit.hash))) throw error;
    const outcome = await this.#advance(traced, commit.hash);
    if (outcome.result === 'unchanged') throw error;
    return { ...outcome, unreachable: messageOf(error) };
  }

  /** A commit that came into force whole needs no second look, unless the configuration changed. */
  #isActive(hash: string): boolean {
    const { judged } = this.#record.state;
    return this.#isConfigured() && judged?.commit === hash && judged.outcome === 'active';
  }

  #isConfigured(): boolean {
    const { configuration } = this.#record.state;
    return canonicalJson(configuration) === canonicalJson(configurationRecord(this.#configuration));
  }

  async #activate(admitted: AdmittedCommit): Promise<SyncOutcome> {
    const { state } = this.#record;
    const plan = await this.#plan(admitted);
    const { change, run, changes, documents } = plan;
    if (plan.isActivating) await keepInForce(admitted, change.state);
    const isNew = !plan.isRepetition || plan.isActivating;
    await this.#record.commit({
      change: { ...change, revision: plan.isRepetition ? null : change.revision },
      ...(isNew ? { run } : {}),
      changes,
      ...(plan.isActivating ? { documents } : {}),
    });
    const { commit } = run;
    const { diagnostics } = admitted.admission;
    this.#warnings = warningsText(diagnostics);
    const result = isNew ? plan.outcome : 'unchanged';
    // Whoever asks again for what is not in force has to hear that it is not, and why.
    const message =
      isNew || plan.outcome === 'active' ? run.message : `still ${plan.outcome}: ${run.message}`;
    const holds = holdsOf(this.#record.approvals);
    return { source: state.source, result, commit, message, diagnostics, holds };
  }

  async #plan(admitted: AdmittedCommit): Promise<ActivationPlan> {
    const { clock, active } = this.#ports;
    await clock.nextTurn();
    const steps = planActivation({
      ...admitted,
      time: clock.now(),
      inForce: active.documentsOf(admitted.state.source),
      releasedVersions: await this.#releasedVersions(admitted.approvals),
      configuration: configurationRecord(this.#configuration),
      isVerified: this.#configuration.verify !== undefined,
    });
    return runInTimeSlices(steps, clock, 'sync: planning');
  }

  /** The newest versions of policies whose releases were taken back, by their names. */
  async #releasedVersions({ returning }: Approvals): Promise<ReadonlyMap<string, PolicyVersion>> {
    const found = new Map<string, PolicyVersion>();
    for (let start = 0; start < returning.length; start += policiesPerRead) {
      const queries = returning.slice(start, start + policiesPerRead).map(({ policy }) => {
        const [namespace = '', name = ''] = policy.split('/');
        return { namespace, name, limit: 1 };
      });
      for (const { version } of (await this.#ports.store.loadVersions(queries)).flat())
        if (version.source === this.#record.state.source) found.set(namespacedName(version), version);
    }
    return found;
  }
}

/** Keeps the commit in force on disk; that of an earlier look is kept already, where the repository still has it. */
async function keepInForce({ repository, hash }: AdmittedCommit, { commit }: SourceState): Promise<void> {
  if (commit?.hash === hash) await repository.keep('active', hash);
}

function textOf(hold: Hold): string {
  return describeHold(hold).join('; ');
}
