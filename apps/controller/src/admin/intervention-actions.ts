import { randomUUID } from 'node:crypto';
import type { Direction, Intervention } from '#decision';
import { AdapterError, namespacedName, parseInstant, withoutUndefined } from '#kernel';
import type { InterventionScope, StandingIntervention } from '#ledger';
import {
  type ActivePoliciesPort,
  type ActivePolicy,
  type ClockPort,
  type InterventionFailure,
  maximumInterventions,
  type StandingInterventions,
} from '#reconciliation';
import { mayAct, type Principal } from '../auth/principal.ts';
import type { ActionGate, AdmittedAction } from './action-gate.ts';
import { QueryError } from './query-error.ts';
import type { OperatorActionName } from './refusal-recorder.ts';
import { requireRole } from './require-role.ts';
import type { SourceAccess } from './source-access.ts';
import type { SourceOperations } from './source-operations.ts';
import type { StatusRegistry } from './status-registry.ts';

/** An intervention that is meant for longer belongs in Git, as a freeze, a schedule or a policy. */
const maximumHours = 24;

/** Who intervenes, why, and until when. */
interface InterventionRequest {
  readonly principal: Principal;
  readonly reason: string;
  /** RFC 3339 with its zone. */
  readonly expires: string;
}

/** A direction that is not to be scaled in. */
export interface SuspensionRequest extends InterventionRequest {
  /** `Policy`, `Namespace`, `Source` or `Cluster`, with the names that it wants and no others. */
  readonly scope: string;
  readonly namespace?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly source?: string | null | undefined;
  readonly direction: string;
}

/** Bounds or a count in place of a policy's own; at least one of the three. */
export interface OverrideRequest extends InterventionRequest {
  readonly namespace: string;
  readonly name: string;
  readonly minReplicas?: number | null | undefined;
  readonly maxReplicas?: number | null | undefined;
  readonly replicas?: number | null | undefined;
}

/** The end of an intervention before it expires. */
export interface InterventionEnd {
  readonly principal: Principal;
  readonly id: string;
  readonly reason: string;
}

type OverriddenCounts = Pick<OverrideRequest, 'minReplicas' | 'maxReplicas' | 'replicas'>;

/**
 * Suspensions and overrides, as people begin and end them. That a caller has the role anywhere is checked before, where
 * the operation stands; that it has it in the namespaces that an intervention is for, here. What is refused is recorded by the gate, what begins and ends with the intervention itself.
 */
export class InterventionActions {
  readonly #interventions: StandingInterventions;
  readonly #activePolicies: ActivePoliciesPort;
  readonly #statuses: Pick<StatusRegistry, 'latest'>;
  readonly #sources: Pick<SourceOperations, 'judgeBounds'>;
  readonly #access: SourceAccess;
  readonly #gate: ActionGate;
  readonly #clock: Pick<ClockPort, 'now'>;

  constructor(ports: {
    readonly interventions: StandingInterventions;
    readonly activePolicies: ActivePoliciesPort;
    readonly statuses: Pick<StatusRegistry, 'latest'>;
    readonly sources: Pick<SourceOperations, 'judgeBounds'>;
    readonly access: SourceAccess;
    readonly gate: ActionGate;
    readonly clock: Pick<ClockPort, 'now'>;
  }) {
    this.#interventions = ports.interventions;
    this.#activePolicies = ports.activePolicies;
    this.#statuses = ports.statuses;
    this.#sources = ports.sources;
    this.#access = ports.access;
    this.#gate = ports.gate;
    this.#clock = ports.clock;
  }

  /**
   * Those that have begun and not ended, by their beginning: of the policies, namespaces and sources that the caller may
   * see, and those of the cluster, which act on its policies, too.
   */
  list(caller: Principal): readonly StandingIntervention[] {
    const sources = new Set(this.#access.list(caller).map(({ name }) => name));
    return this.#interventions.list().filter(({ scope }) => {
      if (scope.kind === 'Cluster') return true;
      return scope.kind === 'Source' ? sources.has(scope.source) : mayAct(caller, 'viewer', scope.namespace);
    });
  }

  /** Stops a direction, from now on and until it expires. @throws QueryError */
  async suspend(request: SuspensionRequest): Promise<StandingIntervention> {
    const { scope, namespace, name, source, direction, expires } = request;
    const isPolicy = isGiven(namespace) && isGiven(name);
    const named = isPolicy
      ? { policy: namespacedName({ namespace, name }) }
      : withoutNull({ namespace, name });
    const admitted = await this.#gate.admit({
      ...request,
      name: 'SuspendScaling',
      arguments: { scope, ...named, ...withoutNull({ source }), direction, expires },
      check: (caller) => {
        const wanted = scopeOf(request);
        if (wanted.kind === 'Policy') this.#activeOf(caller, wanted);
        this.#requireRole(caller, wanted);
        this.#expiryOf(request);
      },
    });
    return this.#begin(scopeOf(request), {
      kind: 'Suspend',
      direction: direction as Direction,
      ...this.#termsOf(request, admitted),
    });
  }

  /** Replaces a policy's bounds or its count, from now on and until it expires. @throws QueryError */
  async override(request: OverrideRequest): Promise<StandingIntervention> {
    const { namespace, name, minReplicas, maxReplicas, replicas, expires } = request;
    const counts = withoutNull({ minReplicas, maxReplicas, replicas });
    const admitted = await this.#gate.admit({
      ...request,
      name: 'OverrideReplicas',
      arguments: { policy: namespacedName({ namespace, name }), ...counts, expires },
      check: (principal) => {
        const active = this.#activeOf(principal, { namespace, name });
        requireRole(principal, 'operator', namespace);
        this.#expiryOf(request);
        checkBounds(active, request);
        this.#requireGuardrails(active, request);
        this.#requireApprover(principal, active, request);
      },
    });
    return this.#begin(
      { kind: 'Policy', namespace, name },
      { kind: 'Override', ...counts, ...this.#termsOf(request, admitted) },
    );
  }

  /** Ends a suspension before it expires. @throws QueryError */
  endSuspension(request: InterventionEnd): Promise<StandingIntervention> {
    return this.#end('EndSuspension', 'Suspend', request);
  }

  /** Ends an override before it expires. @throws QueryError */
  endOverride(request: InterventionEnd): Promise<StandingIntervention> {
    return this.#end('EndOverride', 'Override', request);
  }

  async #end(
    action: OperatorActionName,
    kind: Intervention['kind'],
    request: InterventionEnd,
  ): Promise<StandingIntervention> {
    const { id } = request;
    const { principal, reason } = await this.#gate.admit({
      ...request,
      name: action,
      arguments: { id },
      check: (caller) => this.#requireRole(caller, this.#standing(caller, { id, kind }).scope),
    });
    const standing = this.#standing(principal, { id, kind });
    const failure = await this.#interventions.end(id, { actor: principal.name, reason });
    if (failure !== null) throw refusalOf(failure, id);
    return standing;
  }

  async #begin(scope: InterventionScope, intervention: Intervention): Promise<StandingIntervention> {
    const standing = { id: randomUUID(), scope, intervention };
    const failure = await this.#interventions.begin(standing);
    if (failure !== null) throw refusalOf(failure, standing.id);
    return standing;
  }

  #termsOf(
    request: InterventionRequest,
    { principal, reason }: AdmittedAction,
  ): { readonly reason: string; readonly actor: string; readonly since: string; readonly expires: string } {
    return { reason, actor: principal.name, since: this.#clock.now(), expires: this.#expiryOf(request) };
  }

  /** In UTC. */
  #expiryOf({ expires }: InterventionRequest): string {
    const instant = parseInstant(expires);
    const now = this.#clock.now();
    const milliseconds = instant === undefined ? Number.NaN : instant.seconds * 1_000 + instant.nanos / 1e6;
    const left = milliseconds - Date.parse(now);
    if (left > 0 && left <= maximumHours * 3_600_000) return new Date(milliseconds).toISOString();
    const form = `a time (RFC 3339 with its zone) after now, ${now}, and at most ${maximumHours} hours later`;
    throw new QueryError('BadExpiry', `expires is ${JSON.stringify(expires)}; it wants ${form}`);
  }

  #standing(
    caller: Principal,
    { id, kind }: { readonly id: string; readonly kind: Intervention['kind'] },
  ): StandingIntervention {
    const found = this.list(caller).find((each) => each.id === id);
    if (found?.intervention.kind === kind) return found;
    const what = kind === 'Suspend' ? 'suspension' : 'override';
    throw new QueryError('UnknownIntervention', `no ${what} ${id} stands; it may have ended`);
  }

  #activeOf(caller: Principal, policy: { readonly namespace: string; readonly name: string }): ActivePolicy {
    const key = namespacedName(policy);
    const found = this.#activePolicies
      .listActivePolicies()
      .find((active) => namespacedName(active.policy) === key);
    if (found === undefined || !mayAct(caller, 'viewer', policy.namespace))
      throw new QueryError('UnknownPolicy', `no policy ${key} is in force`);
    return found;
  }

  #requireRole(caller: Principal, scope: InterventionScope): void {
    if (scope.kind === 'Source') this.#access.requireRole({ caller, role: 'operator', source: scope.source });
    else requireRole(caller, 'operator', scope.kind === 'Cluster' ? null : scope.namespace);
  }

  #requireGuardrails({ policy, origin }: ActivePolicy, { minReplicas, maxReplicas }: OverriddenCounts): void {
    const bounds = withoutNull({ minReplicas, maxReplicas });
    const problems = this.#sources.judgeBounds(origin.source, namespacedName(policy), bounds);
    if (problems.length > 0) throw new QueryError('OutsideGuardrails', problems.join('; '));
  }

  /** What is not known of the present count does not make the bar lower. */
  #requireApprover(principal: Principal, { policy }: ActivePolicy, counts: OverriddenCounts): void {
    if (mayAct(principal, 'approver', policy.namespace)) return;
    const present = this.#statuses.latest(namespacedName(policy))?.scale?.specReplicas ?? null;
    const { lowest, before } = lowestOf(policy, counts);
    if (lowest >= before || (present !== null && lowest * 2 >= present)) return;
    const count = present === null ? 'not known' : String(present);
    throw new QueryError(
      'ApproverRequired',
      `down to ${lowest} replicas is less than half of the present count, which is ${count}: that wants role approver`,
    );
  }
}

/** How low a policy may go with the override and without it. */
function lowestOf(
  { minReplicas, maxReplicas }: ActivePolicy['policy'],
  counts: OverriddenCounts,
): { readonly lowest: number; readonly before: number } {
  if (isGiven(counts.replicas)) return { lowest: counts.replicas, before: Number.POSITIVE_INFINITY };
  const max = counts.maxReplicas ?? maxReplicas;
  if (max < maxReplicas) return { lowest: max, before: Number.POSITIVE_INFINITY };
  return { lowest: counts.minReplicas ?? minReplicas, before: minReplicas };
}

/** @throws QueryError `BadBounds` where the decision would have to bend what is asked for. */
function checkBounds({ policy }: ActivePolicy, counts: OverriddenCounts): void {
  const [min, max] = [counts.minReplicas ?? policy.minReplicas, counts.maxReplicas ?? policy.maxReplicas];
  const isToZero = policy.minReplicas === 0 && policy.family === 'hpa';
  const pin = counts.replicas ?? min;
  const problems: readonly (readonly [boolean, string])[] = [
    [![counts.minReplicas, counts.maxReplicas, counts.replicas].some(isGiven), 'it names no count'],
    [min < (isToZero ? 0 : 1), `a minimum of ${min} is less than the policy may have`],
    [max < 1, `a maximum of ${max} is less than 1`],
    [min > max, `at least ${min} and at most ${max} is no range`],
    [pin < min || pin > max, `${pin} is outside of ${min} to ${max}; override the bound, too`],
  ];
  const problem = problems.find(([isProblem]) => isProblem);
  if (problem !== undefined) throw new QueryError('BadBounds', `the override: ${problem[1]}`);
}

/** @throws QueryError `BadArgument` */
function scopeOf({ scope, namespace, name, source }: SuspensionRequest): InterventionScope {
  const names = { namespace: isGiven(namespace), name: isGiven(name), source: isGiven(source) };
  const wanted = scopeNames[scope] ?? [];
  const others = Object.entries(names).filter(([key, isThere]) => isThere !== wanted.includes(key));
  if (others.length > 0) {
    const wants = wanted.length === 0 ? 'no name' : wanted.join(' and ');
    throw new QueryError('BadArgument', `scope ${scope} wants ${wants}, and nothing else`);
  }
  if (isGiven(namespace) && isGiven(name)) return { kind: 'Policy', namespace, name };
  if (isGiven(namespace)) return { kind: 'Namespace', namespace };
  return isGiven(source) ? { kind: 'Source', source } : { kind: 'Cluster' };
}

const scopeNames: Readonly<Record<string, readonly string[]>> = {
  Policy: ['namespace', 'name'],
  Namespace: ['namespace'],
  Source: ['source'],
  Cluster: [],
};

function refusalOf(failure: InterventionFailure, id: string): Error {
  switch (failure.code) {
    case 'InterventionEnded':
      return new QueryError('UnknownIntervention', `${id} has ended`);
    case 'TooManyInterventions':
      return new QueryError(failure.code, `${maximumInterventions} interventions stand; end one first`);
    default: {
      const message = 'the intervention could not be recorded';
      return new AdapterError({ code: failure.code, message, retryable: true });
    }
  }
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function withoutNull<K extends string, T extends string | number>(
  values: Readonly<Record<K, T | null | undefined>>,
): { readonly [N in K]?: T } {
  const given = Object.entries(values).map(([key, value]) => [key, value ?? undefined]);
  return withoutUndefined(Object.fromEntries(given) as { [N in K]?: T });
}
