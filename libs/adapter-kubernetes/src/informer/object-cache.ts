import type { KubeObject } from '../objects/kube-object.ts';
import type { ObjectSink } from './object-sink.ts';

/** Called after every change of a cache; `undefined` where there was or is no object. */
export type CacheListener<T> = (change: {
  readonly before: T | undefined;
  readonly after: T | undefined;
  readonly namespace: string;
  readonly name: string;
}) => void;

/** Slim forms of the objects that an informer reads, by namespace and name. */
export class ObjectCache<T> implements ObjectSink {
  readonly #transform: (object: KubeObject) => T;
  readonly #listener: CacheListener<T>;
  readonly #namespaces = new Map<string, Map<string, T>>();
  #listed: Map<string, Set<string>> | undefined;

  /** @param transform object → what is kept of it; must not hold on to the object itself */
  constructor(transform: (object: KubeObject) => T, listener: CacheListener<T> = () => undefined) {
    this.#transform = transform;
    this.#listener = listener;
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
    this.#listed = new Map();
  }

  put(object: KubeObject): void {
    const { namespace, name } = object;
    this.#markListed(namespace, name);
    const objects = this.#objectsOf(namespace);
    const before = objects.get(name);
    const after = this.#transform(object);
    objects.set(name, after);
    this.#listener({ before, after, namespace, name });
  }

  remove({ namespace, name }: Pick<KubeObject, 'namespace' | 'name'>): void {
    const objects = this.#namespaces.get(namespace);
    const before = objects?.get(name);
    if (objects === undefined || before === undefined) return;
    objects.delete(name);
    if (objects.size === 0) this.#namespaces.delete(namespace);
    this.#listener({ before, after: undefined, namespace, name });
  }

  endList(): void {
    const listed = this.#listed;
    this.#listed = undefined;
    if (listed === undefined) return;
    for (const [namespace, objects] of [...this.#namespaces]) {
      const names = listed.get(namespace);
      for (const name of [...objects.keys()]) if (names?.has(name) !== true) this.remove({ namespace, name });
    }
  }

  #markListed(namespace: string, name: string): void {
    if (this.#listed === undefined) return;
    const names = this.#listed.get(namespace) ?? new Set();
    this.#listed.set(namespace, names.add(name));
  }

  #objectsOf(namespace: string): Map<string, T> {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const objects = new Map<string, T>();
    this.#namespaces.set(namespace, objects);
    return objects;
  }
}
