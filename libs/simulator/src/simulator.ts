import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import { ApiServer } from './api/api-server.ts';
import { FaultRegistry } from './api/fault-registry.ts';
import { listen } from './api/http-server.ts';
import { SimulationClock } from './clock/simulation-clock.ts';
import type { Cluster, PodTimings } from './controllers/cluster.ts';
import { ControllerLoop } from './controllers/controller-loop.ts';
import { customResourceController } from './controllers/custom-resource-controller.ts';
import { deploymentController } from './controllers/deployment-controller.ts';
import { eventController } from './controllers/event-controller.ts';
import { jobController } from './controllers/job-controller.ts';
import { createKubelet } from './controllers/kubelet.ts';
import { namespaceController } from './controllers/namespace-controller.ts';
import { replicaSetController } from './controllers/replica-set-controller.ts';
import { statefulSetController } from './controllers/stateful-set-controller.ts';
import { type Kubeconfig, kubeconfigFor } from './kubeconfig.ts';
import { LoadRegistry } from './load/load-registry.ts';
import { answerMetrics } from './metrics/metrics-api.ts';
import { ObjectClient } from './object-client.ts';
import { ResourceRegistry } from './registry/resource-registry.ts';
import { ObjectStore } from './storage/object-store.ts';

/** How a simulator is made. Everything has a default. */
export interface SimulatorOptions {
  /** Loopback by default: the simulator is for one machine. */
  readonly host?: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** The bearer token that clients must send; random by default. */
  readonly token?: string;
  /** The machine's clock by default. */
  readonly clock?: SimulationClock;
  /** Seconds of load that pass in one second of the clock; 1 by default. */
  readonly loadCompression?: number;
  /** All: workloads make pods and pods run. ApiOnly: as a bare kube-apiserver, nothing reacts. All by default. */
  readonly controllers?: 'All' | 'ApiOnly';
  /** By default pods run after 1 s, are ready after 2 s, and are gone 1 s after their deletion. */
  readonly podTimings?: Partial<PodTimings>;
  /** Seconds between samples of metrics; 1 by default. */
  readonly metricsResolutionSeconds?: number;
  /** Changes that a watch can continue from, a resource; 20,000 by default. */
  readonly historyLimit?: number;
}

/** A running simulator. */
export interface Simulator {
  readonly url: string;
  readonly token: string;
  /** For `KubeConfig.loadFromOptions` and for files: the same document as object and as YAML. */
  readonly kubeconfig: Kubeconfig;
  readonly kubeconfigYaml: string;
  readonly clock: SimulationClock;
  readonly faults: FaultRegistry;
  readonly load: LoadRegistry;
  /** Raw storage: every object, its history, and the events of watches. */
  readonly store: ObjectStore;
  /** Objects as a client would write them, without HTTP. */
  readonly objects: ObjectClient;
  /** Lets the controllers do now what they would do soon. */
  readonly runPending: () => void;
  /** Forgets history and open list pages: watches and pages that continue get 410. */
  readonly compact: () => void;
  /** Closes every connection and forgets every timer. */
  readonly stop: () => Promise<void>;
}

const defaultHistoryLimit = 20_000;
const defaultPodTimings: PodTimings = { runningAfterSeconds: 1, readyAfterSeconds: 2, goneAfterSeconds: 1 };
const tokenBytes = 24;

/** Starts a Kubernetes API server in this process; it listens when the promise is kept. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, clock = SimulationClock.wall() } = options;
  const token = options.token ?? randomBytes(tokenBytes).toString('base64url');
  const store = new ObjectStore(options.historyLimit ?? defaultHistoryLimit);
  const registry = new ResourceRegistry(store);
  const api = new ApiServer(store, registry, clock);
  const load = new LoadRegistry(clock, options.loadCompression ?? 1);
  const loop = startControllers(
    { store, registry, clock, writer: api.writer, deleter: api.deleter },
    options,
  );
  const faults = new FaultRegistry();
  const metrics = { store, registry, clock, load, resolutionSeconds: options.metricsResolutionSeconds ?? 1 };
  const server = await listen(
    {
      token,
      store,
      clock,
      faults,
      handle: (request) => answerMetrics(request, metrics) ?? api.handle(request),
    },
    { host, port },
  );
  const url = `http://${host}:${server.port}`;
  const kubeconfig = kubeconfigFor(url, token);
  const objects = new ObjectClient({ store, registry, writer: api.writer, deleter: api.deleter });
  for (const name of ['default', 'kube-system'])
    objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  return {
    url,
    token,
    kubeconfig,
    kubeconfigYaml: stringify(kubeconfig),
    clock,
    faults,
    load,
    store,
    objects,
    runPending: () => loop.runPending(),
    compact: () => {
      store.compact();
      api.pages.expire();
    },
    stop: async () => {
      loop.stop();
      clock.stop();
      await server.close();
    },
  };
}

function startControllers(
  parts: Omit<Cluster, 'podTimings'>,
  { controllers = 'All', podTimings }: SimulatorOptions,
): ControllerLoop {
  const cluster: Cluster = { ...parts, podTimings: { ...defaultPodTimings, ...podTimings } };
  const always = [customResourceController, eventController, namespaceController];
  const workloads = [
    deploymentController,
    replicaSetController,
    statefulSetController,
    jobController,
    createKubelet(),
  ];
  return new ControllerLoop(cluster, controllers === 'All' ? [...always, ...workloads] : always);
}
