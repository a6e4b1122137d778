import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ObjectName, type Simulator, startSimulator } from '#simulator';
import { createPolicyRepository, type PolicyRepository } from '../../e2e/support/policy-repository.ts';

const containerRequestMillicores = 500;
const targetPercent = 60;
const toleranceShare = 0.1;

/** One workload under its policy, and the load that says how many replicas it needs. */
export interface StormWorkload {
  readonly name: string;
  readonly selectionStrategy: 'LabelSelector' | 'OwnerReference';
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly initialReplicas: number;
}

/** The workloads of a storm. */
export const stormWorkloads: readonly StormWorkload[] = [
  workload('steady-labels', 'LabelSelector', 8),
  workload('steady-owners', 'OwnerReference', 8),
  workload('wave-labels', 'LabelSelector', 4),
  workload('wave-owners', 'OwnerReference', 4),
  workload('pulled', 'LabelSelector', 6),
];

/** Those that others scale, too. */
export const scaledByOthers: ReadonlySet<string> = new Set(['pulled', 'wave-owners', 'steady-labels']);

/** What is left of the usage when it was measured on half again as many pods. */
const laggingShare = 0.65;

function workload(
  name: string,
  selectionStrategy: StormWorkload['selectionStrategy'],
  initialReplicas: number,
): StormWorkload {
  return { name, selectionStrategy, minReplicas: 1, maxReplicas: 30, initialReplicas };
}

/** A load set at a moment, in millicores of all pods together. */
interface LoadStep {
  readonly atMilliseconds: number;
  readonly millicores: number;
}

/** Loads wanted of a count of replicas may still be decided on for this long: samples, windows and pauses. */
const memoryMilliseconds = 120_000;

/** A simulated cluster, a repository and a configuration, all of which the storm disturbs. */
export class StormWorld {
  readonly folder: string;
  readonly simulator: Simulator;
  readonly repository: PolicyRepository;
  readonly #loads = new Map<string, LoadStep[]>();

  private constructor(folder: string, simulator: Simulator, repository: PolicyRepository) {
    this.folder = folder;
    this.simulator = simulator;
    this.repository = repository;
  }

  /** Starts the cluster at its workloads' initial counts, each with the load that these counts carry. */
  static async start(): Promise<StormWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-storm-'));
    const simulator = await startSimulator({ podTimings: { runningAfterSeconds: 0, readyAfterSeconds: 0 } });
    simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    const world = new StormWorld(folder, simulator, createPolicyRepository(join(folder, 'policies')));
    for (const each of stormWorkloads) {
      simulator.objects.create(deployment(each));
      world.setLoad(each.name, each.initialReplicas);
    }
    simulator.runPending();
    world.repository.commit('Add the policies', {
      'teams/shop/policies.yaml': stormWorkloads.map((each) => policyText(each)).join('---\n'),
    });
    await writeFile(join(folder, 'kubeconfig'), simulator.kubeconfigYaml);
    return world;
  }

  /** For `startControllerProcess`. */
  get configuration(): object {
    return {
      cluster: { name: 'storm', kubeconfig: join(this.folder, 'kubeconfig') },
      mode: 'Act',
      namespaces: ['shop'],
      dataFolder: join(this.folder, 'data'),
      sources: [
        {
          name: 'policies',
          url: this.repository.url,
          interval: '1s',
          tenants: [
            { name: 'shop', path: 'teams/shop' },
            { name: 'stranger', path: 'teams/stranger' },
          ],
          limits: { fetchTimeout: '20s' },
        },
      ],
      database: { url: `sqlite:${this.databaseFile}` },
      settings: { cpuInitializationPeriodSeconds: 0, initialReadinessDelaySeconds: 0 },
    };
  }

  get databaseFile(): string {
    return join(this.folder, 'ledger.db');
  }

  /** Sets the load that so many replicas carry at exactly the policy's target. */
  setLoad(name: string, replicas: number): void {
    const millicores = (replicas * containerRequestMillicores * targetPercent) / 100;
    const steps = this.#loads.get(name) ?? [];
    steps.push({ atMilliseconds: performance.now(), millicores });
    this.#loads.set(name, steps);
    this.simulator.load.setWorkload(
      { namespace: 'shop', kind: 'Deployment', name },
      { app: { cpu: { kind: 'Constant', value: millicores }, share: 'Total' } },
    );
  }

  /**
   * The fewest replicas that any load of the last two minutes allows: below it, a scale-in is an accident. Where others
   * scale, usage per pod is for a moment that of another count, to any autoscaler: a share less is allowed.
   */
  fewestAllowed(name: string): number {
    const now = performance.now();
    const steps = this.#loads.get(name) ?? [];
    const recent = steps.filter(
      (_, index) => (steps[index + 1]?.atMilliseconds ?? now) >= now - memoryMilliseconds,
    );
    const least = Math.min(...recent.map(({ millicores }) => millicores));
    const fewest = least / (containerRequestMillicores * (targetPercent / 100) * (1 + toleranceShare));
    return Math.ceil(scaledByOthers.has(name) ? fewest * laggingShare : fewest);
  }

  /** The fewest and the most replicas at which the load of now is within the policy's tolerance. */
  wantedNow(name: string): { readonly fewest: number; readonly most: number } {
    const millicores = this.#loads.get(name)?.at(-1)?.millicores ?? 0;
    const perReplica = containerRequestMillicores * (targetPercent / 100);
    return {
      fewest: Math.ceil(millicores / (perReplica * (1 + toleranceShare))),
      most: Math.floor(millicores / (perReplica * (1 - toleranceShare))),
    };
  }

  replicasOf(name: string): number {
    const found = this.simulator.objects.find(deploymentName(name));
    return (found?.['spec'] as { readonly replicas: number } | undefined)?.replicas ?? Number.NaN;
  }

  async stop(): Promise<void> {
    await this.simulator.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A workload's Deployment. */
export function deploymentName(name: string): ObjectName {
  return { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name };
}

function deployment({ name, initialReplicas }: StormWorkload) {
  const labels = { app: name };
  const resources = { requests: { cpu: `${containerRequestMillicores}m` } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop' },
    spec: {
      replicas: initialReplicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image: `shop/${name}:1`, resources }] },
      },
    },
  };
}

/** The policy of a workload, quick to follow in both directions; `revision` makes each commit differ. */
export function policyText(
  { name, selectionStrategy, minReplicas, maxReplicas }: StormWorkload,
  revision = 0,
): string {
  return `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: ${name}, namespace: shop, annotations: {example.com/revision: "${revision}"}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}
  minReplicas: ${minReplicas}
  maxReplicas: ${maxReplicas}
  interval: 1s
  selectionStrategy: ${selectionStrategy}
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: ${targetPercent}}}}
  behavior:
    scaleDown: {stabilizationWindowSeconds: 5}
`;
}
