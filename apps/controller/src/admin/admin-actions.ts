import type { Hold, OperatorRequest, Requester, SyncOutcome } from '#git-sync';
import type { JsonObject } from '#kernel';
import type { LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { mayAct, ownerOf, type Principal, type Role } from '../auth/principal.ts';
import { type ActionEffect, type Answer, recordedEffect, type Rehearsable } from './action-effect.ts';
import { type ActionGate, type AdmittedAction, refuseAtEnd } from './action-gate.ts';
import type { EarlierActions } from './earlier-actions.ts';
import type { FourEyes } from './four-eyes.ts';
import { QueryError } from './query-error.ts';
import { recordAccepted } from './record-accepted.ts';
import type { OperatorActionName } from './refusal-recorder.ts';
import { requireConfirmation } from './require-rights.ts';
import { requireRole } from './require-role.ts';
import type { SourceAccess } from './source-access.ts';
import {
  approvalEffect,
  rejectionEffect,
  releaseEffect,
  resumeEffect,
  rollbackEffect,
  sourceActionEffect,
  type SourceEffect,
  syncEffect,
} from './source-effects.ts';
import type { SourceOperations, SourceView } from './source-operations.ts';

/** Who asks, and for what. */
export interface ActionRequest extends Rehearsable {
  readonly principal: Principal;
  readonly source: string;
  /** Mandatory for everything but a sync and a dry run. */
  readonly reason?: string | null | undefined;
}

interface HoldRequest extends ActionRequest {
  readonly digest: string;
}

/** A hold that was decided. */
export interface DecidedHold {
  readonly source: string;
  readonly digest: string;
}

interface Action {
  readonly name: OperatorActionName;
  readonly role: Role;
  readonly request: ActionRequest;
  readonly details: JsonObject;
  /** True by default. */
  readonly needsReason?: boolean;
  /** @throws QueryError where the action is refused. */
  readonly check: (principal: Principal) => Promise<SourceEffect> | SourceEffect;
}

/**
 * What people do to sources through the admin API. That a caller has the role anywhere is checked before, where the
 * operation stands; that it has it in the namespaces that the action is about, here. Each action is an `OperatorAction` entry, refusals included; it is recorded before it is carried out, so that nothing happens that the
 * ledger does not know of.
 */
export class AdminActions {
  readonly #sources: SourceOperations;
  readonly #access: SourceAccess;
  readonly #fourEyes: FourEyes;
  readonly #writer: LedgerWriter;
  readonly #gate: ActionGate;
  readonly #clock: ClockPort;
  readonly #earlier: EarlierActions;

  constructor(ports: {
    readonly sources: SourceOperations;
    readonly access: SourceAccess;
    readonly fourEyes: FourEyes;
    readonly writer: LedgerWriter;
    readonly gate: ActionGate;
    readonly clock: ClockPort;
    readonly earlier: EarlierActions;
  }) {
    this.#sources = ports.sources;
    this.#access = ports.access;
    this.#fourEyes = ports.fourEyes;
    this.#writer = ports.writer;
    this.#gate = ports.gate;
    this.#clock = ports.clock;
    this.#earlier = ports.earlier;
  }

  /** Looks at a source now. */
  sync(request: ActionRequest): Promise<Answer<SyncOutcome>> {
    const { source } = request;
    const check = (caller: Principal): SourceEffect => {
      this.#access.requireRole({ caller, role: 'operator', source });
      return syncEffect(this.#access.find(caller, source));
    };
    const action = { name: 'SyncSource', role: 'operator', details: {}, needsReason: false } as const;
    return this.#look({ ...action, request, check }, () => this.#sources.sync(source));
  }

  /** Approves exactly one hold. Never by a participant. */
  approve(request: HoldRequest): Promise<Answer<SyncOutcome>> {
    const { source, digest } = request;
    const check = async (principal: Principal): Promise<SourceEffect> => {
      const hold = await this.#requireHold(principal, request);
      await this.#fourEyes.check(principal, source, hold);
      return approvalEffect(source, hold);
    };
    return this.#look({ name: 'ApproveHold', role: 'approver', request, details: { digest }, check }, (by) =>
      this.#sources.approve(source, digest, by),
    );
  }

  /** Why a caller may not approve a hold; null: it may. Nothing is recorded. */
  async whyNotApprove(
    request: Pick<HoldRequest, 'principal' | 'source' | 'digest'>,
  ): Promise<QueryError | null> {
    try {
      const hold = await this.#requireHold(request.principal, request);
      await this.#fourEyes.check(request.principal, request.source, hold);
      return null;
    } catch (error) {
      if (error instanceof QueryError) return error;
      throw error;
    }
  }

  /** Rejects one hold: what is in force stays. */
  reject(request: HoldRequest): Promise<Answer<DecidedHold>> {
    const { source, digest } = request;
    const check = async (principal: Principal): Promise<SourceEffect> =>
      rejectionEffect(source, await this.#requireHold(principal, request));
    return this.#carryOut(
      { name: 'RejectHold', role: 'approver', request, details: { digest }, check },
      async (by) => {
        await this.#sources.reject(source, digest, by);
        return { source, digest };
      },
    );
  }

  /** Takes a policy out of force, its HPA and count kept. */
  release(request: ActionRequest & { readonly policy: string }): Promise<Answer<SyncOutcome>> {
    const { source, policy } = request;
    const check = async (principal: Principal): Promise<SourceEffect> => {
      this.#access.find(principal, source);
      await this.#requirePolicy(principal, source, policy);
      return releaseEffect(policy);
    };
    return this.#look(
      { name: 'ReleasePolicy', role: 'approver', request, details: { policy }, check },
      (by) => this.#sources.release(source, policy, by),
    );
  }

  /** Puts an earlier revision in force, and holds the source there. */
  rollBack(request: ActionRequest & { readonly commit: string }): Promise<Answer<SyncOutcome>> {
    const { source, commit } = request;
    const check = async (principal: Principal): Promise<SourceEffect> => {
      await this.#requireRevision(principal, source, commit);
      const by = { ...requesterOf(principal), reason: request.reason ?? '' };
      return rollbackEffect(source, commit, await this.#sources.rehearseRollBack(source, commit, by));
    };
    return this.#look(
      { name: 'RollBackSource', role: 'operator', request, details: { commit }, check },
      (by) => this.#sources.rollBack(source, commit, by),
    );
  }

  /** Lets a source follow its ref again, or a released policy come back. */
  resume(request: ActionRequest & { readonly policy?: string | undefined }): Promise<Answer<SyncOutcome>> {
    const { source, policy } = request;
    const details = policy === undefined ? {} : { policy };
    const check = async (caller: Principal): Promise<SourceEffect> => {
      if (policy === undefined) this.#access.requireRole({ caller, role: 'approver', source });
      const view = this.#access.find(caller, source);
      await this.#requireResumable(caller, view, policy);
      if (policy !== undefined) requireRole(caller, 'approver', namespaceOf(policy));
      return resumeEffect(view, policy);
    };
    return this.#look({ name: 'ResumeSource', role: 'approver', request, details, check }, (by) =>
      this.#sources.resume(source, { ...by, ...details }),
    );
  }

  async #look(
    action: Action,
    run: (by: OperatorRequest) => Promise<SyncOutcome>,
  ): Promise<Answer<SyncOutcome>> {
    const { result, effect } = await this.#carryOut(action, run);
    if (result === null) return { result, effect };
    return { result: this.#access.visibleOutcome(action.request.principal, result), effect };
  }

  /** Checked, then recorded, then carried out; what is refused is recorded with the reason of the refusal. */
  async #carryOut<T>(action: Action, run: (by: OperatorRequest) => Promise<T>): Promise<Answer<T>> {
    const { name, request, details, needsReason = true, check } = action;
    const isRehearsal = request.dryRun === true;
    const asked = { source: request.source, ...details };
    const admitted = await this.#gate.admit({
      name,
      principal: request.principal,
      arguments: asked,
      reason: needsReason ? (request.reason ?? undefined) : null,
      isRehearsal,
      check: async (caller) => {
        const effect = sourceActionEffect(action, await check(caller), asked);
        if (!isRehearsal) requireConfirmation(effect, request.confirm ?? null);
        return effect;
      },
    });
    const effect = admitted.checked;
    if (isRehearsal) return { result: null, effect };
    await this.#recordAccepted(action, admitted);
    const by = { ...requesterOf(admitted.principal), reason: admitted.reason };
    return { result: await run(by).catch(refuseAtEnd), effect };
  }

  async #requirePolicy(caller: Principal, source: string, policy: string): Promise<void> {
    const isVisible = mayAct(caller, 'viewer', namespaceOf(policy));
    if (!isVisible || !this.#sources.hasPolicy(source, policy)) {
      const sentence = `${source} has no policy ${policy} in force`;
      const query = { actions: ['ReleasePolicy'], arguments: { source, policy } };
      throw new QueryError('UnknownPolicy', await this.#earlier.describe(caller, sentence, query));
    }
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

  /** Of a hold that is gone the refusal says who decided it. */
  async #requireHold(caller: Principal, { source, digest }: HoldRequest): Promise<Hold> {
    try {
      const hold = this.#access.findHold(caller, source, digest);
      this.#access.requireHoldRole(caller, 'approver', { source, hold });
      return hold;
    } catch (error) {
      if (!(error instanceof QueryError) || error.code !== 'UnknownHold') throw error;
      const query = { actions: ['ApproveHold', 'RejectHold'], arguments: { source, digest } };
      throw new QueryError('UnknownHold', await this.#earlier.describe(caller, error.message, query));
    }
  }

  async #requireResumable(
    caller: Principal,
    { name, pin, released }: SourceView,
    policy: string | undefined,
  ): Promise<void> {
    const query = { actions: ['ResumeSource'], arguments: { source: name, policy: policy ?? null } };
    if (policy === undefined && pin === null) {
      const sentence = `${name} is not rolled back: it follows its ref`;
      throw new QueryError('NotRolledBack', await this.#earlier.describe(caller, sentence, query));
    }
    if (policy !== undefined && !released.some((release) => release.policy === policy)) {
      const sentence = `${policy} of ${name} is not released`;
      throw new QueryError('NotReleased', await this.#earlier.describe(caller, sentence, query));
    }
  }

  async #recordAccepted(
    { name, request, details }: Action,
    { principal, reason, checked }: AdmittedAction<ActionEffect>,
  ): Promise<void> {
    await recordAccepted(
      { writer: this.#writer, clock: this.#clock },
      {
        actor: principal.name,
        action: name,
        reason: reason === '' ? null : reason,
        arguments: { source: request.source, ...details },
        effect: recordedEffect(checked),
      },
    );
  }
}

function namespaceOf(policy: string): string {
  return policy.slice(0, policy.indexOf('/'));
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
