import type { JsonObject } from '#kernel';
import type { ObjectAddress } from './api/object-address.ts';
import type { ObjectDeleter } from './api/object-deleter.ts';
import type { ObjectWriter } from './api/object-writer.ts';
import { scalePathsOf } from './api/scale.ts';
import { type KubeObject, type NewObject, withValueAt } from './objects/kube-object.ts';
import { resourceKey } from './registry/resource-definition.ts';
import type { ResourceRegistry } from './registry/resource-registry.ts';
import type { ObjectStore } from './storage/object-store.ts';

/** An object by its kind and name. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  /** Left out for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** Whatever else writes to the cluster: in `managedFields` it goes by this name. */
const clientManager = 'simulator';

/** Reads and writes objects in process, by the same rules as over HTTP. */
export class ObjectClient {
  readonly #store: ObjectStore;
  readonly #registry: ResourceRegistry;
  readonly #writer: ObjectWriter;
  readonly #deleter: ObjectDeleter;

  constructor(parts: {
    readonly store: ObjectStore;
    readonly registry: ResourceRegistry;
    readonly writer: ObjectWriter;
    readonly deleter: ObjectDeleter;
  }) {
    this.#store = parts.store;
    this.#registry = parts.registry;
    this.#writer = parts.writer;
    this.#deleter = parts.deleter;
  }

  /**
   * Creates an object.
   *
   * @throws StatusError as over HTTP; Error for a kind that is not served
   */
  create(object: NewObject, manager = clientManager): KubeObject {
    const { resource, namespace } = this.#address({
      ...object,
      name: object.metadata.name ?? '',
      namespace: object.metadata.namespace ?? '',
    });
    return this.#writer.create({ resource, namespace }, object, { manager });
  }

  /** The object, or undefined. */
  find(name: ObjectName): KubeObject | undefined {
    const { resource, ...rest } = this.#address(name);
    return this.#store.get({ resource: resourceKey(resource), ...rest });
  }

  /** All objects of a kind, by name; of one namespace, or of all. */
  list({ apiVersion, kind, namespace }: Omit<ObjectName, 'name'>): readonly KubeObject[] {
    const { resource } = this.#address({ apiVersion, kind, name: '' });
    return this.#store.list(resourceKey(resource), namespace);
  }

  /**
   * Replaces an object by what `change` makes of it.
   *
   * @throws StatusError 404, 409 or 422
   */
  update(name: ObjectName, change: (live: KubeObject) => JsonObject, manager = clientManager): KubeObject {
    return this.#writer.update(this.#address(name), change, { manager });
  }

  /**
   * Replaces an object's status by that of what `change` makes of it, as its controller does.
   *
   * @throws StatusError 404, 409 or 422
   */
  updateStatus(
    name: ObjectName,
    change: (live: KubeObject) => JsonObject,
    manager = clientManager,
  ): KubeObject {
    return this.#writer.update(this.#address(name), change, { manager, subresource: 'status' });
  }

  /**
   * Sets a count, as a person with `kubectl scale` would.
   *
   * @throws StatusError 404
   */
  scale(name: ObjectName, replicas: number, manager = clientManager): KubeObject {
    const address = this.#address(name);
    const { specReplicas } = scalePathsOf(address.resource);
    const change = (live: KubeObject): JsonObject => withValueAt(live, specReplicas, replicas);
    return this.#writer.update(address, change, { manager, subresource: 'scale' });
  }

  /**
   * Deletes an object; its dependents follow.
   *
   * @throws StatusError 404
   */
  delete(name: ObjectName): void {
    this.#deleter.delete(this.#address(name), {});
  }

  #address({ apiVersion, kind, namespace, name }: ObjectName): ObjectAddress {
    const resource = this.#registry.findKind(apiVersion, kind);
    if (resource === undefined) throw new Error(`the simulator serves no ${apiVersion} ${kind}`);
    return { resource, namespace: resource.namespaced ? (namespace ?? '') : '', name };
  }
}
