import type { Decision, Observation } from '#decision';
import { effectiveLimits } from '../hpa/effective-limits.ts';
import { isByFleetBrake } from '../interventions/intervention-scope.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { metricSourcesOf } from '../policies/metric-sources.ts';
import type { TargetRules } from './target-losses.ts';

/** A decision on a policy, and what it was made of. */
export interface DecidedTarget {
  readonly active: ActivePolicy;
  readonly observation: Observation;
  readonly decision: Decision;
  /** Nothing is written in a dry run, and in `mode: Observe`. */
  readonly mayWrite: boolean;
  /** The policy has decided before. */
  readonly hasDecided: boolean;
}

/** What decides beside metrics whether a target may lose replicas. */
export interface TargetStanding {
  readonly minReplicas: number;
  /** Metrics may take replicas away: neither people nor windows decide or stop it, and it is written. */
  readonly isFree: boolean;
  /** What the count depends on beside metrics. */
  readonly rules: TargetRules;
}

/** What the metrics of each source ask for: the highest of them; null: all are invalid. */
export function proposalsOf(
  { policy }: ActivePolicy,
  { metrics }: Decision,
): ReadonlyMap<string, number | null> {
  const sources = metricSourcesOf(policy);
  const proposals = new Map<string, number | null>();
  for (const [index, { proposedReplicas }] of metrics.entries()) {
    const source = sources[index];
    if (source === undefined) continue;
    const other = proposals.get(source) ?? null;
    proposals.set(source, proposedReplicas === null ? other : Math.max(proposedReplicas, other ?? 0));
  }
  return proposals;
}

/** Of policies that nothing acts on, as on nearly all in nearly every pass. */
const ownStandings = new WeakMap<
  ActivePolicy,
  { readonly mayWrite: boolean; readonly own: TargetStanding }
>();

export function standingOf(decided: DecidedTarget): TargetStanding {
  const { active, observation, mayWrite } = decided;
  const { windows, interventions } = observation;
  if ((windows?.length ?? 0) > 0 || (interventions?.length ?? 0) > 0) return standingNow(decided);
  const known = ownStandings.get(active);
  if (known?.mayWrite === mayWrite) return known.own;
  const own = standingNow(decided);
  ownStandings.set(active, { mayWrite, own });
  return own;
}

function standingNow({ active, observation, mayWrite }: DecidedTarget): TargetStanding {
  const { time, windows, interventions } = observation;
  const others = (interventions ?? []).filter((intervention) => !isByFleetBrake(intervention));
  const { policy } = active;
  const limits = effectiveLimits(policy, { time, windows: windows ?? [], interventions: others });
  const isStopped = limits.stops.some(({ direction }) => direction !== 'Up');
  const isOverridden = others.some(({ kind }) => kind === 'Override');
  const isFree = mayWrite && !isStopped && !isOverridden;
  return {
    minReplicas: limits.minReplicas,
    isFree,
    rules: { version: active, limits: `${limits.minReplicas} ${limits.maxReplicas} ${isFree}` },
  };
}
