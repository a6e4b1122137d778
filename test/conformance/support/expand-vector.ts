import type { PodGroup, VectorGiven } from './vector.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');

/** The time that is `seconds` before every vector's observation. */
export function secondsAgo(seconds: number): string {
  return new Date(now - seconds * 1_000).toISOString();
}

/** Merges maps; lists and scalars of `over` replace. */
export function merge(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over === undefined ? base : over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) merged[key] = merge(base[key], value);
  return merged;
}

/** The complete input, as a line of `plimsoll decide` carries it. `{ago: 30}` anywhere is a time. */
export function expandVector(given: VectorGiven): unknown {
  const groups = given.pods ?? [];
  const current = given.current ?? 1;
  const observation = {
    time: secondsAgo(0),
    scale: { specReplicas: current, statusReplicas: given.status ?? current, selector: 'app=checkout' },
    pods: groups.flatMap(podsOf),
    metrics: given.metrics ?? [{ pods: groups.flatMap(samplesOf) }],
  };
  return withTimesOf({
    policy: policyOf(given),
    ...(given.settings === undefined ? {} : { settings: given.settings }),
    observation: merge(observation, given.observation),
    memory: given.memory ?? {},
  });
}

function policyOf(given: VectorGiven): unknown {
  const kind = given.kind ?? 'AutoscalingPolicy';
  const apiVersion = {
    AutoscalingPolicy: 'plimsoll.dev/v1alpha1',
    HorizontalPodAutoscaler: 'autoscaling/v2',
    WatermarkPodAutoscaler: 'datadoghq.com/v1alpha1',
  }[kind];
  const spec = {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
    minReplicas: 1,
    maxReplicas: 1000,
  };
  const annotations = given.annotations === undefined ? {} : { annotations: given.annotations };
  const metadata = { name: 'checkout', namespace: 'shop', ...annotations };
  return { apiVersion, kind, metadata, spec: merge(spec, given.spec) };
}

function namesOf(group: PodGroup): readonly string[] {
  const prefix = group.name ?? 'p';
  return Array.from(
    { length: group.count ?? 1 },
    (_, index) => `${prefix}-${String(index).padStart(2, '0')}`,
  );
}

function podsOf(group: PodGroup): readonly unknown[] {
  const { started = 3_600, ready = 'True', readyFor = 3_500, request = '100m', resource = 'cpu' } = group;
  return namesOf(group).map((name) =>
    merge(
      {
        name,
        phase: group.phase ?? 'Running',
        startTime: started === null ? null : secondsAgo(started),
        ready: ready === null ? null : { status: ready, lastTransitionTime: secondsAgo(readyFor) },
        ...(group.deleting === true ? { deletionTimestamp: secondsAgo(1) } : {}),
        ...(group.owners === undefined ? {} : { ownerReferences: group.owners }),
        containers: [{ name: 'app', requests: request === null ? {} : { [resource]: request } }],
      },
      group.extra,
    ),
  );
}

function samplesOf(group: PodGroup): readonly unknown[] {
  const { usage, value, resource = 'cpu' } = group;
  if (usage === undefined && value === undefined) return [];
  const content =
    usage === undefined ? { value } : { containers: [{ name: 'app', usage: { [resource]: usage } }] };
  return namesOf(group).map((pod) => ({
    pod,
    timestamp: secondsAgo(group.sampled ?? 15),
    windowSeconds: group.window ?? 60,
    ...content,
  }));
}

/** Replaces every `{ago: seconds}` by its time. */
export function withTimesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTimesOf);
  if (!isMap(value)) return value;
  if (typeof value['ago'] === 'number' && Object.keys(value).length === 1) return secondsAgo(value['ago']);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTimesOf(item)]));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
