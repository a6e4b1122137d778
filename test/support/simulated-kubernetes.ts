import { setTimeout as delay } from 'node:timers/promises';
import { type Kubernetes, type KubernetesOptions, openKubernetes, type Timing } from '#adapter-kubernetes';
import { FakeLog } from '#reconciliation/testing';
import { type NewObject, type Simulator, type SimulatorOptions, startSimulator } from '#simulator';
import { eventually } from '../control-plane/poll.ts';

/** The namespace of the objects that are made here. */
const namespace = 'shop';

/** The machine's clocks, which a test moves on, each by itself. Waiting takes as long as it says. */
export class MovableTiming implements Timing {
  /** How far the wall clock was moved, in milliseconds; negative: set back. */
  wallOffsetMilliseconds = 0;
  #elapsedOffset = 0;

  readonly now = (): number => Date.now() + this.wallOffsetMilliseconds;
  readonly elapsed = (): number => performance.now() + this.#elapsedOffset;
  readonly random = (): number => 0;
  readonly wait = (ms: number, signal?: AbortSignal): Promise<void> =>
    delay(ms, undefined, signal === undefined ? {} : { signal });

  /** Lets time pass on both clocks; what waits does not notice. */
  advance(milliseconds: number): void {
    this.#elapsedOffset += milliseconds;
    this.wallOffsetMilliseconds += milliseconds;
  }
}

/** The adapter on a bare API server, with the namespaces `shop` and `bank`. */
export interface SimulatedKubernetes {
  readonly simulator: Simulator;
  readonly kubernetes: Kubernetes;
  readonly log: FakeLog;
  readonly stop: () => Promise<void>;
}

/** Starts both, and waits until the caches are filled. */
export async function startSimulatedKubernetes(
  options: Partial<KubernetesOptions> = {},
  simulatorOptions: SimulatorOptions = {},
): Promise<SimulatedKubernetes> {
  const simulator = await startSimulator({ controllers: 'ApiOnly', ...simulatorOptions });
  for (const name of ['shop', 'bank'])
    simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const log = new FakeLog();
  const kubernetes = openKubernetes({
    connection: { kind: 'Explicit', kubeconfig: simulator.kubeconfigYaml },
    namespaces: ['*'],
    log,
    ...options,
  });
  kubernetes.start();
  await kubernetes.whenSynced(45_000);
  return {
    simulator,
    kubernetes,
    log,
    stop: async () => {
      await kubernetes.stop();
      await simulator.stop();
    },
  };
}

/** A pod labelled `app=checkout`. */
export function aPod(
  name: string,
  ownerReferences: NewObject['metadata']['ownerReferences'] = [],
): NewObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: 'checkout' }, ownerReferences },
    spec: { containers: [{ name: 'application', image: 'none' }] },
  };
}

/** A Deployment whose selector is `app=checkout`. */
export function aDeployment(name: string, replicas = 2, app = 'checkout'): NewObject {
  const labels = { app };
  const containers = [{ name: 'application', image: 'none' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

/** A CustomResourceDefinition with a scale, of `example.com/v1` by default. */
export function aDefinition(
  kind: string,
  { group = 'example.com', version = 'v1', scope = 'Namespaced', specReplicasPath = '.spec.size' } = {},
): NewObject {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          subresources: {
            scale: {
              specReplicasPath,
              statusReplicasPath: '.status.size',
              labelSelectorPath: '.status.labelSelector',
            },
          },
        },
      ],
    },
  };
}

/** Polls until something holds. */
export function until(description: string, holds: () => boolean): Promise<true> {
  return eventually({
    description,
    timeoutMilliseconds: 45_000,
    intervalMilliseconds: 10,
    probe: () => Promise.resolve(holds() ? true : undefined),
  });
}
