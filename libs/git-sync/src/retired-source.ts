import { AdapterError, namespacedName, runInTimeSlices } from '#kernel';
import type { PolicyDeparture, SyncRunPayload } from '#ledger';
import type { CommitReference } from '#reconciliation';
import { type HoldCause, identityKey, judgeBounds, type OtherBounds, type PolicyChange } from '#repository';
import { operatorOfAll } from './activate/operator-of.ts';
import { policyChanges } from './activate/policy-changes.ts';
import { leavingDocument, removalOf, removedDocument } from './activate/removals.ts';
import type { Participants } from './approve/may-approve.ts';
import {
  type Approvals,
  approvalsRecord,
  type Hold,
  type OperatorDecision,
  rejectedBy,
  requesterOf,
  withApproval,
  withRejection,
} from './holds/approvals.ts';
import type { ActiveDocument } from './in-force/active-policy-set.ts';
import type { SourceState } from './ports/revision-store.port.ts';
import type { LastSync, SyncOutcome } from './ports/sync-outcome.ts';
import { endingInTurns } from './setup/ending-in-turns.ts';
import type { SyncPorts } from './setup/sync-ports.ts';
import type {
  LookRehearsal,
  OperatorRequest,
  RollbackRehearsal,
  Source,
  SourceTurn,
} from './source/source.ts';
import { SourceRecord } from './source/source-record.ts';

type RetiredSourcePorts = Pick<
  SyncPorts,
  'store' | 'journal' | 'active' | 'clock' | 'digest' | 'events' | 'ending'
>;

/** As many as any hold names. */
const maximumEffectPolicies = 200;

/**
 * A source that the configuration no longer names. Its policies stay in force until their leaving is approved: a line
 * lost from a configuration file prunes nothing.
 */
export class RetiredSource implements Source {
  readonly #record: SourceRecord;
  readonly #ports: RetiredSourcePorts;
  readonly #turn: SourceTurn = {
    approve: async (digest, request, save) => {
      if (!this.#isHeld(digest)) return null;
      const decision = this.#decision(digest, request);
      await this.#record.changeApprovals((approvals) => withApproval(approvals, decision), save);
      return this.#record.attempt(() => this.#removePolicies(decision));
    },
    reject: async (digest, request, save) => {
      const isHeld = this.#isHeld(digest);
      const decision = this.#decision(digest, request);
      if (isHeld) await this.#record.changeApprovals((approvals) => withRejection(approvals, decision), save);
      return isHeld;
    },
    release: () => this.release(),
    leave: () => this.leave(),
    resume: () => this.resume(),
    rollBack: () => this.rollBack(),
    rehearseRollBack: () => this.rehearseRollBack(),
    rehearseResume: () => this.rehearseResume(),
    rehearseSync: () => this.rehearseSync(),
  };
  #since: string | undefined;

  constructor(state: SourceState, given: RetiredSourcePorts) {
    const ports = endingInTurns(given);
    this.#record = new SourceRecord(state, ports, () => this.holds());
    this.#ports = ports;
  }

  get name(): string {
    return this.#record.state.source;
  }

  get commit(): CommitReference | null {
    return this.#record.state.commit;
  }

  get pin(): Approvals['pin'] {
    return null;
  }

  get released(): Approvals['released'] {
    return [];
  }

  get lastSync(): LastSync | null {
    return null;
  }

  hasPolicy(policy: string): boolean {
    return this.#ports.active.documentsOf(this.name).some(({ source }) => identityKey(source) === policy);
  }

  /** The limits of its tenants went with its configuration. */
  judgeBounds(policy: string, bounds: OtherBounds): readonly string[] {
    const documents = this.#ports.active.documentsOf(this.name);
    const document = documents.find(({ source }) => identityKey(source) === policy);
    if (document === undefined) return [];
    const problems = judgeBounds(document, bounds, { documents, tenant: undefined });
    return problems.map(({ message }) => message);
  }

  /** A ledger that fails stops no start. */
  async restore(): Promise<void> {
    await this.#record.restore();
    await this.sync();
  }

  follow(): Promise<void> {
    return this.#record.restore();
  }

  /** There is nothing to look at; what the ledger lacks is recorded, and what was approved and not done is done. */
  sync(): Promise<SyncOutcome> {
    return this.#record.run(async () => {
      const approval = this.#record.approvals.approvals.findLast(({ digest }) => this.#isHeld(digest));
      if (approval !== undefined) return this.#removePolicies(approval);
      return this.#record.outcome('unchanged', 'the source is no longer configured');
    });
  }

  /** Nothing is held once it has no policy. */
  holds(): readonly Hold[] {
    const leaving = this.#ports.active
      .documentsOf(this.name)
      .filter(({ stored }) => stored.role === 'Policy');
    if (leaving.length === 0) return [];
    const byName = new Map(leaving.map((document) => [namespacedName(document.stored), document]));
    const names = [...byName.keys()];
    const cause: HoldCause = {
      code: 'SourceChanged',
      message: `the source is no longer configured, and ${names.length} policies would leave`,
      items: names.toSorted(),
    };
    const digest = this.#ports.digest(JSON.stringify([this.name, 'retired', cause.items]));
    const commit = this.commit?.hash ?? '';
    this.#since ??= this.#ports.clock.now();
    const rejection = this.#rejectionOf(digest);
    const named = cause.items.slice(0, maximumEffectPolicies);
    const policies = named.map((name) => `${name} gone`);
    const changes = named.flatMap((name) => byName.get(name) ?? []).map(leavingPolicy);
    const effect = { added: 0, changed: 0, removed: names.length, policies, changes };
    const scope = { kind: 'Source' } as const;
    return [{ scope, causes: [cause], effect, digest, commit, since: this.#since, ...rejectedBy(rejection) }];
  }

  /** No commit brings that a source is removed. */
  participants({ digest }: Hold): Promise<Participants> {
    const rejection = this.#rejectionOf(digest);
    const rejecters = rejection === undefined ? [] : [requesterOf(rejection)];
    return Promise.resolve({
      commits: [],
      signers: [],
      areAuthorsKnown: true,
      isRetired: true,
      rejectedBy: rejecters,
    });
  }

  /** Its repository is not looked at any more. */
  loadLines(...[, places]: Parameters<Source['loadLines']>): Promise<readonly null[]> {
    return Promise.resolve(places.map(() => null));
  }

  /** All that can be decided is its one hold. */
  inTurn<T>(work: (turn: SourceTurn) => Promise<T>): Promise<T> {
    return this.#record.inTurn(() => work(this.#turn));
  }

  reject(digest: string, request: OperatorRequest): Promise<boolean> {
    return this.inTurn((turn) => turn.reject(digest, request));
  }

  /** Lets its policies leave, where the digest is that of its hold. */
  approve(digest: string, request: OperatorRequest): Promise<SyncOutcome | null> {
    return this.inTurn((turn) => turn.approve(digest, request));
  }

  release(): Promise<SyncOutcome> {
    return this.#refuse('a policy of it leaves once its hold is approved');
  }

  leave(): Promise<SyncOutcome> {
    return this.#refuse('its policies leave once its hold is approved');
  }

  resume(): Promise<SyncOutcome> {
    return this.#refuse('it has no ref to follow');
  }

  rollBack(): Promise<SyncOutcome> {
    return this.#refuse('it cannot be rolled back');
  }

  rehearseRollBack(): Promise<RollbackRehearsal> {
    return Promise.resolve(rehearsedRefusal('it cannot be rolled back'));
  }

  rehearseResume(): Promise<LookRehearsal> {
    return Promise.resolve({ ...rehearsedRefusal('it cannot be resumed'), commit: null });
  }

  rehearseSync(): Promise<LookRehearsal> {
    return Promise.resolve({ ...rehearsedRefusal('it cannot be looked at'), commit: null });
  }

  #isHeld(digest: string): boolean {
    return this.holds().some((hold) => hold.digest === digest);
  }

  #rejectionOf(digest: string): OperatorDecision | undefined {
    return this.#record.approvals.rejections.findLast((decision) => decision.digest === digest);
  }

  #decision(digest: string, request: OperatorRequest): OperatorDecision {
    return { digest, ...requesterOf(request), reason: request.reason, time: this.#ports.clock.now() };
  }

  async #removePolicies(request: OperatorRequest): Promise<SyncOutcome> {
    const { active, clock } = this.#ports;
    const { state, approvals } = this.#record;
    const { source, commit } = state;
    const message = `the source was removed; approved by ${request.by}: ${request.reason}`;
    const run: SyncRunPayload = { source, outcome: 'active', message, commit, diagnostics: [] };
    const ended = active
      .documentsOf(source)
      .map((document) => removedDocument(document, departureOf(document)));
    const operatorOf = operatorOfAll('ApproveHold', request);
    const steps = policyChanges({ source, commit, put: [], ended, operatorOf });
    await this.#record.commit({
      change: {
        // The same policies of a source of this name are to be approved again.
        state: { ...state, tenants: {}, judged: null, brakes: approvalsRecord(undecided(approvals)) },
        revision: null,
        put: [],
        end: ended.map(leavingDocument),
        time: clock.now(),
      },
      run,
      changes: await runInTimeSlices(steps, clock, 'sync: removing a source'),
      documents: [],
    });
    return this.#record.outcome('active', message);
  }

  #refuse(why: string): Promise<SyncOutcome> {
    const message = `the configuration no longer names ${this.name}: ${why}`;
    return Promise.reject(new AdapterError({ code: 'SourceRetired', message, retryable: false }));
  }
}

function undecided(approvals: Approvals): Approvals {
  return { ...approvals, approvals: [], rejections: [] };
}

/** A release by name ends with its source. */
const nothingReleased: ReadonlySet<string> = new Set();

/** As it is carried out once it is approved. */
function leavingPolicy(document: ActiveDocument): PolicyChange {
  const { namespace, name } = document.stored;
  const keepsHpa = departureOf(document) === 'Kept';
  return { before: { namespace, name }, after: null, fields: [], keepsHpa };
}

function departureOf(document: ActiveDocument): PolicyDeparture {
  return removalOf(document, 'SourceRemoved', nothingReleased);
}

function rehearsedRefusal(message: string): RollbackRehearsal {
  return { outcome: 'rejected', message, effect: { added: 0, changed: 0, removed: 0, policies: [] } };
}
