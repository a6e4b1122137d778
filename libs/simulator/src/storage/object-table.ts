import type { KubeObject } from '../objects/kube-object.ts';

interface NamespaceObjects {
  readonly byName: Map<string, KubeObject>;
  /** Names in order; undefined after a name came or went. */
  sortedNames: readonly string[] | undefined;
}

/** The objects of one resource, by namespace and name. Cluster-scoped objects live in the namespace ''. */
export class ObjectTable {
  readonly #namespaces = new Map<string, NamespaceObjects>();

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#namespaces.get(namespace)?.byName.get(name);
  }

  put(object: KubeObject): void {
    const objects = this.#objectsOf(object.metadata.namespace ?? '');
    if (!objects.byName.has(object.metadata.name)) objects.sortedNames = undefined;
    objects.byName.set(object.metadata.name, object);
  }

  remove(object: KubeObject): void {
    const namespace = object.metadata.namespace ?? '';
    const objects = this.#namespaces.get(namespace);
    if (objects === undefined) return;
    objects.byName.delete(object.metadata.name);
    objects.sortedNames = undefined;
    if (objects.byName.size === 0) this.#namespaces.delete(namespace);
  }

  /** By namespace, then name, as etcd's keys are ordered. Without a namespace: all of them. */
  list(namespace?: string): KubeObject[] {
    const names = namespace === undefined ? [...this.#namespaces.keys()].sort() : [namespace];
    const found: KubeObject[] = [];
    for (const name of names) this.#append(found, this.#namespaces.get(name));
    return found;
  }

  #append(found: KubeObject[], objects: NamespaceObjects | undefined): void {
    if (objects === undefined) return;
    objects.sortedNames ??= [...objects.byName.keys()].sort();
    for (const name of objects.sortedNames) {
      const object = objects.byName.get(name);
      if (object !== undefined) found.push(object);
    }
  }

  #objectsOf(namespace: string): NamespaceObjects {
    let objects = this.#namespaces.get(namespace);
    if (objects === undefined) {
      objects = { byName: new Map(), sortedNames: undefined };
      this.#namespaces.set(namespace, objects);
    }
    return objects;
  }
}
