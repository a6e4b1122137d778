import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#kernel';
import type { SimulationClock } from '../clock/simulation-clock.ts';
import { entriesAfterUpdate, type FieldWriter } from '../fields/managed-fields.ts';
import { applyConfiguration } from '../fields/server-side-apply.ts';
import { deepEqual } from '../objects/deep-equal.ts';
import { type KubeObject, objectAt, type ObjectMeta, textAt, toKubeTime } from '../objects/kube-object.ts';
import { apiVersionOf, type ResourceDefinition, resourceKey } from '../registry/resource-definition.ts';
import { validateName } from '../registry/validation.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { ObjectAddress } from './object-address.ts';
import { scalePathsOf, seenByScale } from './scale.ts';
import { alreadyExists, badRequest, invalid, notFound, StatusError } from './status-error.ts';
import { applyConflicts, checkIdentity, namespaceTerminating } from './write-errors.ts';

/** Who writes, and how. */
export interface WriteOptions {
  /** Name for `managedFields`. */
  readonly manager: string;
  /** Everything is checked and answered, nothing is stored. */
  readonly dryRun?: boolean;
  readonly subresource?: 'status' | 'scale' | undefined;
}

/** A stored object, as a write finds it. */
interface Stored extends ObjectAddress {
  readonly live: KubeObject;
}

const suffixLength = 5;
/** As upstream: without vowels and look-alikes, so that no word comes about. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
/** Identity and bookkeeping that a writer cannot change. */
const keptFields: readonly (keyof ObjectMeta)[] = [
  'name',
  'namespace',
  'generateName',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'resourceVersion',
];

/** The rules of writing: names, versions, generations, defaults, validation, subresources and field managers. */
export class ObjectWriter {
  readonly #store: ObjectStore;
  readonly #clock: SimulationClock;

  constructor(store: ObjectStore, clock: SimulationClock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The stored object.
   *
   * @throws StatusError 404
   */
  get({ resource, namespace, name }: ObjectAddress): KubeObject {
    const found = this.#store.get({ resource: resourceKey(resource), namespace, name });
    if (found === undefined) throw notFound(resource, name);
    return found;
  }

  /**
   * Creates an object.
   *
   * @throws StatusError 400, 403 (the namespace is ending), 404 (there is no such namespace), 409 or 422
   */
  create(
    { resource, namespace }: Omit<ObjectAddress, 'name'>,
    body: JsonObject,
    options: WriteOptions,
  ): KubeObject {
    const meta = this.#newMetadata(resource, namespace, body);
    this.#checkNamespace(resource, namespace, meta.name);
    const given = { ...body, apiVersion: apiVersionOf(resource), metadata: meta } as KubeObject;
    const object = resource.complete(resource.hasStatus ? withoutStatus(resource, given) : given);
    const problems = [...validateName(meta.name), ...resource.validate(object)];
    if (problems.length > 0) throw invalid(resource, meta.name, problems);
    const address = { resource: resourceKey(resource), namespace, name: meta.name };
    if (this.#store.get(address) !== undefined) throw alreadyExists(resource, meta.name);
    const managedFields =
      meta.managedFields ?? entriesAfterUpdate(undefined, object, this.#fieldWriter(resource, options));
    const created = { ...object, metadata: { ...object.metadata, managedFields } };
    return options.dryRun === true ? created : this.#store.put(address.resource, created);
  }

  /**
   * Replaces an object by what `change` makes of it. A `resourceVersion` or `uid` in the result must be the stored
   * one. Nothing is stored when nothing changes.
   *
   * @throws StatusError 400, 404, 409 or 422
   */
  update(
    address: ObjectAddress,
    change: (live: KubeObject) => JsonObject,
    options: WriteOptions,
  ): KubeObject {
    const live = this.get(address);
    const body = change(live);
    checkIdentity(address, live, body);
    const next = this.#prepare({ ...address, live }, body, options);
    const managedFields = entriesAfterUpdate(live, next, this.#fieldWriter(address.resource, options));
    const owned = { ...next, metadata: { ...next.metadata, managedFields } };
    return this.#commit({ ...address, live }, owned, options);
  }

  /**
   * Server-side apply; creates what is not there.
   *
   * @throws StatusError 409 naming every conflict, unless forced
   */
  apply(
    address: ObjectAddress,
    configuration: JsonObject,
    options: WriteOptions & { readonly force: boolean },
  ): { readonly object: KubeObject; readonly created: boolean } {
    const { resource, namespace, name } = address;
    const stored = this.#store.get({ resource: resourceKey(resource), namespace, name });
    if (stored === undefined && options.subresource !== undefined) throw notFound(resource, name);
    const live = stored ?? emptyObject(address);
    if (stored !== undefined) checkIdentity(address, stored, configuration);
    const writer = this.#fieldWriter(resource, options);
    const seen =
      options.subresource === 'scale' ? seenByScale(live, configuration, scalePathsOf(resource)) : live;
    const result = applyConfiguration(seen, { configuration, writer, force: options.force });
    if (!result.ok) throw applyConflicts(result.error);
    if (stored === undefined)
      return { object: this.create({ resource, namespace }, result.value, options), created: true };

    const next = this.#prepare({ ...address, live: stored }, result.value, options);
    const { managedFields } = result.value.metadata;
    const owned = { ...next, metadata: { ...next.metadata, managedFields } };
    return { object: this.#commit({ ...address, live: stored }, owned, options), created: false };
  }

  #commit({ resource, live }: Stored, next: KubeObject, options: WriteOptions): KubeObject {
    if (deepEqual(withoutManagedFields(next), withoutManagedFields(live)) && sameOwners(next, live))
      return live;
    if (options.dryRun === true) return next;
    const key = resourceKey(resource);
    const isLastFinalizerGone =
      next.metadata.deletionTimestamp !== undefined &&
      (next.metadata.finalizers ?? []).length === 0 &&
      (live.metadata.finalizers ?? []).length > 0;
    if (!isLastFinalizerGone) return this.#store.put(key, next);
    this.#store.remove(key, live);
    return next;
  }

  /** What of a body counts: only `status` for that subresource, everything else for the object itself. */
  #prepare({ resource, live }: Stored, body: JsonObject, options: WriteOptions): KubeObject {
    const object = body as KubeObject;
    const isStatus = options.subresource === 'status';
    const meta = isStatus ? live.metadata : keepIdentity(live.metadata, object.metadata);
    const chosen = isStatus
      ? { ...live, status: object['status'] }
      : { ...object, ...(resource.hasStatus ? { status: live['status'] } : {}), metadata: meta };
    const next = resource.complete({ ...chosen, apiVersion: live.apiVersion, kind: live.kind });
    const problems = resource.validate(next);
    if (problems.length > 0) throw invalid(resource, live.metadata.name, problems);
    if (!resource.hasGeneration || deepEqual(desiredState(live), desiredState(next))) return next;
    return { ...next, metadata: { ...next.metadata, generation: (live.metadata.generation ?? 0) + 1 } };
  }

  #newMetadata(resource: ResourceDefinition, namespace: string, body: JsonObject): ObjectMeta {
    const given = objectAt(body, 'metadata') as Partial<ObjectMeta>;
    const inBody = textAt(given, 'namespace') ?? '';
    if (inBody !== '' && inBody !== namespace) {
      throw badRequest(
        'the namespace of the provided object does not match the namespace sent on the request',
      );
    }
    if (textAt(given, 'resourceVersion') !== undefined && given.resourceVersion !== '')
      throw new StatusError(500, { message: 'resourceVersion should not be set on objects to be created' });

    const { labels, annotations, ownerReferences, finalizers, generateName, managedFields } = given;
    return {
      name: given.name ?? (generateName === undefined ? '' : `${generateName}${randomSuffix()}`),
      generateName,
      ...(namespace === '' ? {} : { namespace }),
      uid: randomUUID(),
      resourceVersion: '',
      ...(resource.hasGeneration ? { generation: 1 } : {}),
      creationTimestamp: toKubeTime(this.#clock.now()),
      labels,
      annotations,
      ownerReferences,
      finalizers,
      managedFields,
    };
  }

  #checkNamespace(resource: ResourceDefinition, namespace: string, name: string): void {
    if (!resource.namespaced) return;
    const found = this.#store.get({ resource: '/namespaces', namespace: '', name: namespace });
    if (found === undefined)
      throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace);
    if (found.metadata.deletionTimestamp !== undefined) throw namespaceTerminating(resource, namespace, name);
  }

  #fieldWriter(resource: ResourceDefinition, { manager, subresource }: WriteOptions): FieldWriter {
    const apiVersion = apiVersionOf(resource);
    return {
      manager,
      subresource,
      apiVersion,
      nowMilliseconds: this.#clock.now(),
      hasSchema: !resource.custom,
    };
  }
}

/** Five characters, as upstream appends them to `generateName`. */
export function randomSuffix(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(suffixLength));
  return Array.from(bytes, (byte) => suffixAlphabet[byte % suffixAlphabet.length] ?? '').join('');
}

function keepIdentity(live: ObjectMeta, given: Partial<ObjectMeta> | undefined): ObjectMeta {
  const kept = Object.fromEntries(keptFields.map((key) => [key, live[key]]));
  return { ...given, ...kept } as ObjectMeta;
}

function desiredState(object: KubeObject): JsonObject {
  return { ...object, metadata: undefined, status: undefined };
}

function withoutManagedFields(object: KubeObject): JsonObject {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } };
}

/** Whether the same managers own the same fields; the times of entries do not count. */
function sameOwners(left: KubeObject, right: KubeObject): boolean {
  const owners = ({ metadata }: KubeObject): JsonObject[] =>
    (metadata.managedFields ?? []).map((entry) => ({ ...entry, time: undefined }));
  return deepEqual(owners(left), owners(right));
}

/** Custom resources get no status until one is written; built-in kinds always show it. */
function withoutStatus(resource: ResourceDefinition, object: KubeObject): KubeObject {
  return { ...object, status: resource.custom ? undefined : {} };
}

function emptyObject({ resource, namespace, name }: ObjectAddress): KubeObject {
  const { kind } = resource;
  const metadata = { name, uid: '', resourceVersion: '', ...(namespace === '' ? {} : { namespace }) };
  return { apiVersion: apiVersionOf(resource), kind, metadata };
}
