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
  /** By namespace, the names that were here when the list under way began, less those that it has: in a first list none. */
  readonly #unlisted = new Map<string, Set<string>>();

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
    this.#unlisted.clear();
    for (const [namespace, objects] of this.#namespaces)
      this.#unlisted.set(namespace, new Set(objects.keys()));
  }

  put(object: KubeObject): void {
    const { namespace, name } = object;
    this.#unlisted.get(namespace)?.delete(name);
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
    const unlisted = [...this.#unlisted];
    this.#unlisted.clear();
    for (const [namespace, names] of unlisted) for (const name of names) this.remove({ namespace, name });
  }

  #objectsOf(namespace: string): Map<string, T> {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const objects = new Map<string, T>();
    this.#namespaces.set(namespace, objects);
    return objects;
  }
}
