import {
  type Approver,
  type Hold,
  mayApprove,
  type OperatorRequest,
  type Participants,
  type Requester,
  type SyncOutcome,
} from '#git-sync';
import type { JsonObject } from '#kernel';
import type { LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { mayAct, ownerOf, type Principal } from '../auth/principal.ts';
import { type ActionGate, type AdmittedAction, refuseAtEnd } from './action-gate.ts';
import type { PullRequestLookup } from './pull-request-lookup.ts';
import { QueryError } from './query-error.ts';
import { recordAccepted } from './record-accepted.ts';
import type { OperatorActionName } from './refusal-recorder.ts';
import { requireRole } from './require-role.ts';
import type { SourceAccess } from './source-access.ts';
import type { SourceOperations, SourceView } from './source-operations.ts';

/** Who asks, and for what. */
export interface ActionRequest {
  readonly principal: Principal;
  readonly source: string;
  /** Mandatory for everything but a sync. */
  readonly reason?: string;
}

interface HoldRequest extends ActionRequest {
  readonly digest: string;
}

interface Action {
  readonly name: OperatorActionName;
  readonly request: ActionRequest;
  readonly details: JsonObject;
  /** True by default. */
  readonly needsReason?: boolean;
  /** @throws QueryError where the action is refused. */
  readonly check: (principal: Principal) => Promise<void> | void;
}

/**
 * What people do to sources through the admin API. That a caller has the role anywhere is checked before, where the
 * operation stands; that it has it in the namespaces that the action is about, here. Each action is an `OperatorAction` entry, refusals included; it is recorded before it is carried out, so that nothing happens that the
 * ledger does not know of.
 */
export class AdminActions {
  readonly #sources: SourceOperations;
  readonly #access: SourceAccess;
  readonly #pullRequests: Pick<PullRequestLookup, 'find'>;
  readonly #writer: LedgerWriter;
  readonly #gate: ActionGate;
  readonly #clock: ClockPort;

  constructor(ports: {
    readonly sources: SourceOperations;
    readonly access: SourceAccess;
    readonly pullRequests: Pick<PullRequestLookup, 'find'>;
    readonly writer: LedgerWriter;
    readonly gate: ActionGate;
    readonly clock: ClockPort;
  }) {
    this.#sources = ports.sources;
    this.#access = ports.access;
    this.#pullRequests = ports.pullRequests;
    this.#writer = ports.writer;
    this.#gate = ports.gate;
    this.#clock = ports.clock;
  }

  /** Looks at a source now. */
  sync(request: ActionRequest): Promise<SyncOutcome> {
    const check = (caller: Principal): void =>
      this.#access.requireRole({ caller, role: 'operator', source: request.source });
    const action: Action = { name: 'SyncSource', request, details: {}, needsReason: false, check };
    return this.#look(action, () => this.#sources.sync(request.source));
  }

  /** Approves exactly one hold. Never by a participant. */
  approve(request: HoldRequest): Promise<SyncOutcome> {
    const { source, digest } = request;
    const details = { digest };
    const check = async (principal: Principal): Promise<void> => {
      const hold = this.#requireHold(principal, request);
      await this.#refuseParticipants(principal, request, hold);
    };
    return this.#look({ name: 'ApproveHold', request, details, check }, (by) =>
      this.#sources.approve(source, digest, by),
    );
  }

  /** Why a caller may not approve a hold; null: it may. Nothing is recorded. */
  async whyNotApprove(
    request: Pick<HoldRequest, 'principal' | 'source' | 'digest'>,
  ): Promise<QueryError | null> {
    try {
      const hold = this.#requireHold(request.principal, request);
      await this.#refuseParticipants(request.principal, request, hold);
      return null;
    } catch (error) {
      if (error instanceof QueryError) return error;
      throw error;
    }
  }

  /** Rejects one hold: what is in force stays. */
  reject(request: HoldRequest): Promise<void> {
    const { source, digest } = request;
    const check = (principal: Principal): void => void this.#requireHold(principal, request);
    return this.#carryOut({ name: 'RejectHold', request, details: { digest }, check }, (by) =>
      this.#sources.reject(source, digest, by),
    );
  }

  /** Takes a policy out of force, its HPA and count kept. */
  release(request: ActionRequest & { readonly policy: string }): Promise<SyncOutcome> {
    const { source, policy } = request;
    const check = (principal: Principal): void => {
      this.#access.find(principal, source);
      this.#requirePolicy(principal, source, policy);
    };
    return this.#look({ name: 'ReleasePolicy', request, details: { policy }, check }, (by) =>
      this.#sources.release(source, policy, by),
    );
  }

  /** Puts an earlier revision in force, and holds the source there. */
  rollBack(request: ActionRequest & { readonly commit: string }): Promise<SyncOutcome> {
    const { source, commit } = request;
    const check = (principal: Principal): Promise<void> => this.#requireRevision(principal, source, commit);
    return this.#look({ name: 'RollBackSource', request, details: { commit }, check }, (by) =>
      this.#sources.rollBack(source, commit, by),
    );
  }

  /** Lets a source follow its ref again, or a released policy come back. */
  resume(request: ActionRequest & { readonly policy?: string }): Promise<SyncOutcome> {
    const { source, policy } = request;
    const details = policy === undefined ? {} : { policy };
    const check = (caller: Principal): void => {
      if (policy === undefined) this.#access.requireRole({ caller, role: 'approver', source });
      requireResumable(this.#access.find(caller, source), policy);
      if (policy !== undefined) requireRole(caller, 'approver', namespaceOf(policy));
    };
    return this.#look({ name: 'ResumeSource', request, details, check }, (by) =>
      this.#sources.resume(source, { ...by, ...details }),
    );
  }

  async #look(action: Action, run: (by: OperatorRequest) => Promise<SyncOutcome>): Promise<SyncOutcome> {
    return this.#access.visibleOutcome(action.request.principal, await this.#carryOut(action, run));
  }

  /** Checked, then recorded, then carried out; what is refused is recorded with the reason of the refusal. */
  async #carryOut<T>(action: Action, run: (by: OperatorRequest) => Promise<T>): Promise<T> {
    const { name, request, details, needsReason = true, check } = action;
    const admitted = await this.#gate.admit({
      name,
      principal: request.principal,
      arguments: { source: request.source, ...details },
      reason: needsReason ? request.reason : null,
      check,
    });
    await this.#recordAccepted(action, admitted);
    return run({ ...requesterOf(admitted.principal), reason: admitted.reason }).catch(refuseAtEnd);
  }

  #requirePolicy(caller: Principal, source: string, policy: string): void {
    const isVisible = mayAct(caller, 'viewer', namespaceOf(policy));
    if (!isVisible || !this.#sources.hasPolicy(source, policy))
      throw new QueryError('UnknownPolicy', `${source} has no policy ${policy} in force`);
    requireRole(caller, 'approver', namespaceOf(policy));
  }

  /** What was in force with a revision comes back, also in namespaces that nothing of the source lives in now. */
  async #requireRevision(caller: Principal, source: string, commit: string): Promise<void> {
    this.#access.requireRole({ caller, role: 'operator', source });
    const further = await this.#sources.namespacesAt(source, commit);
    if (further !== null) {
      this.#access.requireRole({ caller, role: 'operator', source, further });
      return;
    }
    const message = `${source} was never at ${commit} as a whole; its revisions that are active are what it can go back to`;
    throw new QueryError('UnknownRevision', message);
  }

  #requireHold(caller: Principal, { source, digest }: HoldRequest): Hold {
    const hold = this.#access.findHold(caller, source, digest);
    this.#access.requireHoldRole(caller, 'approver', { source, hold });
    return hold;
  }

  async #refuseParticipants(principal: Principal, { source }: HoldRequest, hold: Hold): Promise<void> {
    const { unknownApprovers } = this.#access.find(principal, source);
    const participants = await this.#sources.participants(source, hold);
    for (const pullRequestAuthor of await this.#pullRequestAuthors(participants)) {
      const involved = { ...participants, ...(pullRequestAuthor === null ? {} : { pullRequestAuthor }) };
      const right = mayApprove(approverOf(principal), involved, unknownApprovers);
      if (!right.isAllowed) throw new QueryError(right.code, right.message);
    }
  }

  /** Those that a forge named; null stands for "besides them", so that there is always one to look at. */
  async #pullRequestAuthors({ commits }: Participants): Promise<ReadonlySet<string | null>> {
    const found = await Promise.all(commits.map(({ hash }) => this.#pullRequests.find(hash)));
    return new Set([null, ...found.map((pullRequest) => pullRequest?.author ?? null)]);
  }

  async #recordAccepted(
    { name, request, details }: Action,
    { principal, reason }: AdmittedAction,
  ): Promise<void> {
    await recordAccepted(
      { writer: this.#writer, clock: this.#clock },
      {
        actor: principal.name,
        action: name,
        reason: reason === '' ? null : reason,
        arguments: { source: request.source, ...details },
      },
    );
  }
}

function namespaceOf(policy: string): string {
  return policy.slice(0, policy.indexOf('/'));
}

function requireResumable({ name, pin, released }: SourceView, policy: string | undefined): void {
  if (policy === undefined && pin === null)
    throw new QueryError('NotRolledBack', `${name} is not rolled back: it follows its ref`);
  if (policy !== undefined && !released.some((release) => release.policy === policy))
    throw new QueryError('NotReleased', `${policy} of ${name} is not released`);
}

/** The person, whichever of its tokens it comes with. */
function requesterOf(principal: Principal): Requester {
  const { email, forgeLogin } = principal;
  return {
    by: ownerOf(principal),
    ...(email === undefined ? {} : { email }),
    ...(forgeLogin === undefined ? {} : { forgeLogin }),
  };
}

function approverOf(principal: Principal): Approver {
  const { email, forgeLogin } = principal;
  return {
    name: ownerOf(principal),
    ...(email === undefined ? {} : { email }),
    ...(forgeLogin === undefined ? {} : { forgeLogin }),
  };
}
