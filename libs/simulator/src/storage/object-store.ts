import type { KubeObject } from '../objects/kube-object.ts';
import { ObjectTable } from './object-table.ts';
import { type StoreEvent, WatchHistory } from './watch-history.ts';

/** Where an object is: `resource` is `group/plural`. */
export interface ObjectKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A real server's revisions are large before the first workload exists; starting at 1 would hide string compares. */
const firstRevision = 1000;

/**
 * All objects, one revision counter for all resources, and the history that watches continue from. It knows nothing of
 * kinds: what a write means is decided before it gets here.
 */
export class ObjectStore {
  readonly #tables = new Map<string, ObjectTable>();
  readonly #histories = new Map<string, WatchHistory>();
  readonly #dependents = new Map<string, Map<string, ObjectKey>>();
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  readonly #historyLimit: number;
  #revision = firstRevision;

  constructor(historyLimit: number) {
    this.#historyLimit = historyLimit;
  }

  get revision(): number {
    return this.#revision;
  }

  get({ resource, namespace, name }: ObjectKey): KubeObject | undefined {
    return this.#tables.get(resource)?.get(namespace, name);
  }

  /** In key order; without a namespace, of all namespaces. */
  list(resource: string, namespace?: string): KubeObject[] {
    return this.#tables.get(resource)?.list(namespace) ?? [];
  }

  /** Stores an object under the next revision and notifies the watchers. */
  put(resource: string, object: KubeObject): KubeObject {
    const table = this.#table(resource);
    const previous = table.get(object.metadata.namespace ?? '', object.metadata.name);
    const stored = this.#stamp(object);
    table.put(stored);
    this.#indexOwners(resource, previous, stored);
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#publish({ type, resource, object: stored, previous, revision: this.#revision });
    return stored;
  }

  /** Takes an object away; its last state carries the revision of its deletion. */
  remove(resource: string, object: KubeObject): KubeObject {
    const last = this.#stamp(object);
    this.#table(resource).remove(object);
    this.#indexOwners(resource, object, undefined);
    this.#publish({ type: 'DELETED', resource, object: last, previous: object, revision: this.#revision });
    return last;
  }

  /** The objects that name this uid as an owner. */
  dependentsOf(uid: string): readonly ObjectKey[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  /** Calls back on every change, in order. */
  subscribe(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  history(resource: string): WatchHistory {
    let history = this.#histories.get(resource);
    if (history === undefined) {
      history = new WatchHistory(this.#historyLimit);
      this.#histories.set(resource, history);
    }
    return history;
  }

  /** Forgets the history of every resource, as a compaction does: watches that continue get 410. */
  compact(): void {
    this.#revision += 1;
    for (const resource of this.#tables.keys()) this.history(resource).expire(this.#revision);
  }

  #stamp(object: KubeObject): KubeObject {
    this.#revision += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
  }

  #publish(event: StoreEvent): void {
    this.history(event.resource).push(event);
    for (const listener of this.#listeners) listener(event);
  }

  #table(resource: string): ObjectTable {
    let table = this.#tables.get(resource);
    if (table === undefined) {
      table = new ObjectTable();
      this.#tables.set(resource, table);
    }
    return table;
  }

  #indexOwners(resource: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (before?.metadata.ownerReferences === after?.metadata.ownerReferences) return;
    for (const owner of before?.metadata.ownerReferences ?? []) this.#unlink(owner.uid, before);
    for (const owner of after?.metadata.ownerReferences ?? []) this.#link(owner.uid, resource, after);
  }

  #link(ownerUid: string, resource: string, object: KubeObject | undefined): void {
    if (object === undefined) return;
    let dependents = this.#dependents.get(ownerUid);
    if (dependents === undefined) {
      dependents = new Map();
      this.#dependents.set(ownerUid, dependents);
    }
    const { namespace = '', name, uid } = object.metadata;
    dependents.set(uid, { resource, namespace, name });
  }

  #unlink(ownerUid: string, object: KubeObject | undefined): void {
    const dependents = this.#dependents.get(ownerUid);
    if (object !== undefined) dependents?.delete(object.metadata.uid);
    if (dependents?.size === 0) this.#dependents.delete(ownerUid);
  }
}
