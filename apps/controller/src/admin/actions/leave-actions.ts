import type { OperatorRequest } from '#git-sync';
import { AdapterError, type JsonObject, namespacedName } from '#kernel';
import type { LedgerWriter, PolicyKey } from '#ledger';
import type {
  ClockPort,
  LeaveForesight,
  LeaveOutcome,
  LeaveTarget,
  Reconciler,
  StandingInterventions,
} from '#reconciliation';
import { mayAct, ownerOf, type Principal } from '../../auth/callers/principal.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import type { ActionGate, AdmittedAction } from '../access/action-gate.ts';
import { requireConfirmation } from '../access/require-rights.ts';
import { requireRole } from '../access/require-role.ts';
import { effectOf } from '../effects/policy-effects.ts';
import {
  type ActionEffect,
  type Answer,
  recordedEffect,
  type Rehearsable,
} from '../requests/action-effect.ts';
import { LoopTurns } from '../requests/loop-turns.ts';
import { keyBehind, keyCursor, type Page, type PageRequest, pageSizeOf } from '../requests/page.ts';
import { JointRecord } from './joint-record.ts';
import type { KnownPolicy, LeaveCandidate, LeaveCandidates } from './leave-candidates.ts';
import { type LeaveTargets, unknownDocument } from './leave-targets.ts';
import { type AcceptedAction, recordAccepted } from './record-accepted.ts';

/** Who leaves, why, and what is to carry the targets on. */
export interface LeaveRequest extends Rehearsable {
  readonly principal: Principal;
  readonly to: LeaveTarget;
  readonly reason?: string | null | undefined;
}

/** A policy that leaves, or that has left, and what it is left to. */
export interface LeavingPolicy {
  readonly policy: PolicyKey;
  readonly source: string;
  readonly isInForce: boolean;
  /** The plain HPA, to apply; null: none is wanted, another HPA scales the target, or none does what the policy says. */
  readonly manifest: JsonObject | null;
  /** What the HPA does not say, or why there is none, in sentences. */
  readonly gaps: readonly string[];
}

/** What became of one policy. */
export interface LeftPolicy {
  readonly policy: PolicyKey;
  readonly result: LeaveOutcome['kind'];
  /** In a sentence. */
  readonly message: string;
}

/** What a request to leave came to. */
export interface LeaveReport {
  readonly policies: readonly LeftPolicy[];
  /** How many the same request, made again, goes on with. */
  readonly waiting: number;
  readonly endedInterventions: number;
}

/** A request that is carried out. */
interface Leaving {
  readonly to: LeaveTarget;
  readonly by: OperatorRequest;
  readonly accepted: AcceptedAction;
}

/** Less than an answer of the REST API may take: what is not done by then waits for the same request. */
const budgetMilliseconds = 7_000;

/** Until what waits is tried again; doubled each time up to the second, since each time asks the API server. */
const retryMilliseconds = 250;
const longestRetryMilliseconds = 2_000;
const policiesAtATime = 100;
/** As many as other effects name. */
const maximumChanges = 200;

interface LeavePorts {
  readonly sources: Pick<SourceOperations, 'inTurn'>;
  readonly interventions: Pick<StandingInterventions, 'list' | 'end'>;
  readonly candidates: LeaveCandidates;
  readonly targets: Pick<LeaveTargets, 'leave'>;
  readonly reconciler: Pick<Reconciler, 'foreseeLeave'>;
  readonly gate: ActionGate;
  readonly writer: LedgerWriter;
  readonly clock: ClockPort;
}

/**
 * The way out for everything at once: every policy is released, its target goes on by a plain HPA or as it is, and the
 * interventions end. The releases of all sources are stored in one transaction with the entry that says so; the targets and
 * the interventions that a crash or a slow cluster cuts off, the same request ends.
 */
export class LeaveActions {
  readonly #ports: LeavePorts;
  /** Done by this process, by policy: a request that is made again goes on where the last one stopped. */
  readonly #done = new Map<string, { readonly to: LeaveTarget; readonly outcome: LeaveOutcome }>();
  readonly #turns: LoopTurns;
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: LeavePorts) {
    this.#ports = ports;
    this.#turns = new LoopTurns(ports.clock);
  }

  /** The policies in force that the caller may view, and those that left with all others, by name. @throws QueryError */
  async list(caller: Principal, page: PageRequest, to: LeaveTarget): Promise<Page<LeavingPolicy>> {
    const first = pageSizeOf(page);
    const after = keyBehind('leavingPolicies', page) ?? '';
    const candidates = await this.#turns.take(() =>
      Promise.resolve(this.#listAfter(after, caller, first + 1)),
    );
    const policies = await this.#ports.candidates.load(candidates.slice(0, first));
    return {
      items: policies.map(({ candidate, left }) => ({
        item: leavingPolicy(candidate, this.#foresee(left, to)),
        cursor: keyCursor('leavingPolicies', candidate.key),
      })),
      hasMore: candidates.length > first,
    };
  }

  #listAfter(after: string, caller: Principal, maximum: number): readonly LeaveCandidate[] {
    const found: LeaveCandidate[] = [];
    for (const candidate of this.#ports.candidates.list()) {
      if (found.length === maximum) return found;
      const { key, policy } = candidate;
      if (key > after && mayAct(caller, 'viewer', policy.namespace)) found.push(candidate);
    }
    return found;
  }

  /** Leaves all targets, as far as it gets within a few seconds, one request after another. @throws QueryError */
  leave(request: LeaveRequest): Promise<Answer<LeaveReport>> {
    return request.dryRun === true
      ? this.#rehearse(request)
      : this.#exclusively(() => this.#carryOut(request));
  }

  async #rehearse(request: LeaveRequest): Promise<Answer<LeaveReport>> {
    const { checked: effect } = await this.#admit(request);
    return { result: null, effect };
  }

  async #carryOut(request: LeaveRequest): Promise<Answer<LeaveReport>> {
    const { principal, reason, checked: effect } = await this.#admit(request);
    const { to } = request;
    const accepted = {
      actor: principal.name,
      action: 'ReleaseAll',
      reason,
      arguments: { to },
      effect: recordedEffect(effect),
    };
    const by = { by: ownerOf(principal), reason };
    return { result: await this.#leave({ to, by, accepted }), effect };
  }

  #admit({ principal, to, reason, dryRun, confirm }: LeaveRequest): Promise<AdmittedAction<ActionEffect>> {
    const isRehearsal = dryRun === true;
    return this.#ports.gate.admit({
      name: 'ReleaseAll',
      principal,
      arguments: { to },
      reason: reason ?? undefined,
      isRehearsal,
      check: async (caller) => {
        requireRole(caller, 'admin', null);
        const effect = await this.#effect(to);
        if (!isRehearsal) requireConfirmation(effect, confirm ?? null);
        return effect;
      },
    });
  }

  /** Signed by what leaves and to what alone, so that the same confirmation ends what was begun. */
  async #effect(to: LeaveTarget): Promise<ActionEffect> {
    const candidates = this.#ports.candidates.list();
    const described = await this.#ports.candidates.load(candidates.slice(0, maximumChanges));
    const interventions = this.#ports.interventions.list();
    const ends =
      interventions.length === 1 ? '1 intervention ends' : `${interventions.length} interventions end`;
    const rest = to === 'None' ? 'their counts stay, and nothing scales them' : 'plain HPAs carry them on';
    const effect = effectOf(
      {
        action: 'ReleaseAll',
        summary: `all policies leave, ${candidates.length}: ${rest}; ${ends}`,
        requires: { role: 'admin', confirm: true, force: false },
        problems: [],
        standing: interventions.slice(0, 100),
        effects: [],
        until: null,
        changes: [],
        changed: candidates.length,
      },
      { to, policies: candidates.map(({ key }) => key) },
    );
    // Not signed: a part of what was begun is done, and is seen in the cluster.
    const changes = described.map(
      ({ candidate: { policy }, left }) => `${namespacedName(policy)} gone${this.#foresee(left, to).rest}`,
    );
    return { ...effect, changes };
  }

  #foresee(left: KnownPolicy | null, to: LeaveTarget): LeaveForesight {
    if (left !== null) return this.#ports.reconciler.foreseeLeave({ policy: left.policy, to });
    return to === 'None'
      ? { manifest: null, gaps: [], rest: ': its count stays' }
      : {
          manifest: null,
          gaps: [unknownDocument.message],
          rest: `, without an HPA: ${unknownDocument.message}`,
        };
  }

  async #leave(leaving: Leaving): Promise<LeaveReport> {
    const { to, by } = leaving;
    const candidates = this.#ports.candidates.list();
    const refused = await this.#release(candidates, leaving);
    const outcomes = await this.#leaveTargets(candidates, to, refused);
    const policies = candidates.map(({ key, policy }) => {
      const { kind, message } = outcomes.get(key) ?? notReached;
      return { policy, result: kind, message };
    });
    const waiting = policies.filter(({ result }) => result === 'Waiting').length;
    return { policies, waiting, endedInterventions: waiting > 0 ? 0 : await this.#endInterventions(by) };
  }

  /** All sources at once: each may be busy for half a minute. @returns why a source keeps its policies, by source */
  async #release(
    candidates: readonly LeaveCandidate[],
    { to, by, accepted }: Leaving,
  ): Promise<ReadonlyMap<string, string>> {
    const refused = new Map<string, string>();
    const sources = new Set(candidates.flatMap(({ active, source }) => (active ? [source] : [])));
    const joint = new JointRecord(sources, (states) =>
      recordAccepted(this.#ports, accepted, { sources: states }),
    );
    const leave = async (source: string): Promise<void> => {
      try {
        await this.#ports.sources.inTurn(source, (turn) => turn.leave(to, by, joint.save));
      } catch (error) {
        if (!(error instanceof AdapterError) || error.code === 'Closed') throw error;
        refused.set(source, error.message);
      } finally {
        joint.leave(source);
      }
    };
    // Each has ended before anything is said: nothing goes on behind an error.
    for (const ended of await Promise.allSettled([joint.recorded, ...[...sources].map(leave)]))
      if (ended.status === 'rejected') throw ended.reason as Error;
    return refused;
  }

  async #leaveTargets(
    candidates: readonly LeaveCandidate[],
    to: LeaveTarget,
    refused: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, LeaveOutcome>> {
    const { clock } = this.#ports;
    const end = clock.monotonicMilliseconds() + budgetMilliseconds;
    const outcomes = new Map<string, LeaveOutcome>();
    const isOver = (): boolean => clock.monotonicMilliseconds() >= end;
    for (const { key, active } of candidates) if (active !== null) this.#done.delete(key);
    let open: readonly LeaveCandidate[] = candidates.filter(({ key, source, active }) => {
      const known = this.#done.get(key);
      const why = active === null ? undefined : refused.get(source);
      if (why !== undefined) outcomes.set(key, { kind: 'Blocked', message: why });
      else if (known?.to === to) outcomes.set(key, known.outcome);
      return !outcomes.has(key);
    });
    for (let retry = retryMilliseconds; open.length > 0 && !isOver(); retry *= 2) {
      for (let start = 0; start < open.length && !isOver(); start += policiesAtATime) {
        const part = open.slice(start, start + policiesAtATime);
        for (const [key, outcome] of await this.#ports.targets.leave(part, to)) {
          outcomes.set(key, outcome);
          if (outcome.kind === 'Done') this.#done.set(key, { to, outcome });
        }
      }
      open = open.filter(({ key }) => (outcomes.get(key)?.kind ?? 'Waiting') === 'Waiting');
      if (open.length > 0) await this.#pause(Math.min(retry, longestRetryMilliseconds));
    }
    return outcomes;
  }

  async #endInterventions({ by, reason }: { readonly by: string; readonly reason: string }): Promise<number> {
    let count = 0;
    for (const { id } of this.#ports.interventions.list())
      if ((await this.#ports.interventions.end(id, { actor: by, reason })) === null) count += 1;
    return count;
  }

  #pause(milliseconds: number): Promise<undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#ports.clock.schedule(milliseconds, () => resolve(undefined));
    return promise;
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}

const notReached: LeaveOutcome = { kind: 'Waiting', message: 'it was not its turn yet' };

function leavingPolicy(
  { policy, source, active }: LeaveCandidate,
  { manifest, gaps }: LeaveForesight,
): LeavingPolicy {
  return { policy, source, isInForce: active !== null, manifest, gaps };
}
