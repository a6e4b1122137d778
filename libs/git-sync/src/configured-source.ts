import type { CommitReference, LeaveTarget } from '#reconciliation';
import { judgeBounds, type OtherBounds, PolicyDigests } from '#repository';
import { loadParticipants } from './approve/load-participants.ts';
import type { Participants } from './approve/may-approve.ts';
import { type Approvals, approvalsRecord, type Hold, holdsOf, noApprovals } from './holds/approvals.ts';
import { CommitJudge } from './judge/commit-judge.ts';
import { loadLines } from './judge/load-lines.ts';
import { OperatorTurn, policiesInForce } from './operator-turn.ts';
import type { GitRepositoryPort } from './ports/git.port.ts';
import type { SourceState } from './ports/revision-store.port.ts';
import type { LastSync, SyncOutcome } from './ports/sync-outcome.ts';
import type { RollbackRequest } from './roll-back/roll-back.ts';
import { endingInTurns } from './setup/ending-in-turns.ts';
import type { SourceConfiguration } from './setup/source-configuration.ts';
import type { SyncPorts } from './setup/sync-ports.ts';
import type {
  LookRehearsal,
  OperatorRequest,
  RollbackRehearsal,
  Source,
  SourceTurn,
} from './source/source.ts';
import { SourceRecord } from './source/source-record.ts';
import { SourceSync } from './source-sync.ts';

/** A source that the configuration names: what operators ask of it, beside following its ref. */
export class ConfiguredSource implements Source {
  readonly #ports: SyncPorts;
  readonly #record: SourceRecord;
  readonly #sync: SourceSync;
  readonly #digests: PolicyDigests;
  readonly #turn: OperatorTurn;
  #configuration: SourceConfiguration;

  constructor(configuration: SourceConfiguration, given: SyncPorts) {
    const ports = endingInTurns(given);
    this.#configuration = configuration;
    this.#ports = ports;
    this.#digests = new PolicyDigests(ports.digest);
    const record = new SourceRecord(emptyState(configuration), ports);
    this.#record = record;
    const carryOn = (): Promise<unknown> => this.#turn.carryOn();
    this.#sync = new SourceSync({
      configuration,
      ports,
      record,
      judge: this.#judgeOf(configuration),
      carryOn,
    });
    const managed = (): RollbackRequest['managed'] => this.#configuration.repository.managed;
    this.#turn = new OperatorTurn({ ports, record, sync: this.#sync, digests: this.#digests, managed });
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
    return policiesInForce(this.#ports.active, this.name).has(policy);
  }

  judgeBounds(policy: string, bounds: OtherBounds): readonly string[] {
    const document = policiesInForce(this.#ports.active, this.name).get(policy);
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

  /** @see SourceSync.readAhead */
  readAhead(): Promise<void> {
    return this.#sync.readAhead();
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

  inTurn<T>(work: (turn: SourceTurn) => Promise<T>): Promise<T> {
    return this.#record.inTurn(() => work(this.#turn));
  }

  approve(digest: string, request: OperatorRequest): Promise<SyncOutcome | null> {
    return this.inTurn((turn) => turn.approve(digest, request));
  }

  reject(digest: string, request: OperatorRequest): Promise<boolean> {
    return this.inTurn((turn) => turn.reject(digest, request));
  }

  release(policy: string, request: OperatorRequest): Promise<SyncOutcome> {
    return this.inTurn((turn) => turn.release(policy, request));
  }

  leave(to: LeaveTarget, request: OperatorRequest): Promise<SyncOutcome> {
    return this.inTurn((turn) => turn.leave(to, request));
  }

  resume(request: OperatorRequest & { readonly policy?: string }): Promise<SyncOutcome> {
    return this.inTurn((turn) => turn.resume(request));
  }

  rollBack(commit: string, request: OperatorRequest): Promise<SyncOutcome> {
    return this.inTurn((turn) => turn.rollBack(commit, request));
  }

  rehearseRollBack(commit: string, request: OperatorRequest): Promise<RollbackRehearsal> {
    return this.inTurn((turn) => turn.rehearseRollBack(commit, request));
  }

  rehearseResume(request: OperatorRequest & { readonly policy?: string }): Promise<LookRehearsal> {
    return this.inTurn((turn) => turn.rehearseResume(request));
  }

  rehearseSync(): Promise<LookRehearsal> {
    return this.inTurn((turn) => turn.rehearseSync());
  }

  #judgeOf(configuration: SourceConfiguration): CommitJudge {
    return new CommitJudge({ configuration, ports: this.#ports, digests: this.#digests });
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
