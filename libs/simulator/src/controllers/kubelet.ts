import type { Json, JsonObject } from '#kernel';
import { type KubeObject, listAt, numberAt, objectAt, textAt, toKubeTime } from '../objects/kube-object.ts';
import { isReady } from '../objects/pod-status.ts';
import type { Cluster, Controller } from './cluster.ts';

/** How long a pod runs before it has done its work; without it, until it is deleted. Seconds. */
export const runSecondsAnnotation = 'simulator.plimsoll.dev/run-seconds';
/** The pod runs, but is never ready. */
export const neverReadyAnnotation = 'simulator.plimsoll.dev/never-ready';

/** Plays scheduler and kubelet: pods start, become ready, end, and go when they are deleted. */
export function createKubelet(): Controller {
  // By uid, so that a pod's next step is scheduled once, however often the pod changes.
  const stages = new Map<string, string>();
  return {
    resource: '/pods',
    reconcile: (pod, cluster) => {
      const stage = stageOf(pod);
      const { uid } = pod.metadata;
      if (stages.get(uid) === stage) return;
      stages.set(uid, stage);
      scheduleNext(pod, stage, { cluster, forget: () => stages.delete(uid) });
    },
  };
}

type Stage = 'Unbound' | 'Pending' | 'Running' | 'Ready' | 'Ended' | 'Leaving';

interface Next {
  readonly cluster: Cluster;
  readonly forget: () => void;
}

function stageOf(pod: KubeObject): Stage {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Leaving';
  const phase = textAt(pod, 'status', 'phase');
  if (phase === 'Succeeded' || phase === 'Failed') return 'Ended';
  if (phase === 'Running') return isReady(pod) ? 'Ready' : 'Running';
  return textAt(pod, 'spec', 'nodeName') === undefined ? 'Unbound' : 'Pending';
}

function scheduleNext(pod: KubeObject, stage: Stage, { cluster, forget }: Next): void {
  const { runningAfterSeconds, readyAfterSeconds, goneAfterSeconds } = cluster.podTimings;
  const later = (seconds: number, step: (live: KubeObject) => void): void => {
    cluster.clock.schedule(seconds * 1000, () => withLivePod(pod, cluster, step));
  };
  switch (stage) {
    case 'Unbound':
      bind(pod, cluster);
      return;
    case 'Pending':
      later(runningAfterSeconds, (live) => putPhase(live, cluster, readyAfterSeconds <= runningAfterSeconds));
      return;
    case 'Running':
      later(readyAfterSeconds - runningAfterSeconds, (live) => putPhase(live, cluster, true));
      return;
    case 'Ready':
      scheduleEnd(pod, later, cluster);
      return;
    case 'Leaving':
      later(goneAfterSeconds, (live) => {
        forget();
        cluster.store.remove('/pods', live);
      });
      return;
    case 'Ended':
      forget();
  }
}

function scheduleEnd(
  pod: KubeObject,
  later: (seconds: number, step: (live: KubeObject) => void) => void,
  cluster: Cluster,
): void {
  const seconds = Number(pod.metadata.annotations?.[runSecondsAnnotation]);
  if (!Number.isFinite(seconds)) return;
  later(seconds, (live) => {
    const status = { ...objectAt(live, 'status'), phase: 'Succeeded', conditions: [] };
    if (live.metadata.deletionTimestamp === undefined) cluster.store.put('/pods', { ...live, status });
  });
}

function withLivePod(pod: KubeObject, { store }: Cluster, step: (live: KubeObject) => void): void {
  const { namespace = '', name, uid } = pod.metadata;
  const live = store.get({ resource: '/pods', namespace, name });
  if (live?.metadata.uid === uid) step(live);
}

function bind(pod: KubeObject, { store }: Cluster): void {
  const spec = { ...objectAt(pod, 'spec'), nodeName: 'simulated-1' };
  store.put('/pods', { ...pod, spec });
}

function putPhase(pod: KubeObject, { store, clock }: Cluster, mayBeReady: boolean): void {
  if (pod.metadata.deletionTimestamp !== undefined) return;
  const ready = mayBeReady && pod.metadata.annotations?.[neverReadyAnnotation] === undefined;
  const now = toKubeTime(clock.now());
  const startTime = textAt(pod, 'status', 'startTime') ?? pod.metadata.creationTimestamp ?? now;
  const wasReady = isReady(pod);
  if (textAt(pod, 'status', 'phase') === 'Running' && wasReady === ready) return;
  const status = {
    ...objectAt(pod, 'status'),
    phase: 'Running',
    startTime,
    conditions: conditions(ready, { now, startTime }),
    containerStatuses: containerStatuses(pod, ready, now),
  };
  store.put('/pods', { ...pod, status });
}

function conditions(
  ready: boolean,
  { now, startTime }: { readonly now: string; readonly startTime: string },
): JsonObject[] {
  const state = { status: ready ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: now };
  const past = { status: 'True', lastProbeTime: null, lastTransitionTime: startTime };
  return [
    { type: 'Initialized', ...past },
    { type: 'Ready', ...state },
    { type: 'ContainersReady', ...state },
    { type: 'PodScheduled', ...past },
  ];
}

function containerStatuses(pod: KubeObject, ready: boolean, now: string): JsonObject[] {
  const started = listAt(pod, 'status', 'containerStatuses');
  return listAt(pod, 'spec', 'containers').map((container: Json, index) => ({
    name: textAt(container, 'name'),
    image: textAt(container, 'image'),
    ready,
    started: true,
    restartCount: numberAt(started[index], 'restartCount') ?? 0,
    state: { running: { startedAt: textAt(started[index], 'state', 'running', 'startedAt') ?? now } },
  }));
}
