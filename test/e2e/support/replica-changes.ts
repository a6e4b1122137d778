import type { CountChange } from './asked-counts.ts';
import { type LoadedEntry, loadEntriesOf } from './load-entries.ts';
import type { ShopWorld } from './shop-world.ts';

/** Deployments whose counts follow their load. */
export const targets = ['left', 'right'] as const;

/**
 * A policy that follows the load of a target both ways, at once. A step of one is beyond its tolerance at every count: one
 * that was reached for a moment, as while a pod was not ready, is no place to stay.
 */
export const policyOf = (target: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: ${target}, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${target}}
  minReplicas: 1
  maxReplicas: 12
  interval: 1s
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60, tolerance: 0.05}}}
  behavior: {scaleDown: {stabilizationWindowSeconds: 0}}
`;

function deploymentOf(name: string) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop' },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image: 'a', resources: { requests: { cpu: '500m' } } }] },
      },
    },
  };
}

/** Makes targets of 4 replicas, and keeps the API server's own list of their changes: `left 4 → 8`. */
export function recordChanges(
  world: ShopWorld,
  targets: readonly string[],
  onChange: (change: CountChange) => void = () => undefined,
): readonly string[] {
  const { simulator } = world;
  const made: string[] = [];
  for (const target of targets) {
    simulator.objects.create(deploymentOf(target));
    setLoad(world, target, 4);
  }
  simulator.runPending();
  simulator.store.subscribe(({ type, object, previous }) => {
    const [from, to] = [replicasIn(previous), replicasIn(object)];
    if (type !== 'MODIFIED' || object.kind !== 'Deployment' || from === to) return;
    const change = { target: object.metadata.name, from: Number(from), to: Number(to), at: Date.now() };
    made.push(describeChange(change));
    onChange(change);
  });
  return made;
}

/** The changes that a ledger has, in no order. */
export async function recordedChanges(url: string): Promise<readonly string[]> {
  return (await scalingEvents(url)).map(describeEvent).sort();
}

/** Those among them that it takes for others' changes. */
export async function recordedForeignChanges(url: string): Promise<readonly string[]> {
  const events = await scalingEvents(url);
  return events.filter(({ origin }) => origin !== 'Plimsoll').map(describeEvent);
}

interface ScalingEventPayload {
  readonly target: { readonly name: string };
  readonly from: number;
  readonly to: number;
  readonly origin: string;
}

async function scalingEvents(url: string): Promise<readonly ScalingEventPayload[]> {
  const events = inTime(await loadEntriesOf(url)).filter(({ kind }) => kind === 'ScalingEvent');
  return events.map(({ payload }) => payload as unknown as ScalingEventPayload);
}

function describeEvent({ target, from, to }: ScalingEventPayload): string {
  return describeChange({ target: target.name, from, to });
}

function describeChange({ target, from, to }: Pick<CountChange, 'target' | 'from' | 'to'>): string {
  return `${target} ${from} → ${to}`;
}

/** Without what a process had in its journal that was taken over: its successor has recorded the same. */
function inTime(entries: readonly LoadedEntry[]): readonly LoadedEntry[] {
  return entries.filter(({ stream }) => !stream.startsWith('late:'));
}

/** What was announced, and what became of it, by the announcements' ids: each has one outcome. */
export function outcomesOf(entries: readonly LoadedEntry[]): {
  readonly intents: readonly string[];
  readonly outcomes: readonly string[];
} {
  const intents = entries.filter(({ kind }) => kind === 'ScalingIntent').map(({ id }) => id);
  const outcomes = inTime(entries).flatMap(({ kind, payload }) =>
    (kind === 'ScalingEvent' && payload['origin'] === 'Plimsoll') || kind === 'ScalingFailure'
      ? [payload['intent'] as string]
      : [],
  );
  return { intents: intents.toSorted(), outcomes: outcomes.toSorted() };
}

/** Gives a target the load of so many replicas at 60 % of their CPU. */
export function setLoad({ simulator }: ShopWorld, name: string, replicas: number): void {
  simulator.load.setWorkload(
    { namespace: 'shop', kind: 'Deployment', name },
    { app: { cpu: { kind: 'Constant', value: replicas * 300 }, share: 'Total' } },
  );
}

/** How many replicas a target has now. */
export function replicasOf({ simulator }: ShopWorld, name: string): unknown {
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name };
  return replicasIn(simulator.objects.find(target));
}

function replicasIn(object: unknown): unknown {
  const spec: unknown = Reflect.get(Object(object) as object, 'spec');
  return Reflect.get(Object(spec) as object, 'replicas');
}
