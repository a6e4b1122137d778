import { randomUUID } from 'node:crypto';
import type { Direction, Intervention } from '#decision';
import { type JsonObject, namespacedName, parseInstant } from '#kernel';
import {
  type EarlierReplicas,
  type InterventionScope,
  type LedgerPort,
  loadEarlierReplicas,
  type PolicyKey,
  type StandingIntervention,
  stepWindowSeconds,
} from '#ledger';
import type { ClockPort, InterventionTerms, StandingInterventions } from '#reconciliation';
import type { Principal, Role } from '../../auth/callers/principal.ts';
import type { InterventionLimit } from '../../configuration/intervention-limit.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import type { ActionGate } from '../access/action-gate.ts';
import { requireRights } from '../access/require-rights.ts';
import { requireRole } from '../access/require-role.ts';
import type { DescribedChange, InterventionEffects } from '../effects/intervention-effects.ts';
import {
  describeScope,
  type DryRunRequest,
  type InterventionEnd,
  type InterventionRequest,
  interventionText,
  namespaceOf,
  type OverrideRequest,
  scopeArguments,
  scopeOf,
  type ScopeRequest,
  type SuspensionRequest,
  withoutNull,
} from '../effects/intervention-requests.ts';
import { checkBounds, describeCounts, type LowCount, lowCountOf } from '../effects/override-limits.ts';
import {
  type ActionEffect,
  type Answer,
  recordedAgainst,
  recordedEffect,
} from '../requests/action-effect.ts';
import type { OperatorActionName } from '../requests/operator-action-name.ts';
import { QueryError } from '../requests/query-error.ts';
import { refusalOf, requireOwnWrites, requirePlace } from './intervention-refusals.ts';
import type { InterventionFilter, VisibleInterventions } from './visible-interventions.ts';

export interface InterventionActionsPorts {
  readonly interventions: StandingInterventions;
  readonly effects: InterventionEffects;
  readonly sources: Pick<SourceOperations, 'judgeBounds'>;
  readonly visible: VisibleInterventions;
  readonly gate: ActionGate;
  readonly ledger: Pick<LedgerPort, 'entries'>;
  readonly clock: Pick<ClockPort, 'now'>;
  /** An intervention that is meant for longer belongs in Git, as a freeze, a schedule or a policy. */
  readonly limit: Pick<InterventionLimit, 'maximumHours'>;
}

/** What an intervention would be, where it may begin. */
interface Judged {
  readonly scope: InterventionScope;
  readonly asked: InterventionTerms;
  readonly summary: string;
  /** What guardrails and limits say against it; absent: nothing. */
  readonly problems?: readonly string[];
  /** A fall that it lets happen, and that one operator alone may not cause; absent: none. */
  readonly lowCount?: LowCount | null;
}

/** What the effect of an intervention is described with, beside the intervention. */
type NamedChange = Pick<DescribedChange, 'name' | 'visible'>;

interface AskedBeginning {
  readonly name: OperatorActionName;
  readonly arguments: JsonObject;
  /** @throws QueryError */
  readonly judge: (caller: Principal) => Judged | Promise<Judged>;
}

/**
 * Suspensions, overrides and dry runs, as people begin and end them, one at a time, so that the second of two sees what
 * the first did. The role of an operator is checked before, where the operation stands. What is refused is recorded by
 * the gate, what begins and ends with the intervention itself.
 */
export class InterventionActions {
  readonly #ports: InterventionActionsPorts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: InterventionActionsPorts) {
    this.#ports = ports;
  }

  /** Those that have begun and not ended, as the caller may see them, by their beginning. */
  list(caller: Principal, filter?: InterventionFilter): readonly StandingIntervention[] {
    return this.#ports.visible.list(caller, filter);
  }

  /** The roles that the caller has in all that a scope is about. */
  rolesIn(caller: Principal, scope: InterventionScope): readonly Role[] {
    return this.#ports.visible.rolesIn(caller, scope);
  }

  /** Stops a direction, from now on and until it expires. @throws QueryError */
  suspend(request: SuspensionRequest): Promise<Answer<StandingIntervention>> {
    const { direction } = request;
    return this.#begin(request, {
      name: 'SuspendScaling',
      arguments: { ...scopeArguments(request), direction },
      judge: (caller) => {
        const scope = this.#knownScope(caller, request);
        const asked = { kind: 'Suspend', direction: direction as Direction } as const;
        return {
          scope,
          asked,
          summary: `no scaling${direction === 'Both' ? '' : ` ${direction.toLowerCase()}`} of ${describeScope(scope)}`,
        };
      },
    });
  }

  /** Lets policies decide and write nothing, from now on and until it expires. @throws QueryError */
  startDryRun(request: DryRunRequest): Promise<Answer<StandingIntervention>> {
    return this.#begin(request, {
      name: 'StartDryRun',
      arguments: scopeArguments(request),
      judge: (caller) => {
        const scope = this.#knownScope(caller, request);
        requireOwnWrites(this.#ports.effects.policiesOf(scope), scope);
        return { scope, asked: { kind: 'DryRun' }, summary: `dry run of ${describeScope(scope)}` };
      },
    });
  }

  /** Replaces a policy's bounds or its count, from now on and until it expires. @throws QueryError */
  override(request: OverrideRequest): Promise<Answer<StandingIntervention>> {
    const { namespace, name, minReplicas, maxReplicas, replicas } = request;
    const counts = withoutNull({ minReplicas, maxReplicas, replicas });
    return this.#begin(request, {
      name: 'OverrideReplicas',
      arguments: { policy: namespacedName({ namespace, name }), ...counts },
      judge: async (caller) => {
        const { effects, sources } = this.#ports;
        const active = effects.activeOf(caller, { namespace, name });
        requireRole(caller, 'operator', namespace);
        checkBounds(active, counts);
        const bounds = withoutNull({ minReplicas, maxReplicas });
        const key = namespacedName(active.policy);
        const present = effects.presentOf(active);
        const earlier = present === null ? null : await this.#earlierReplicas({ namespace, name }, present);
        return {
          scope: { kind: 'Policy', namespace, name },
          asked: { kind: 'Override', ...counts },
          summary: describeCounts(active, counts),
          problems: sources.judgeBounds(active.origin.source, key, bounds),
          lowCount: lowCountOf(active, counts, {
            inForce: effects.boundsOf(active),
            present,
            earlier,
          }),
        };
      },
    });
  }

  /** Ends a suspension before it expires. @throws QueryError */
  endSuspension(request: InterventionEnd): Promise<Answer<StandingIntervention>> {
    return this.#end('EndSuspension', 'Suspend', request);
  }

  /** Ends an override before it expires. @throws QueryError */
  endOverride(request: InterventionEnd): Promise<Answer<StandingIntervention>> {
    return this.#end('EndOverride', 'Override', request);
  }

  /** Ends a dry run that an operator began, before it expires; a document's stays. @throws QueryError */
  endDryRun(request: InterventionEnd): Promise<Answer<StandingIntervention>> {
    return this.#end('EndDryRun', 'DryRun', request);
  }

  #begin(
    request: InterventionRequest & { readonly force?: boolean | null | undefined },
    { name, arguments: given, judge }: AskedBeginning,
  ): Promise<Answer<StandingIntervention>> {
    const { expires, principal, reason = null, dryRun } = request;
    const isRehearsal = dryRun === true;
    return this.#unlessRehearsed(isRehearsal, async () => {
      const admitted = await this.#ports.gate.admit({
        name,
        principal,
        arguments: { ...given, expires },
        reason: reason ?? undefined,
        isRehearsal,
        check: async (caller) => {
          const judged = await judge(caller);
          const until = this.#expiryOf(expires);
          const checked = await this.#effectOf(
            { ...judged, name, visible: this.#ports.visible.list(caller) },
            until,
          );
          // A rehearsal, too, is refused what could not begin.
          this.#ports.visible.requireNew(checked.standing, {
            actor: caller.name,
            reason: reason?.trim() ?? null,
          });
          this.#requirePlace(checked.standing, caller);
          if (isRehearsal) return checked;
          const { scope } = judged;
          requireRights({ principal: caller, namespace: namespaceOf(scope) }, checked.effect, request);
          return checked;
        },
      });
      const { effect, standing } = admitted.checked;
      if (isRehearsal) return { result: null, effect };
      const since = this.#ports.interventions.beginningOf(standing.scope);
      const terms = { reason: admitted.reason, actor: admitted.principal.name, since };
      const begun = {
        ...standing,
        intervention: { ...standing.intervention, ...terms },
        ...recordedAgainst(effect.problems),
      };
      const failure = await this.#ports.interventions.begin(begun, {
        outcome: effect.requires.force ? 'Forced' : 'Accepted',
        effect: recordedEffect(effect),
      });
      if (failure !== null) throw refusalOf(failure, begun.id);
      return { result: begun, effect };
    });
  }

  #end(
    name: OperatorActionName,
    kind: Intervention['kind'],
    request: InterventionEnd,
  ): Promise<Answer<StandingIntervention>> {
    const { id, principal, reason = null, dryRun } = request;
    const isRehearsal = dryRun === true;
    return this.#unlessRehearsed(isRehearsal, async () => {
      const admitted = await this.#ports.gate.admit({
        name,
        principal,
        arguments: { id },
        reason: reason ?? undefined,
        isRehearsal,
        check: async (caller) => {
          const standing = await this.#ports.visible.find(caller, { id, kind });
          const effect = await this.#ports.effects.ofEnd(standing, {
            name,
            summary: `the end of ${interventionText(standing.intervention)} of ${describeScope(standing.scope)}`,
            problems: [],
            visible: this.#ports.visible.list(caller),
            lowCount: null,
          });
          const namespace = namespaceOf(standing.scope);
          if (!isRehearsal) requireRights({ principal: caller, namespace }, effect, request);
          return { standing, effect };
        },
      });
      const { standing, effect } = admitted.checked;
      if (isRehearsal) return { result: null, effect };
      const failure = await this.#ports.interventions.end(id, {
        actor: admitted.principal.name,
        reason: admitted.reason,
        effect: recordedEffect(effect),
      });
      if (failure !== null) throw refusalOf(failure, id);
      return { result: standing, effect };
    });
  }

  /** In the ledger, so that steps at another replica, or before a restart, are steps, too. */
  #earlierReplicas(policy: PolicyKey, present: number): Promise<EarlierReplicas | null> {
    const { ledger, clock } = this.#ports;
    const since = new Date(Date.parse(clock.now()) - stepWindowSeconds * 1_000).toISOString();
    return loadEarlierReplicas(ledger, { policy, present, since });
  }

  async #effectOf(
    { scope, asked, summary, problems = [], lowCount = null, ...of }: Judged & NamedChange,
    expires: string,
  ): Promise<{ readonly effect: ActionEffect; readonly standing: StandingIntervention }> {
    const intervention: Intervention = { ...asked, expires };
    const change = { ...of, summary: `${summary} until ${expires}`, problems, lowCount };
    const effect = await this.#ports.effects.ofBeginning({ scope, intervention }, change);
    return { effect, standing: { id: randomUUID(), scope, intervention } };
  }

  #requirePlace(standing: StandingIntervention, { name }: Principal): void {
    const intervention = { ...standing.intervention, actor: name };
    requirePlace(this.#ports.interventions.fullShareFor({ ...standing, intervention }));
  }

  /** In UTC. */
  #expiryOf(expires: string): string {
    const instant = parseInstant(expires);
    const now = this.#ports.clock.now();
    const milliseconds = instant === undefined ? Number.NaN : instant.seconds * 1_000 + instant.nanos / 1e6;
    const { maximumHours } = this.#ports.limit;
    const last = Date.parse(now) + maximumHours * 3_600_000;
    if (milliseconds > Date.parse(now) && milliseconds <= last) return new Date(milliseconds).toISOString();
    const form = `a time (RFC 3339 with its zone) after now, ${now}, and at most ${maximumHours} hours later`;
    throw new QueryError('BadExpiry', `expires is ${JSON.stringify(expires)}; it wants ${form}`, {
      bound: {
        last: new Date(last).toISOString(),
        setting: 'interventions.maximumHours',
        value: maximumHours,
      },
    });
  }

  /** @throws QueryError where the caller may not see it, or is no operator of all of it */
  #knownScope(caller: Principal, request: ScopeRequest): InterventionScope {
    const scope = scopeOf(request);
    if (scope.kind === 'Policy') this.#ports.effects.activeOf(caller, scope);
    this.#ports.visible.requireOperator(caller, scope);
    // The refusal names the metric sources of all policies: only who is an operator of all of them reads it.
    if (scope.kind === 'MetricSource') this.#ports.effects.requireMetricSource(scope.metricSource);
    return scope;
  }

  /**
   * Between what is checked and what is recorded nobody else begins or ends an intervention. What is only asked, which may
   * be of ten thousand policies, keeps nobody waiting.
   */
  #unlessRehearsed<T>(isRehearsal: boolean, work: () => Promise<T>): Promise<T> {
    if (isRehearsal) return work();
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}
