import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/poll.ts';
import { type ControllerProcess, startControllerProcess } from '../e2e/support/controller-process.ts';
import { createPolicyRepository } from '../e2e/support/policy-repository.ts';
import { ReplicaHistory } from './replica-history.ts';
import { type Phase, type Scenario, scenarios } from './scenarios.ts';
import { serveTwinMetrics, type TwinMetrics } from './twin-metrics.ts';
import {
  type Twin,
  twinAutoscaler,
  twinName,
  twinNamespace,
  twinPolicy,
  twins,
  twinTarget,
} from './twin-objects.ts';

const timeoutMilliseconds = 60_000;

const startMilliseconds = 240_000;

/** What the native controller is called here, as in a distribution that has it in a program of its own. */
const programName = 'shop-distribution';

/** What both controllers count with: the defaults would make a phase last minutes. */
const settings = {
  downscaleStabilizationSeconds: 5,
  cpuInitializationPeriodSeconds: 1,
  initialReadinessDelaySeconds: 1,
};
const nativeFlags = [
  '--horizontal-pod-autoscaler-sync-period=1s',
  '--horizontal-pod-autoscaler-downscale-stabilization=5s',
  '--horizontal-pod-autoscaler-cpu-initialization-period=1s',
  '--horizontal-pod-autoscaler-initial-readiness-delay=1s',
  '--feature-gates=HPAScaleToZero=true',
];

let folder: string;
let cluster: ControlPlane;
let metrics: TwinMetrics;
let history: ReplicaHistory;
let controller: ControllerProcess;

const names = scenarios.flatMap((scenario) => twins.map((twin) => twinName(scenario, twin)));
const apply = (objects: readonly object[]) =>
  cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-twins-'));
  cluster = await startControlPlane({
    components: ['kube-controller-manager', 'kwok'],
    programNames: { 'kube-controller-manager': programName },
    extraArguments: {
      'kube-apiserver': ['--feature-gates=HPAScaleToZero=true'],
      'kube-controller-manager': nativeFlags,
    },
  });
  await cluster.kubectl(['create', 'namespace', twinNamespace]);
  metrics = await serveTwinMetrics(cluster, twinNamespace);
  load(0);
  await apply(scenarios.flatMap((scenario) => twins.map((twin) => twinTarget(scenario, twin))));
  history = new ReplicaHistory(cluster, twinNamespace);
  await eventually({
    description: 'the pods of every target',
    timeoutMilliseconds,
    probe: () => {
      const all = scenarios.every((scenario) =>
        twins.every((twin) => history.isAt(twinName(scenario, twin), scenario.replicas, 'Ready')),
      );
      return Promise.resolve(all || undefined);
    },
  });
  await Promise.all(scenarios.flatMap((scenario) => twins.map((twin) => unreadyPods(scenario, twin))));
  const repository = createPolicyRepository(join(folder, 'policies'));
  repository.commit(
    'Scale the twins',
    Object.fromEntries(
      scenarios.flatMap((scenario) => [
        [`${scenario.name}/scale.yaml`, stringify(twinPolicy(scenario))],
        [`${scenario.name}/rendered.yaml`, stringify(twinAutoscaler(scenario, 'rendered'))],
      ]),
    ),
  );
  controller = await startControllerProcess(folder, {
    cluster: { name: 'twins', kubeconfig: cluster.kubeconfigPath },
    mode: 'Act',
    namespaces: [twinNamespace],
    dataFolder: join(folder, 'data'),
    sources: [{ name: 'policies', url: repository.url, interval: '1h' }],
    database: { url: `sqlite:${join(folder, 'ledger.db')}` },
    settings,
  });
  await apply(scenarios.map((scenario) => twinAutoscaler(scenario, 'native')));
}, startMilliseconds);

afterAll(async () => {
  await controller.kill();
  await history.stop();
  await metrics.stop();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Lets pods of a target look as if they had never been ready. */
async function unreadyPods(scenario: Scenario, twin: Twin): Promise<void> {
  const path = `/api/v1/namespaces/${twinNamespace}/pods`;
  const app = twinName(scenario, twin);
  const { body } = await cluster.api({ path: `${path}?labelSelector=app%3D${app}` });
  const pods = (body as { items: { metadata: { name: string }; status: { startTime: string } }[] }).items;
  for (const { metadata, status } of pods.slice(0, scenario.unreadyPods ?? 0)) {
    const condition = { type: 'Ready', status: 'False', lastTransitionTime: status.startTime };
    const patch = JSON.stringify({ status: { conditions: [condition] } });
    const where = ['-n', twinNamespace, 'pod', metadata.name, '--subresource=status'];
    await cluster.kubectl(['patch', ...where, '--type=strategic', '-p', patch]);
  }
}

function load(phase: number): void {
  for (const { name, phases } of scenarios) metrics.loads.set(name, phases[phase]?.load ?? {});
}

const wantOf = ({ phases }: Scenario, phase: number): number => (phases[phase] as Phase).counts.at(-1) ?? -1;

/** Where every target has the count that the phase ends with. */
function arrive(phase: number): Promise<true> {
  return eventually({
    description: `phase ${phase}`,
    timeoutMilliseconds,
    probe: () => {
      const away = scenarios.flatMap((scenario) =>
        twins.flatMap((twin) => {
          const name = twinName(scenario, twin);
          const want = wantOf(scenario, phase);
          return history.isAt(name, want) ? [] : [`${name} ${history.of(name).join(' → ')}, not ${want}`];
        }),
      );
      if (away.length > 0) throw new Error(away.join('; '));
      return Promise.resolve(true);
    },
  });
}

describe.each([0, 1, 2])('in phase %i', (phase) => {
  const seen = new Map<string, readonly number[]>();

  beforeAll(async () => {
    history.begin();
    load(phase);
    await arrive(phase);
    await evaluations();
    await arrive(phase);
    for (const name of names) seen.set(name, history.of(name));
  }, 2 * timeoutMilliseconds);

  it.each(scenarios)('$name: three autoscalers make the same counts in the same order', (scenario) => {
    // When the first phase begins, the bounds may have been corrected already, and perhaps not by all.
    const length = scenario.phases[phase]?.counts.length ?? 0;
    const [native, scale, rendered] = twins.map((twin) => seen.get(twinName(scenario, twin)));
    const counts = scenario.phases[phase]?.counts;
    const all = [native, scale, rendered].map((each) => (phase === 0 ? each?.slice(-length) : each));
    expect(all).toEqual([counts, counts, counts]);
  });
});

it(
  'the native controller did what the decision of each rendered policy said',
  async () => {
    const decisions = await eventually({
      description: 'a decision of each rendered policy on the last phase',
      timeoutMilliseconds,
      probe: async () => {
        const found = await desiredReplicas();
        const away = scenarios.filter(
          (scenario) => found.get(twinName(scenario, 'rendered')) !== wantOf(scenario, 2),
        );
        if (away.length > 0) throw new Error(away.map(({ name }) => name).join(', '));
        return found;
      },
    });
    expect(decisions.size).toBe(2 * scenarios.length);
  },
  timeoutMilliseconds,
);

it.each(scenarios)(
  '$name: what the native controller scaled is the history of the rendered policy, and what its HPA said, too',
  async (scenario) => {
    const name = twinName(scenario, 'rendered');
    const { scalings, observed } = await eventually({
      description: `the record of ${name}`,
      timeoutMilliseconds,
      probe: async () => {
        const found = await recordOf(name);
        const isWhole = found.observed.length > 0 && endsAt(found.scalings, scenario);
        return isWhole ? found : undefined;
      },
    });
    // From a count of 0 on the API server names no manager.
    const manager = scalings.some(({ to }) => to === 0) ? null : programName;
    const native = { origin: 'HorizontalPodAutoscaler', manager, autoscaler: name };
    expect(scalings).toEqual(scalings.map(({ from, to }) => ({ from, to, ...native })));
    expect(scalings.slice(1).map(({ from }) => from)).toEqual(scalings.slice(0, -1).map(({ to }) => to));
    expect(observed[0]?.desiredReplicas).toBe(wantOf(scenario, 2));
  },
  timeoutMilliseconds,
);

/** Whether a history, oldest first, ends at the count of the last phase; one that changes nothing has none. */
function endsAt(scalings: readonly Scaling[], scenario: Scenario): boolean {
  return (scalings.at(-1)?.to ?? scenario.replicas) === wantOf(scenario, 2);
}

/** So long that every autoscaler has looked again, twice. */
async function evaluations(): Promise<void> {
  const start = Date.now();
  await eventually({
    description: 'two more evaluations',
    timeoutMilliseconds,
    probe: () => Promise.resolve(Date.now() - start > 3_000 || undefined),
  });
}

interface PoliciesAnswer {
  readonly policies: {
    readonly edges: readonly {
      readonly node: {
        readonly name: string;
        readonly latestDecision: { readonly desiredReplicas: number } | null;
      };
    }[];
  };
}

async function desiredReplicas(): Promise<ReadonlyMap<string, number | undefined>> {
  const query = '{ policies(first: 50) { edges { node { name latestDecision { desiredReplicas } } } } }';
  const { policies } = await controller.query<PoliciesAnswer>(query);
  return new Map(policies.edges.map(({ node }) => [node.name, node.latestDecision?.desiredReplicas]));
}

interface Scaling {
  readonly from: number;
  readonly to: number;
}

interface RecordAnswer {
  readonly scalingEvents: { readonly edges: readonly { readonly node: Scaling }[] };
  readonly hpaObservations: {
    readonly edges: readonly { readonly node: { readonly desiredReplicas: number } }[];
  };
}

/** The scalings of a policy's target, oldest first, and what its HPA said, newest first. */
async function recordOf(name: string): Promise<{
  readonly scalings: readonly Scaling[];
  readonly observed: readonly { readonly desiredReplicas: number }[];
}> {
  const of = `(first: 50, policy: { namespace: "${twinNamespace}", name: "${name}" })`;
  const { scalingEvents, hpaObservations } = await controller.query<RecordAnswer>(`{
    scalingEvents${of} { edges { node { from to origin manager autoscaler } } }
    hpaObservations${of} { edges { node { desiredReplicas } } }
  }`);
  return {
    scalings: scalingEvents.edges.map(({ node }) => node).toReversed(),
    observed: hpaObservations.edges.map(({ node }) => node),
  };
}
