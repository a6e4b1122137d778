import type { Hold, LookRehearsal, OperatorRequest, SyncOutcome } from '#git-sync';
import type { LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { HoldEffect } from '#repository';
import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import { isOfDatabase } from '../../database/database-away.ts';
import type { SourceOperations, SourceView } from '../../git-sync/source-operations.ts';
import type { ActionGate } from '../access/action-gate.ts';
import { requireRole } from '../access/require-role.ts';
import type { ChangeEffects } from '../effects/change-effects.ts';
import {
  approvalEffect,
  type KnownEffects,
  rehearsedEffect,
  rejectionEffect,
  releaseEffect,
  resumeEffect,
  rollbackEffect,
  type SourceEffect,
  syncEffect,
} from '../effects/source-effects.ts';
import type { Answer } from '../requests/action-effect.ts';
import { QueryError } from '../requests/query-error.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import type { EarlierActions } from './earlier-actions.ts';
import type { FourEyes } from './four-eyes.ts';
import {
  type ActionRequest,
  type Rehearsing,
  type Run,
  type SourceAction,
  SourceTurns,
} from './source-turns.ts';

interface HoldRequest extends ActionRequest {
  readonly digest: string;
}

type HeldAt = Pick<HoldRequest, 'source' | 'digest'>;

/** A hold that was decided. */
export interface DecidedHold {
  readonly source: string;
  readonly digest: string;
}

/**
 * What people do to sources through the admin API. That a caller has the role anywhere is checked before, where the
 * operation stands; that it has it in the namespaces that the action is about, here. Each action is an `OperatorAction`
 * entry, refusals included; it is recorded in one transaction with what it decides, so that nothing happens that the ledger
 * does not know of, and checked, recorded and carried out in one turn of its source, so that what is recorded as accepted is
 * done: the second of two sees what the first did.
 */
export class AdminActions {
  readonly #sources: SourceOperations;
  readonly #access: SourceAccess;
  readonly #fourEyes: FourEyes;
  readonly #turns: SourceTurns;
  readonly #earlier: EarlierActions;
  readonly #changes: Pick<ChangeEffects, 'of' | 'standingFor'>;

  constructor(ports: {
    readonly sources: SourceOperations;
    readonly access: SourceAccess;
    readonly fourEyes: FourEyes;
    readonly writer: LedgerWriter;
    readonly gate: ActionGate;
    readonly clock: ClockPort;
    readonly earlier: EarlierActions;
    readonly changes: Pick<ChangeEffects, 'of' | 'standingFor'>;
  }) {
    this.#sources = ports.sources;
    this.#access = ports.access;
    this.#fourEyes = ports.fourEyes;
    this.#turns = new SourceTurns(ports);
    this.#earlier = ports.earlier;
    this.#changes = ports.changes;
  }

  /** Looks at a source now. It takes no turn: it decides nothing, and such calls share the next look. */
  async sync(request: ActionRequest): Promise<Answer<SyncOutcome>> {
    const { source } = request;
    const require = (caller: Principal): SourceEffect => {
      this.#access.requireRole({ caller, role: 'operator', source });
      return syncEffect(this.#access.find(caller, source));
    };
    const rehearse = async (turn: Rehearsing): Promise<SourceEffect> => {
      const view = this.#access.find(request.principal, source);
      return this.#rehearsed(request, await turn.rehearseSync(), syncEffect(view));
    };
    const named = { name: 'SyncSource', role: 'operator', details: {}, needsReason: false } as const;
    const answer = await this.#turns.carryOutAtOnce({ ...named, request, require, rehearse }, () =>
      this.#sources.sync(source),
    );
    return this.#visible(request.principal, answer);
  }

  /** Approves exactly one hold. Never by a participant. */
  approve(request: HoldRequest): Promise<Answer<SyncOutcome>> {
    const { source, digest } = request;
    const require = async (principal: Principal): Promise<SourceEffect> => {
      const hold = await this.#requireApprovable(principal, request);
      return approvalEffect(this.#access.find(principal, source), hold, this.#known(source, hold.effect));
    };
    return this.#look(
      { name: 'ApproveHold', role: 'approver', request, details: { digest }, require },
      async (turn, { by, save }) => (await turn.approve(digest, by, save)) ?? this.#refuseGone(request),
    );
  }

  /** Why a caller may not approve a hold; null: it may. Nothing is recorded. */
  async whyNotApprove(
    request: Pick<HoldRequest, 'principal' | 'source' | 'digest'>,
  ): Promise<QueryError | null> {
    try {
      await this.#requireApprovable(request.principal, request);
      return null;
    } catch (error) {
      if (error instanceof QueryError) return error;
      if (isOfDatabase(error)) return new QueryError('DatabaseUnavailable', participantsUnknown);
      throw error;
    }
  }

  /** Rejects one hold: what is in force stays. */
  reject(request: HoldRequest): Promise<Answer<DecidedHold>> {
    const { source, digest } = request;
    const require = async (principal: Principal): Promise<SourceEffect> =>
      rejectionEffect(source, await this.#requireHold(principal, request));
    return this.#turns.carryOut(
      { name: 'RejectHold', role: 'approver', request, details: { digest }, require },
      async (turn, { by, save }) => {
        if (!(await turn.reject(digest, by, save))) await this.#refuseGone(request);
        return { source, digest };
      },
    );
  }

  /** Takes a policy out of force, its HPA and count kept. */
  release(request: ActionRequest & { readonly policy: string }): Promise<Answer<SyncOutcome>> {
    const { source, policy } = request;
    const require = async (principal: Principal): Promise<SourceEffect> => {
      requireConfigured(this.#access.find(principal, source));
      await this.#requirePolicy(principal, source, policy);
      return releaseEffect(policy);
    };
    return this.#look(
      { name: 'ReleasePolicy', role: 'approver', request, details: { policy }, require },
      (turn, { by, save }) => turn.release(policy, by, save),
    );
  }

  /** Puts an earlier revision in force, and holds the source there. */
  rollBack(request: ActionRequest & { readonly commit: string }): Promise<Answer<SyncOutcome>> {
    const { source, commit } = request;
    const require = async (principal: Principal): Promise<SourceEffect> => {
      requireConfigured(this.#access.find(principal, source));
      await this.#requireRevision(principal, source, commit);
      return noEffect;
    };
    const rehearse = async (turn: Rehearsing, by: OperatorRequest): Promise<SourceEffect> => {
      const rehearsal = await turn.rehearseRollBack(commit, by);
      return rollbackEffect({ source, commit }, rehearsal, this.#known(source, rehearsal.effect));
    };
    return this.#look(
      { name: 'RollBackSource', role: 'operator', request, details: { commit }, require, rehearse },
      (turn, { by, save }) => turn.rollBack(commit, by, save),
    );
  }

  /** Lets a source follow its ref again, or a released policy come back. */
  resume(request: ActionRequest & { readonly policy?: string | undefined }): Promise<Answer<SyncOutcome>> {
    const { source, policy } = request;
    const details = policy === undefined ? {} : { policy };
    const require = async (caller: Principal): Promise<SourceEffect> => {
      if (policy === undefined) this.#access.requireRole({ caller, role: 'approver', source });
      const view = this.#access.find(caller, source);
      await this.#requireResumable(caller, view, policy);
      if (policy !== undefined) requireRole(caller, 'approver', namespaceOf(policy));
      return resumeEffect(view, policy);
    };
    const action = { name: 'ResumeSource', role: 'approver', request, details, require } as const;
    // What is not looked at is not fetched twice.
    const isLookedAt = request.dryRun === true || (request.confirm ?? null) !== null;
    return this.#look(
      isLookedAt ? { ...action, rehearse: (turn, by) => this.#rehearseResume(request, turn, by) } : action,
      (turn, { by, save }) => turn.resume({ ...by, ...details }, save),
    );
  }

  /** A commit may be about namespaces that its source was not about: those are for who may see them. */
  async #rehearseResume(
    request: ActionRequest & { readonly policy?: string | undefined },
    turn: Rehearsing,
    by: OperatorRequest,
  ): Promise<SourceEffect> {
    const { principal, source, policy } = request;
    const rehearsal = await turn.rehearseResume({ ...by, ...(policy === undefined ? {} : { policy }) });
    return this.#rehearsed(request, rehearsal, resumeEffect(this.#access.find(principal, source), policy));
  }

  #rehearsed(
    { principal, source }: ActionRequest,
    rehearsal: LookRehearsal,
    plain: SourceEffect,
  ): SourceEffect {
    const { effect } = rehearsal;
    const isVisible =
      this.#access.isWholeVisible(principal, source) && this.#access.mayViewEffect(principal, effect);
    return isVisible ? rehearsedEffect(plain, rehearsal, this.#known(source, effect)) : plain;
  }

  #known(source: string, effect: HoldEffect | undefined): KnownEffects {
    return { effects: this.#changes.of(source, effect), standing: this.#changes.standingFor(effect) };
  }

  async #look(action: SourceAction, run: Run<SyncOutcome>): Promise<Answer<SyncOutcome>> {
    return this.#visible(action.request.principal, await this.#turns.carryOut(action, run));
  }

  #visible(caller: Principal, { result, effect }: Answer<SyncOutcome>): Answer<SyncOutcome> {
    return { result: result === null ? null : this.#access.visibleOutcome(caller, result), effect };
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

  /** @throws QueryError where the caller may not approve the hold, or nobody may */
  async #requireApprovable(caller: Principal, request: HeldAt): Promise<Hold> {
    const hold = await this.#requireHold(caller, request);
    if (hold.causes.some(({ code }) => code === 'RolledBack')) {
      const message = `${request.source} is rolled back, and holds this until it is resumed`;
      throw new QueryError('RolledBack', message);
    }
    await this.#fourEyes.check(caller, request.source, hold);
    return hold;
  }

  /** A hold that left after it was checked. @throws QueryError */
  async #refuseGone(request: HoldRequest): Promise<never> {
    await this.#requireHold(request.principal, request);
    throw new QueryError('UnknownHold', `${request.source} has no hold ${request.digest} any more`);
  }

  /** Of a hold that is gone the refusal says who decided it. */
  async #requireHold(caller: Principal, { source, digest }: HeldAt): Promise<Hold> {
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
}

const participantsUnknown =
  'who took part in it is recorded in the database, which does not answer: nobody may approve it until it does';

/** What is told by a rehearsal is not told before. */
const noEffect: SourceEffect = { summary: '', changes: [], total: 0, effects: [], standing: [] };

/** @throws QueryError where all that can be decided is whether the source's policies leave */
function requireConfigured({ name, isRetired }: SourceView): void {
  if (!isRetired) return;
  const message = `the configuration no longer names ${name}: its policies leave once its hold is approved`;
  throw new QueryError('UnknownSource', message);
}

function namespaceOf(policy: string): string {
  return policy.slice(0, policy.indexOf('/'));
}
