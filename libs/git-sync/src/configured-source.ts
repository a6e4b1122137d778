import type { CommitReference, LeaveTarget } from '#reconciliation';
import { identityKey, judgeBounds, type OtherBounds, PolicyDigests } from '#repository';
import type { ActiveDocument } from './activate/active-policy-set.ts';
import {
  type Approvals,
  approvalsRecord,
  findHold,
  type Hold,
  holdsOf,
  noApprovals,
  type OperatorDecision,
  type Release,
  requesterOf,
  withApproval,
  withoutPin,
  withRejection,
  withReleases,
  withReturn,
} from './approve/approvals.ts';
import { lastFollowed } from './approve/followed-revision.ts';
import { loadParticipants } from './approve/load-participants.ts';
import type { Participants } from './approve/may-approve.ts';
import { CommitJudge } from './judge/commit-judge.ts';
import { loadLines } from './judge/load-lines.ts';
import type { GitRepositoryPort } from './ports/git.port.ts';
import type { SourceState } from './ports/revision-store.port.ts';
import type { SyncPorts } from './ports/sync-ports.ts';
import { rehearseRollBack, rollBack, type RollbackRequest } from './roll-back/roll-back.ts';
import type { OperatorRequest, RollbackRehearsal, Source } from './source.ts';
import type { SourceConfiguration } from './source-configuration.ts';
import { SourceRecord } from './source-record.ts';
import { SourceSync } from './source-sync.ts';
import type { LastSync, SyncOutcome } from './sync-outcome.ts';

/** A source that the configuration names: what operators ask of it, beside following its ref. */
export class ConfiguredSource implements Source {
  readonly #ports: SyncPorts;
  readonly #record: SourceRecord;
  readonly #sync: SourceSync;
  readonly #digests: PolicyDigests;
  #configuration: SourceConfiguration;

  constructor(configuration: SourceConfiguration, ports: SyncPorts) {
    this.#configuration = configuration;
    this.#ports = ports;
    this.#digests = new PolicyDigests(ports.digest);
    const record = new SourceRecord(emptyState(configuration), ports);
    this.#record = record;
    this.#sync = new SourceSync({ configuration, ports, record, judge: this.#judgeOf(configuration) });
  }

  /**
   * Follows another configuration of the same name, once the work under way has ended. The next look judges by it, as
   * after a restart: policies that would leave by it are held.
   */
  reconfigure(configuration: SourceConfiguration): Promise<void> {
    return this.#record.exclusively(() => {
      this.#configuration = configuration;
      this.#sync.reconfigure({ configuration, judge: this.#judgeOf(configuration) });
      return Promise.resolve();
    });
  }

  /** Resolves when the work that was asked for before has ended. */
  whenIdle(): Promise<void> {
    return this.#record.exclusively(() => Promise.resolve());
  }

  get name(): string {
    return this.#configuration.location.source;
  }

  get commit(): CommitReference | null {
    return this.#record.state.commit;
  }

  get pin(): Approvals['pin'] {
    return this.#record.approvals.pin;
  }

  get released(): Approvals['released'] {
    return this.#record.approvals.released;
  }

  get lastSync(): LastSync | null {
    return this.#sync.last;
  }

  hasPolicy(policy: string): boolean {
    return this.#policies().has(policy);
  }

  judgeBounds(policy: string, bounds: OtherBounds): readonly string[] {
    const document = this.#policies().get(policy);
    if (document === undefined) return [];
    const { tenants } = this.#configuration.repository;
    const context = {
      documents: this.#ports.active.documentsOf(this.name),
      tenant: tenants.find(({ name }) => name === document.source.tenant),
    };
    return judgeBounds(document, bounds, context).map(({ message }) => message);
  }

  holds(): readonly Hold[] {
    return holdsOf(this.#record.approvals);
  }

  restore(): Promise<void> {
    return this.#record.restore();
  }

  follow(): Promise<void> {
    return this.#record.restore();
  }

  sync(): Promise<SyncOutcome> {
    return this.#sync.sync();
  }

  participants(hold: Hold): Promise<Participants> {
    const { state, approvals } = this.#record;
    const { verify, hasForge } = this.#configuration;
    const repository = (): Promise<GitRepositoryPort> => this.#sync.repository();
    const trusted = verify?.trusted;
    return loadParticipants({ hold, state, approvals, repository, trusted, hasForge });
  }

  async loadLines(...[commit, places]: Parameters<Source['loadLines']>): Promise<readonly (string | null)[]> {
    return loadLines(await this.#sync.repository(), commit, places);
  }

  async approve(digest: string, request: OperatorRequest): Promise<SyncOutcome> {
    const outcome = await this.#record.exclusively(() => this.#approve(digest, request));
    return outcome ?? this.sync();
  }

  async #approve(digest: string, request: OperatorRequest): Promise<SyncOutcome | undefined> {
    const { approvals } = this.#record;
    const hold = findHold(approvals, digest);
    if (hold === undefined) return this.#record.outcome('held', 'nothing with that digest is held any more');
    if (hold.causes.some(({ code }) => code === 'RolledBack'))
      return this.#record.outcome('held', 'a rollback ends when the source is resumed');
    const { rollbackHolds, pin } = approvals;
    await this.#record.changeApprovals((before) => withApproval(before, this.#decision(digest, request)));
    const isOfRollback = pin !== null && rollbackHolds.some((hold) => hold.digest === digest);
    return isOfRollback ? this.#record.attempt(() => this.#rollBack(pin.commit, pin)) : undefined;
  }

  reject(digest: string, request: OperatorRequest): Promise<void> {
    return this.#changeApprovals((approvals) =>
      findHold(approvals, digest) === undefined
        ? approvals
        : withRejection(approvals, this.#decision(digest, request)),
    );
  }

  async release(policy: string, request: OperatorRequest): Promise<SyncOutcome> {
    const time = this.#ports.clock.now();
    await this.#changeApprovals((approvals) =>
      withReleases(approvals, [
        { policy, ...request, time, ...this.#inForceAs(this.#policies().get(policy)) },
      ]),
    );
    return this.sync();
  }

  async leave(to: LeaveTarget, request: OperatorRequest): Promise<SyncOutcome> {
    const time = this.#ports.clock.now();
    await this.#changeApprovals((approvals) => {
      const released = [...this.#policies()].map(([policy, document]) => ({
        ...{ policy, ...request, time, leavesTo: to },
        ...this.#inForceAs(document),
      }));
      return withReleases(approvals, released);
    });
    return this.sync();
  }

  async resume(request: OperatorRequest & { readonly policy?: string }): Promise<SyncOutcome> {
    const { policy } = request;
    await this.#changeApprovals((approvals) =>
      policy === undefined ? withoutPin(approvals, request) : withReturn(approvals, policy, request),
    );
    return this.sync();
  }

  rollBack(commit: string, request: OperatorRequest): Promise<SyncOutcome> {
    return this.#record.run(() => this.#rollBack(commit, request));
  }

  rehearseRollBack(commit: string, request: OperatorRequest): Promise<RollbackRehearsal> {
    return this.#record.exclusively(() => rehearseRollBack(this.#rollbackTo(commit, request)));
  }

  #rollBack(commit: string, request: OperatorRequest): Promise<SyncOutcome> {
    return rollBack(this.#rollbackTo(commit, request));
  }

  #rollbackTo(commit: string, request: OperatorRequest): RollbackRequest {
    const { managed } = this.#configuration.repository;
    const [ports, record, digests] = [this.#ports, this.#record, this.#digests];
    return { ports, record, digests, managed, commit, request };
  }

  /** Where a policy is in force, and the commits after which its document may change. */
  #inForceAs(document: ActiveDocument | undefined): Pick<Release, 'tenant' | 'since'> {
    const { state, approvals } = this.#record;
    const { commit, tenants } = lastFollowed(state, approvals);
    const tenant = document?.source.tenant;
    const own = tenant === undefined ? undefined : tenants[tenant];
    if (tenant !== undefined && own !== undefined) return { tenant, since: [own] };
    return { since: [...(commit === null ? [] : [commit.hash]), ...Object.values(tenants)] };
  }

  /** The policies in force, by their names. */
  #policies(): ReadonlyMap<string, ActiveDocument> {
    const documents = this.#ports.active.documentsOf(this.name);
    return new Map(
      documents.flatMap((document) =>
        document.source.role === 'Policy' ? [[identityKey(document.source), document]] : [],
      ),
    );
  }

  #changeApprovals(change: (approvals: Approvals) => Approvals): Promise<void> {
    return this.#record.exclusively(() => this.#record.changeApprovals(change));
  }

  #judgeOf(configuration: SourceConfiguration): CommitJudge {
    return new CommitJudge({ configuration, ports: this.#ports, digests: this.#digests });
  }

  #decision(digest: string, request: OperatorRequest): OperatorDecision {
    return { digest, ...requesterOf(request), reason: request.reason, time: this.#ports.clock.now() };
  }
}

function emptyState(configuration: SourceConfiguration): SourceState {
  return {
    source: configuration.location.source,
    configuration: {},
    commit: null,
    tenants: {},
    judged: null,
    brakes: approvalsRecord(noApprovals),
  };
}
