import { SimulationClock } from './clock/simulation-clock.ts';
import type { KubeObject, NewObject } from './objects/kube-object.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';

/** A simulator whose time a test moves, with a namespace. */
export interface TestCluster {
  readonly simulator: Simulator;
  readonly clock: SimulationClock;
}

/** The namespace of every test. */
export const testNamespace = 'shop';

/** Starts one at noon. */
export async function aCluster(options: SimulatorOptions = {}): Promise<TestCluster> {
  const clock = SimulationClock.manual(Date.parse('2026-03-01T12:00:00Z'));
  const simulator = await startSimulator({ clock, ...options });
  simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: testNamespace } });
  return { simulator, clock };
}

/** A workload with one container `web`, 100m requested. */
export function aWorkload(kind: string, name: string, spec: object = {}): NewObject {
  const labels = { app: name };
  const containers = [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '100m' } } }];
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name, namespace: testNamespace, labels },
    spec: {
      ...(kind === 'Job' ? {} : { selector: { matchLabels: labels } }),
      template: { metadata: { labels }, spec: { containers } },
      ...spec,
    },
  };
}

/** The pods of the namespace, by name. */
export function podsOf({ simulator }: TestCluster): readonly KubeObject[] {
  return simulator.objects.list({ apiVersion: 'v1', kind: 'Pod', namespace: testNamespace });
}

/** A GET with the token; the body as JSON. */
export async function get({ simulator }: TestCluster, path: string): Promise<unknown> {
  return (await request({ simulator }, path)).json();
}

/** A GET with the token. */
export function request({ simulator }: Pick<TestCluster, 'simulator'>, path: string): Promise<Response> {
  return fetch(`${simulator.url}${path}`, { headers: { authorization: `Bearer ${simulator.token}` } });
}
