import type { ObjectKey } from '../storage/object-store.ts';
import type { StoreEvent } from '../storage/watch-history.ts';
import { type Cluster, type Controller, controllerKey } from './cluster.ts';
import { collectDependents, releaseOwner } from './garbage-collector.ts';

/** Controllers that are not done after as many rounds undo each other's work. */
const mostRounds = 10_000_000;

/**
 * Runs the controllers: every change queues the object and its controller, once however often it changes, and the
 * queue is worked off after the writer is done, or at once by `runPending`.
 */
export class ControllerLoop {
  readonly #cluster: Cluster;
  readonly #controllers: ReadonlyMap<string, Controller>;
  readonly #queue = new Map<string, ObjectKey>();
  readonly #deletedUids = new Set<string>();
  #scheduled: NodeJS.Immediate | undefined;

  constructor(cluster: Cluster, controllers: readonly Controller[]) {
    this.#cluster = cluster;
    this.#controllers = new Map(controllers.map((controller) => [controller.resource, controller]));
    cluster.store.subscribe((event) => this.#onEvent(event));
    cluster.clock.onTimer(() => this.runPending());
  }

  /** Works until no controller has anything left to do at this instant of the clock. */
  runPending(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    let rounds = 0;
    while (this.#deletedUids.size > 0 || this.#queue.size > 0) {
      rounds += this.#followDeletions() + this.#workOff();
      if (rounds > mostRounds) throw new Error(`the controllers were not done after ${mostRounds} rounds`);
    }
  }

  /** Forgets what is queued. */
  stop(): void {
    clearImmediate(this.#scheduled);
    this.#queue.clear();
  }

  #followDeletions(): number {
    let count = 0;
    // Iterating sees what is added on the way.
    for (const uid of this.#deletedUids) {
      this.#deletedUids.delete(uid);
      collectDependents(uid, this.#cluster);
      count += 1;
    }
    return count;
  }

  #workOff(): number {
    const size = this.#queue.size;
    const batch = [...this.#queue.values()];
    this.#queue.clear();
    for (const key of batch) this.#reconcile(key);
    return size;
  }

  #reconcile(key: ObjectKey): void {
    const object = this.#cluster.store.get(key);
    if (object === undefined || releaseOwner(key.resource, object, this.#cluster)) return;
    this.#controllers.get(key.resource)?.reconcile(object, this.#cluster);
  }

  #onEvent({ type, resource, object }: StoreEvent): void {
    const { name, namespace = '', uid } = object.metadata;
    if (type === 'DELETED') this.#deletedUids.add(uid);
    else this.#enqueue({ resource, namespace, name });
    const controller = controllerKey(object, this.#cluster.registry);
    if (controller !== undefined) this.#enqueue(controller);
    if (type === 'DELETED') this.#enqueue({ resource: '/namespaces', namespace: '', name: namespace });
    this.#scheduled ??= setImmediate(() => this.runPending());
  }

  #enqueue(key: ObjectKey): void {
    this.#queue.set(`${key.resource}/${key.namespace}/${key.name}`, key);
  }
}
