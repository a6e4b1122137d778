import type { LeaveTarget } from '#reconciliation';
import { identityKey, type PolicyDigests } from '#repository';
import {
  type Approvals,
  findHold,
  type OperatorDecision,
  type Release,
  requesterOf,
  withApproval,
  withoutPin,
  withRejection,
  withReleases,
  withReturn,
} from './holds/approvals.ts';
import { lastFollowed } from './holds/followed-revision.ts';
import type { ActiveDocument, ActivePolicySet } from './in-force/active-policy-set.ts';
import type { SyncOutcome } from './ports/sync-outcome.ts';
import { rehearseRollBack, rollBack, type RollbackRequest } from './roll-back/roll-back.ts';
import type { SyncPorts } from './setup/sync-ports.ts';
import type { LookRehearsal, OperatorRequest, RollbackRehearsal, SourceTurn } from './source/source.ts';
import type { SaveSource, SourceRecord } from './source/source-record.ts';
import type { SourceSync } from './source-sync.ts';

interface OperatorTurnOptions {
  readonly ports: SyncPorts;
  readonly record: SourceRecord;
  readonly sync: Pick<SourceSync, 'look' | 'noteRejection' | 'noteRollback' | 'rehearse'>;
  readonly digests: PolicyDigests;
  /** Of the configuration in force. */
  readonly managed: () => RollbackRequest['managed'];
}

/** What operators do to a source that the configuration names; all of it inside the record's queue. */
export class OperatorTurn implements SourceTurn {
  readonly #options: OperatorTurnOptions;

  constructor(options: OperatorTurnOptions) {
    this.#options = options;
  }

  async approve(digest: string, request: OperatorRequest, save?: SaveSource): Promise<SyncOutcome | null> {
    const { record, sync } = this.#options;
    const { approvals } = record;
    const hold = findHold(approvals, digest);
    if (hold === undefined) return null;
    if (hold.causes.some(({ code }) => code === 'RolledBack'))
      return record.outcome('held', 'a rollback ends when the source is resumed');
    const { rollbackHolds, pin } = approvals;
    const isOfRollback = rollbackHolds.some((known) => known.digest === digest);
    const requestedRollback = isOfRollback ? pin : approvals.requestedRollback;
    const decision = this.#decision(digest, request);
    await record.changeApprovals(
      (before) => ({ ...withApproval(before, decision), requestedRollback }),
      save,
    );
    return (isOfRollback ? await this.carryOn() : null) ?? sync.look();
  }

  async reject(digest: string, request: OperatorRequest, save?: SaveSource): Promise<boolean> {
    const { record, sync } = this.#options;
    const hold = findHold(record.approvals, digest);
    if (hold === undefined) return false;
    const decision = this.#decision(digest, request);
    await record.changeApprovals((approvals) => withRejection(approvals, decision), save);
    sync.noteRejection(hold);
    return true;
  }

  async release(policy: string, request: OperatorRequest, save?: SaveSource): Promise<SyncOutcome> {
    const { record, sync } = this.#options;
    const inForce = policiesInForce(this.#options.ports.active, record.state.source).get(policy);
    const release = {
      policy,
      ...request,
      time: this.#options.ports.clock.now(),
      ...this.#inForceAs(inForce),
    };
    await record.changeApprovals((approvals) => withReleases(approvals, [release]), save);
    return sync.look();
  }

  async leave(to: LeaveTarget, request: OperatorRequest, save?: SaveSource): Promise<SyncOutcome> {
    const { record, sync, ports } = this.#options;
    const time = ports.clock.now();
    const released = [...policiesInForce(ports.active, record.state.source)].map(([policy, document]) => ({
      ...{ policy, ...request, time, leavesTo: to },
      ...this.#inForceAs(document),
    }));
    await record.changeApprovals((approvals) => withReleases(approvals, released), save);
    return sync.look();
  }

  async resume(
    request: OperatorRequest & { readonly policy?: string },
    save?: SaveSource,
  ): Promise<SyncOutcome> {
    const { record, sync, ports } = this.#options;
    const resumption = { ...request, time: ports.clock.now() };
    await record.changeApprovals((approvals) => resumed(approvals, resumption), save);
    return sync.look();
  }

  rehearseResume(request: OperatorRequest & { readonly policy?: string }): Promise<LookRehearsal> {
    const { record, sync, ports } = this.#options;
    return sync.rehearse(resumed(record.approvals, { ...request, time: ports.clock.now() }));
  }

  rehearseSync(): Promise<LookRehearsal> {
    const { record, sync } = this.#options;
    return sync.rehearse(record.approvals);
  }

  rehearseRollBack(commit: string, request: OperatorRequest): Promise<RollbackRehearsal> {
    return rehearseRollBack(this.#rollbackTo(commit, request));
  }

  async rollBack(commit: string, request: OperatorRequest, save?: SaveSource): Promise<SyncOutcome> {
    const { record, sync, ports } = this.#options;
    const { reason } = request;
    await record.requestRollback({ ...requesterOf(request), reason, commit, time: ports.clock.now() }, save);
    return (await this.carryOn()) ?? sync.look();
  }

  /** Carries out the rollback that is recorded, and that an end of the process or a failure has kept; null: there is none. */
  async carryOn(): Promise<SyncOutcome | null> {
    const { record, sync } = this.#options;
    const { requestedRollback } = record.approvals;
    if (requestedRollback === null) return null;
    const { commit, ...request } = requestedRollback;
    const outcome = await record.attempt(() => rollBack(this.#rollbackTo(commit, request)));
    if (changesSource(outcome)) sync.noteRollback(outcome);
    if (record.approvals.requestedRollback === null) return outcome;
    return {
      ...outcome,
      message: `${outcome.message}; the rollback is recorded, and the next look carries it out`,
    };
  }

  #rollbackTo(commit: string, request: OperatorRequest): RollbackRequest {
    const { ports, record, digests, managed } = this.#options;
    return { ports, record, digests, managed: managed(), commit, request };
  }

  /** Where a policy is in force, and the commits after which its document may change. */
  #inForceAs(document: ActiveDocument | undefined): Pick<Release, 'tenant' | 'since'> {
    const { state, approvals } = this.#options.record;
    const { commit, tenants } = lastFollowed(state, approvals);
    const tenant = document?.source.tenant;
    const own = tenant === undefined ? undefined : tenants[tenant];
    if (tenant !== undefined && own !== undefined) return { tenant, since: [own] };
    return { since: [...(commit === null ? [] : [commit.hash]), ...Object.values(tenants)] };
  }

  #decision(digest: string, request: OperatorRequest): OperatorDecision {
    const time = this.#options.ports.clock.now();
    return { digest, ...requesterOf(request), reason: request.reason, time };
  }
}

/** A rollback that is refused, or fails, leaves the source as its latest look found it. */
function changesSource({ result }: SyncOutcome): boolean {
  return result !== 'rejected' && result !== 'failed';
}

/** The policies that a source has in force, by their names (`shop/checkout`). */
export function policiesInForce(
  active: Pick<ActivePolicySet, 'documentsOf'>,
  source: string,
): ReadonlyMap<string, ActiveDocument> {
  return new Map(
    active
      .documentsOf(source)
      .flatMap((document) =>
        document.source.role === 'Policy' ? [[identityKey(document.source), document]] : [],
      ),
  );
}

/** Without its rollback, or with a policy whose release is taken back. */
function resumed(
  approvals: Approvals,
  { policy, ...by }: OperatorRequest & { readonly policy?: string; readonly time: string },
): Approvals {
  return policy === undefined ? withoutPin(approvals, by) : withReturn(approvals, policy, by);
}
