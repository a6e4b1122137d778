import type { Observation, ObservedLifecycle, ObservedPod } from '#decision';
import type { CachedResource, PassOutcome } from '../outcome/pass-outcome.ts';
import { readOfScale } from '../pass/awaited-calls.ts';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { Pass } from '../pass/pass.ts';
import { isSameTarget } from '../policies/scale-target.ts';
import type { CompetingAutoscaler } from '../ports/competing-autoscalers.port.ts';
import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import type { OwnersReading } from '../ports/owners.port.ts';
import type { ScaleReading, ScaleState } from '../ports/scale.port.ts';
import { requestedSelectionOf } from '../strategy/policy-strategy.ts';
import { readLifecycle } from './read-lifecycle.ts';
import { readMetrics } from './read-metrics.ts';
import { readRecommendation } from './read-recommendation.ts';

/** What one pass saw. */
export interface Observed extends Sighting {
  /** When it began to look, in milliseconds of a clock that never goes back. */
  readonly beganAt: number;
}

interface Sighting {
  readonly observation: Observation;
  /** Null: the scale could not be read. */
  readonly scale: ScaleState | null;
  /** The HPAs of the namespace; null: not looked at. */
  readonly autoscalers: readonly NativeAutoscaler[] | null;
  /** A live HPA on the policy's own target. */
  readonly rival: NativeAutoscaler | null;
  /** An autoscaler of another controller on the policy's own target. */
  readonly competitor: CompetingAutoscaler | null;
  /** Why it is not known whether there is one now; null: it is. */
  readonly competitorUnknown: string | null;
  /** Policies of the namespace that had not looked at their pods yet when this one counted its competitors. */
  readonly awaitedNeighbours: readonly string[];
  /** Pods in the cache that run or may; null: not looked at. */
  readonly knownPods: number | null;
}

/** `NotObservable`: an observation made now would be untrue, so nothing is decided. */
export type ObserveResult =
  | { readonly kind: 'Observed'; readonly observed: Observed }
  | { readonly kind: 'NotObservable'; readonly outcome: PassOutcome };

/** Gathers everything that one decision depends on. */
export async function observe(pass: Pass): Promise<ObserveResult> {
  const beganAt = pass.ports.clock.monotonicMilliseconds();
  const looked = await look(pass);
  return looked.kind === 'Seen' ? { kind: 'Observed', observed: { ...looked.seen, beganAt } } : looked;
}

type Looked =
  | { readonly kind: 'Seen'; readonly seen: Sighting }
  | Extract<ObserveResult, { readonly kind: 'NotObservable' }>;

async function look(pass: Pass): Promise<Looked> {
  const reading = await readScale(pass);
  const { key, target, active } = pass.runtime;
  const { namespace } = target;
  if ('error' in reading) {
    // No target has no pods, so its policy's neighbours need not wait for it; of any other failure that is not known.
    if (reading.cause === 'NotFound') pass.claims.release(key, namespace);
    return observed(unreadable(pass, reading, await readLifecycle(pass)));
  }
  const { state } = reading;
  const hpas = pass.ports.nativeAutoscalers.listAutoscalers(namespace);
  if (hpas.state === 'Unsynced') return notObservable(hpas.message, hpaResource);
  const { autoscalers } = hpas;
  const rival = autoscalers.find(({ target }) => isSameTarget(target, pass.runtime.target)) ?? null;
  const competition = competitionOf(pass);
  if (!active.policy.enabled) {
    pass.claims.release(key, namespace);
    return observed({ ...withScale(pass, state, {}), autoscalers, rival, ...competition });
  }
  const listing = pass.ports.pods.listPods({ namespace, selector: state.selector });
  if (listing.state === 'Unsynced') return notObservable(listing.message, podResource);

  const competingPolicies = findCompetitors(pass, listing.pods);
  const awaitedNeighbours = pass.claims.awaitedIn(namespace);
  const [owners, metrics, lifecycle] = await Promise.all([
    readOwners(pass, listing.pods),
    readMetrics(pass, state.selector),
    readLifecycle(pass),
  ]);
  const seen = {
    pods: listing.pods,
    metrics,
    competingPolicies,
    ...(owners === null ? {} : { owners }),
    ...(lifecycle === null ? {} : { lifecycle }),
  };
  const asked = withScale(pass, state, seen);
  const recommendation = await readRecommendation(pass, asked.observation);
  const knownPods = countRunning(listing.pods);
  return observed({
    ...(recommendation === null ? asked : withScale(pass, state, { ...seen, recommendation })),
    autoscalers,
    rival,
    ...competition,
    awaitedNeighbours,
    knownPods,
  });
}

function readScale(pass: Pass): Promise<ScaleReading> {
  const { ports, runtime } = pass;
  const state = ports.scale.cachedScale(runtime.target);
  if (state !== undefined) return Promise.resolve({ state });
  const query = { target: runtime.target, freshness: 'Cached' } as const;
  return callKubernetes(pass, readOfScale(runtime.target), (signal) => ports.scale.readScale(query, signal));
}

function unreadable(
  { ports }: Pass,
  { error }: Extract<ScaleReading, { readonly error: unknown }>,
  lifecycle: ObservedLifecycle | null,
): Sighting {
  const observation = {
    time: ports.clock.now(),
    scale: { error },
    ...(lifecycle === null ? {} : { lifecycle }),
  };
  return { observation, scale: null, ...notLooked };
}

/** The time is taken last: it is when the decision is made, and nothing in the observation is later than it. */
function withScale({ ports, runtime }: Pass, scale: ScaleState, seen: Partial<Observation>): Sighting {
  const time = ports.clock.now();
  const { specReplicas, statusReplicas, selector, uid } = scale;
  const windows = ports.windows.windowsInForce(runtime.active.policy, time);
  const interventions = ports.interventions.actingOn(runtime.active, time);
  const observation: Observation = {
    time,
    scale: { specReplicas, statusReplicas, selector },
    target: { uid },
    ...seen,
    ...(windows.length === 0 ? {} : { windows }),
    ...(interventions.length === 0 ? {} : { interventions }),
  };
  return { observation, scale, ...notLooked };
}

function findCompetitors({ runtime, claims }: Pass, pods: readonly ObservedPod[]): readonly string[] {
  const { namespace } = runtime.target;
  const podNames = pods.map(({ name }) => name);
  claims.claim({ key: runtime.key, namespace, target: runtime.target, podNames });
  return claims.competitorsOf(runtime.key);
}

/** Owners are looked up only where the decision filters by them: a lookup that is not read still costs API calls. */
function readOwners(pass: Pass, pods: readonly ObservedPod[]): Promise<OwnersReading | null> {
  const { ports, runtime, options } = pass;
  if (requestedSelectionOf(runtime.active.policy, options.settings) !== 'OwnerReference')
    return Promise.resolve(null);
  const query = { policy: runtime.key, namespace: runtime.target.namespace, pods };
  const watched = ports.owners.listWatchedOwners(query);
  if (watched !== undefined) return Promise.resolve(watched);
  return callKubernetes(pass, 'reads of the owners of its pods', (signal) =>
    ports.owners.resolveOwners(query, signal),
  );
}

const notLooked = {
  autoscalers: null,
  rival: null,
  competitor: null,
  competitorUnknown: null,
  awaitedNeighbours: [],
  knownPods: null,
} as const;

function competitionOf({
  ports: { competingAutoscalers },
  runtime: { target },
}: Pass): Pick<Sighting, 'competitor' | 'competitorUnknown'> {
  const competitors = competingAutoscalers.listCompetitors(target.namespace);
  return {
    competitor: competitors.find((competitor) => isSameTarget(competitor.target, target)) ?? null,
    competitorUnknown: competingAutoscalers.whyUnknown(target.namespace),
  };
}

/** Those that run or may: pods that have ended are in no status.replicas. */
function countRunning(pods: readonly ObservedPod[]): number {
  let count = 0;
  for (const { phase } of pods) if (phase !== 'Failed' && phase !== 'Succeeded') count += 1;
  return count;
}

function observed(seen: Sighting): Looked {
  return { kind: 'Seen', seen };
}

const podResource: CachedResource = { group: '', resource: 'pods' };
const hpaResource: CachedResource = { group: 'autoscaling', resource: 'horizontalpodautoscalers' };

function notObservable(message: string, cache: CachedResource): Looked {
  return { kind: 'NotObservable', outcome: { kind: 'Waiting', reason: 'CacheNotSynced', message, cache } };
}
