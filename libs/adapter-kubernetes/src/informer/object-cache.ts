import type { KubeObject } from '../api/kube-object.ts';
import { isAtLeast } from '../objects/resource-version.ts';
import type { ObjectSink } from './object-sink.ts';

/** Called after every change of a cache; `undefined` where there was or is no object. */
export type CacheListener<T> = (change: {
  readonly before: T | undefined;
  readonly after: T | undefined;
  readonly namespace: string;
  readonly name: string;
}) => void;

/** What is kept of objects that a cache has. */
export interface KeptForm<T> {
  /** Must not hold on to the object itself. */
  readonly transform: (object: KubeObject) => T;
  readonly listener?: CacheListener<T>;
  /**
   * The resourceVersion of what is kept. With it, what a watch delivers once more is passed over where a later version is
   * kept. A list may lead back: to an API server that was restored.
   */
  readonly versionOf?: (kept: T) => string;
}

/** Slim forms of the objects that an informer reads, by namespace and name. */
export class ObjectCache<T> implements ObjectSink {
  readonly #form: KeptForm<T>;
  readonly #namespaces = new Map<string, Map<string, T>>();
  /** By namespace, the names that were here when the list under way began, less those that it has: in a first list none. */
  readonly #unlisted = new Map<string, Set<string>>();
  #isListing = false;

  constructor(form: KeptForm<T>) {
    this.#form = form;
  }

  get(namespace: string, name: string): T | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  values(namespace: string): Iterable<T> {
    return this.#namespaces.get(namespace)?.values() ?? [];
  }

  /** All objects of all namespaces. */
  get size(): number {
    let size = 0;
    for (const objects of this.#namespaces.values()) size += objects.size;
    return size;
  }

  beginList(): void {
    this.#isListing = true;
    this.#unlisted.clear();
    for (const [namespace, objects] of this.#namespaces)
      this.#unlisted.set(namespace, new Set(objects.keys()));
  }

  put(object: KubeObject): void {
    const { namespace, name } = object;
    this.#unlisted.get(namespace)?.delete(name);
    const objects = this.#objectsOf(namespace);
    const before = objects.get(name);
    if (this.#isOutdated(object, before)) return;
    const after = this.#form.transform(object);
    objects.set(name, after);
    this.#form.listener?.({ before, after, namespace, name });
  }

  remove(object: KubeObject): void {
    const { namespace, name } = object;
    if (!this.#isOutdated(object, this.get(namespace, name))) this.#forget(namespace, name);
  }

  endList(): void {
    const unlisted = [...this.#unlisted];
    this.#unlisted.clear();
    for (const [namespace, names] of unlisted) for (const name of names) this.#forget(namespace, name);
    this.#isListing = false;
  }

  /** A deletion has a version of its own, later than those of its object. */
  #isOutdated({ resourceVersion }: KubeObject, kept: T | undefined): boolean {
    const { versionOf } = this.#form;
    if (this.#isListing || kept === undefined || versionOf === undefined) return false;
    return !isAtLeast(resourceVersion, versionOf(kept));
  }

  #forget(namespace: string, name: string): void {
    const objects = this.#namespaces.get(namespace);
    const before = objects?.get(name);
    if (objects === undefined || before === undefined) return;
    objects.delete(name);
    if (objects.size === 0) this.#namespaces.delete(namespace);
    this.#form.listener?.({ before, after: undefined, namespace, name });
  }

  #objectsOf(namespace: string): Map<string, T> {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const objects = new Map<string, T>();
    this.#namespaces.set(namespace, objects);
    return objects;
  }
}
