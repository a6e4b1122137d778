import { controllerOf, type KubeObject, listAt, textAt } from '../objects/kube-object.ts';
import { isActive, isReady } from '../objects/pod-status.ts';
import { resourceKey } from '../registry/resource-definition.ts';
import type { ResourceRegistry } from '../registry/resource-registry.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { ContainerLoad, LoadRegistry, WorkloadName } from './load-registry.ts';
import { parseMilli } from './milli-quantity.ts';

/** What one container of one pod uses. */
export interface ContainerUsage {
  readonly container: string;
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
}

const mebibyte = 2 ** 20;
/** Of a container without a load. */
const idleMillicores = 1;
const idleBytes = 16 * mebibyte;
const busyBytes = 64 * mebibyte;

/** KWOK's annotations, so that a test for both control planes sets loads in one way. */
const usageCpu = 'kwok.x-k8s.io/usage-cpu';
const usageMemory = 'kwok.x-k8s.io/usage-memory';

/** Answers what pods use at one instant; counts the ready pods of each workload once. */
export class PodUsage {
  readonly #store: ObjectStore;
  readonly #registry: ResourceRegistry;
  readonly #load: LoadRegistry;
  readonly #atMilliseconds: number;
  readonly #readyPods = new Map<string, number>();
  readonly #workloads = new Map<string, WorkloadName>();

  constructor(
    parts: { readonly store: ObjectStore; readonly registry: ResourceRegistry; readonly load: LoadRegistry },
    atMilliseconds: number,
  ) {
    this.#store = parts.store;
    this.#registry = parts.registry;
    this.#load = parts.load;
    this.#atMilliseconds = atMilliseconds;
  }

  /** Usage of each container. A pod that is not ready gets no share of the work. */
  of(pod: KubeObject): readonly ContainerUsage[] {
    const workload = this.workloadOf(pod);
    const load = this.#load.workload(workload);
    const ready = isReady(pod);
    return listAt(pod, 'spec', 'containers').map((container) => {
      const name = textAt(container, 'name') ?? '';
      const own = load?.[name];
      if (own === undefined || !ready) return annotatedUsage(pod, name);
      const limit = parseMilli(textAt(container, 'resources', 'limits', 'cpu'));
      return {
        container: name,
        cpuMillicores: Math.min(limit ?? Number.POSITIVE_INFINITY, this.#share(pod, own, 'cpu')),
        memoryBytes: this.#share(pod, own, 'memory'),
      };
    });
  }

  /** How many pods share a pod's work: itself at least. */
  readyPodsBeside(pod: KubeObject): number {
    const { namespace, kind, name } = this.workloadOf(pod);
    const key = `${namespace}/${kind}/${name}`;
    let count = this.#readyPods.get(key);
    if (count === undefined) {
      count = Math.max(1, this.#countReady(pod));
      this.#readyPods.set(key, count);
    }
    return count;
  }

  /** Follows the controllers upwards: pod → ReplicaSet → Deployment → any further owner. */
  workloadOf(pod: KubeObject): WorkloadName {
    const controller = controllerOf(pod);
    const { namespace = '', name } = pod.metadata;
    if (controller === undefined) return { namespace, kind: 'Pod', name };
    const known = this.#workloads.get(controller.uid);
    if (known !== undefined) return known;
    let top = controller;
    for (let owner = this.#owner(pod); owner !== undefined; owner = this.#owner(owner))
      top = controllerOf(owner) ?? top;

    const workload = { namespace, kind: top.kind, name: top.name };
    this.#workloads.set(controller.uid, workload);
    return workload;
  }

  #share(pod: KubeObject, load: ContainerLoad, resource: 'cpu' | 'memory'): number {
    const series = load[resource];
    const value = series === undefined ? undefined : this.#load.valueAt(series, this.#atMilliseconds);
    if (value === undefined) return resource === 'cpu' ? idleMillicores : busyBytes;
    return load.share === 'Total' ? value / this.readyPodsBeside(pod) : value;
  }

  #countReady(pod: KubeObject): number {
    const controller = controllerOf(pod);
    if (controller === undefined) return 1;
    const grand = this.#owner(pod);
    const parent = grand && controllerOf(grand);
    const sets = parent === undefined ? [controller.uid] : this.#dependentUids(parent.uid);
    return sets.reduce((count, uid) => count + this.#readyDependents(uid), 0);
  }

  #readyDependents(uid: string): number {
    const pods = this.#store.dependentsOf(uid).filter(({ resource }) => resource === '/pods');
    return pods.filter((key) => {
      const pod = this.#store.get(key);
      return pod !== undefined && isActive(pod) && isReady(pod);
    }).length;
  }

  #dependentUids(uid: string): string[] {
    return this.#store.dependentsOf(uid).flatMap((key) => this.#store.get(key)?.metadata.uid ?? []);
  }

  #owner(object: KubeObject): KubeObject | undefined {
    const owner = controllerOf(object);
    const resource = owner && this.#registry.findKind(owner.apiVersion, owner.kind);
    if (owner === undefined || resource === undefined) return undefined;
    const namespace = object.metadata.namespace ?? '';
    const found = this.#store.get({ resource: resourceKey(resource), namespace, name: owner.name });
    return found?.metadata.uid === owner.uid ? found : undefined;
  }
}

function annotatedUsage({ metadata }: KubeObject, container: string): ContainerUsage {
  const memory = parseMilli(metadata.annotations?.[usageMemory]);
  return {
    container,
    cpuMillicores: parseMilli(metadata.annotations?.[usageCpu]) ?? idleMillicores,
    memoryBytes: memory === undefined ? idleBytes : memory / 1000,
  };
}
