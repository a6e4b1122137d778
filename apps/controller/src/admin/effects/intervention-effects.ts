import type { Intervention } from '#decision';
import { canonicalJson, type JsonObject, mapInSteps, namespacedName, runInTimeSlices } from '#kernel';
import type { InterventionScope, StandingIntervention } from '#ledger';
import {
  type ActivePoliciesPort,
  type ActivePolicy,
  type ClockPort,
  isInScope,
  metricSourcesOf,
  type StandingInterventions,
  type WindowsPort,
} from '#reconciliation';
import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import { indexOfActive } from '../access/active-index.ts';
import { type BoundsInForce, boundsInForce } from '../policies/policy-picture.ts';
import type { PolicyReports } from '../policies/policy-reports.ts';
import type { ActionEffect, ActionRequirements } from '../requests/action-effect.ts';
import type { OperatorActionName } from '../requests/operator-action-name.ts';
import { QueryError } from '../requests/query-error.ts';
import { describeLowCount, type LowCount } from './override-limits.ts';
import { effectInSteps, interventionEffect } from './policy-effects.ts';

/** As many are named beside an effect. */
const maximumNamed = 100;

export interface InterventionEffectsPorts {
  readonly interventions: StandingInterventions;
  readonly activePolicies: ActivePoliciesPort;
  readonly reports: Pick<PolicyReports, 'presentOf'>;
  readonly windows: Pick<WindowsPort, 'windowsInForce'>;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds' | 'nextTurn' | 'noteWork'>;
}

/** What of an effect does not follow from the interventions. */
export interface DescribedChange {
  readonly name: OperatorActionName;
  /** In a sentence. */
  readonly summary: string;
  readonly problems: readonly string[];
  /** Those that the caller may see. */
  readonly visible: readonly StandingIntervention[];
  /** A fall that one operator alone may not cause; null: it causes none. */
  readonly lowCount: LowCount | null;
}

/** Works out what interventions do that begin or end, from what is in force now. */
export class InterventionEffects {
  readonly #ports: InterventionEffectsPorts;

  constructor(ports: InterventionEffectsPorts) {
    this.#ports = ports;
  }

  /** A policy that the caller may see. @throws QueryError `UnknownPolicy` */
  activeOf(caller: Principal, policy: { readonly namespace: string; readonly name: string }): ActivePolicy {
    const key = namespacedName(policy);
    const found = indexOfActive(this.#listActive()).byKey.get(key);
    if (found === undefined || !mayAct(caller, 'viewer', policy.namespace))
      throw new QueryError('UnknownPolicy', `no policy ${key} is in force`);
    return found;
  }

  policiesOf(scope: InterventionScope): readonly ActivePolicy[] {
    return this.#listActive().filter((active) => isInScope(scope, active));
  }

  /** `spec.replicas` of the policy's target; null: not known. */
  presentOf(active: ActivePolicy): number | null {
    return this.#ports.reports.presentOf(active);
  }

  /** What the policy is kept within now. */
  boundsOf(active: ActivePolicy): BoundsInForce {
    const { clock, interventions, windows } = this.#ports;
    const time = clock.now();
    return boundsInForce(active, { time, interventions: interventions.actingOn(active, time) }, windows);
  }

  ofBeginning(
    { scope, intervention }: Pick<StandingIntervention, 'scope' | 'intervention'>,
    change: DescribedChange,
  ): Promise<ActionEffect> {
    const { lowCount, problems } = change;
    const requires: ActionRequirements = {
      role: problems.length > 0 ? 'admin' : lowCount === null ? 'operator' : 'approver',
      confirm: lowCount !== null,
      force: problems.length > 0,
    };
    const asked = JSON.parse(JSON.stringify({ scope, intervention })) as JsonObject;
    const summary = lowCount === null ? change.summary : `${change.summary}: ${describeLowCount(lowCount)}`;
    const described = { ...change, summary, requires, until: intervention.expires, asked };
    // Of two pins the one that began later acts.
    const beginning = { ...intervention, since: this.#ports.interventions.beginningOf(scope) };
    return this.#effectOf(scope, described, (before) => [...before, beginning]);
  }

  ofEnd({ id, scope, intervention }: StandingIntervention, change: DescribedChange): Promise<ActionEffect> {
    const requires = { role: 'operator', confirm: false, force: false } as const;
    const described = { ...change, requires, until: null, asked: { id } };
    const ended = besideExpiry(intervention);
    return this.#effectOf(scope, described, (before) =>
      before.filter((each) => besideExpiry(each) !== ended),
    );
  }

  /** In slices: a cluster has ten thousand policies. */
  async #effectOf(
    scope: InterventionScope,
    {
      name,
      summary,
      problems,
      visible,
      requires,
      until,
      asked,
    }: DescribedChange & {
      readonly requires: ActionRequirements;
      readonly until: string | null;
      readonly asked: JsonObject;
    },
    change: (before: readonly Intervention[]) => readonly Intervention[],
  ): Promise<ActionEffect> {
    const { clock, interventions, windows } = this.#ports;
    const time = clock.now();
    const affected = this.policiesOf(scope);
    const steps = mapInSteps(affected, (active) => {
      const before = interventions.actingOn(active, time);
      const present = this.presentOf(active);
      return interventionEffect({ active, before, after: change(before), present }, time, windows);
    });
    const effects = await runInTimeSlices(steps, clock, `${name}: what it would do`);
    const others = visible.filter(({ id }) => id !== asked['id']);
    const standing = standingFor(others, scope, affected);
    const signing = effectInSteps(
      { action: name, summary, problems, requires, until, standing, effects, changes: [], changed: 0 },
      asked,
    );
    return runInTimeSlices(signing, clock, `${name}: signing what it would do`);
  }

  /** @throws QueryError `BadArgument` where no policy in force has a metric of the source */
  requireMetricSource(name: string): void {
    const known = new Set(this.#listActive().flatMap(({ policy }) => metricSourcesOf(policy)));
    if (known.has(name)) return;
    const named = [...known].toSorted().slice(0, maximumNamed).join(', ');
    const those = known.size === 0 ? 'none has a metric' : `theirs are ${named}`;
    throw new QueryError(
      'BadArgument',
      `no policy in force has a metric of the source ${JSON.stringify(name)}; ${those}`,
    );
  }

  #listActive(): readonly ActivePolicy[] {
    return this.#ports.activePolicies.listActivePolicies();
  }
}

/** What an intervention is, however long it goes on where its expiry is in doubt. */
function besideExpiry(intervention: Intervention): string {
  return canonicalJson({ ...intervention, expires: '' });
}

function standingFor(
  all: readonly StandingIntervention[],
  scope: InterventionScope,
  affected: readonly ActivePolicy[],
): readonly StandingIntervention[] {
  const own = canonicalJson({ ...scope });
  // A namespace may have no policies yet, and an intervention all the same.
  const concerns = (standing: StandingIntervention): boolean =>
    scope.kind === 'Cluster' ||
    canonicalJson({ ...standing.scope }) === own ||
    affected.some((active) => isInScope(standing.scope, active));
  return all.filter(concerns).slice(0, maximumNamed);
}
