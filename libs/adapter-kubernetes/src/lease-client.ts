import type { LeasePort, LeaseRecord, LeaseVerb, LeaseWrite, StoredLease } from '#coordination';
import { AdapterError, isJsonObject, type JsonObject } from '#kernel';
import type { ApiClient, ApiRequest } from './api/api-client.ts';
import { hasCode } from './api/api-failure.ts';
import { object, parseVersionedObject, text } from './api/kube-object.ts';

/** Where the Leases of an installation are. */
export interface LeasePlace {
  readonly namespace: string;
  /** What their names begin with, followed by a hyphen. */
  readonly prefix: string;
  /** How long a call may take, retries after a 429 included; less than the renew deadline. */
  readonly timeoutMilliseconds: number;
}

interface NamedRecord {
  readonly name: string;
  readonly record: LeaseRecord;
}

const durationAnnotation = 'plimsoll.dev/lease-duration-milliseconds';
const urlAnnotation = 'plimsoll.dev/advertised-url';
const takesShardsAnnotation = 'plimsoll.dev/takes-shards';
const reachesDatabaseAnnotation = 'plimsoll.dev/reaches-database';
const versionAnnotation = 'plimsoll.dev/version';
const settingsAnnotation = 'plimsoll.dev/settings';

/** Of a Lease that is another version by now, or does not exist any more. */
const changedCodes = ['Conflict', 'NotFound'];

const deleteOptions = { apiVersion: 'v1', kind: 'DeleteOptions' };

/** Of a Lease that nobody holds. */
const emptyRecord: LeaseRecord = {
  holder: null,
  durationMilliseconds: null,
  acquireTime: null,
  renewTime: null,
  transitions: 0,
  advertisedUrl: null,
  takesShards: true,
  reachesDatabase: true,
  version: null,
  settings: null,
};

/** Leases of `coordination.k8s.io/v1`. */
export class LeaseClient implements LeasePort {
  readonly #client: Pick<ApiClient, 'json'>;
  readonly #place: LeasePlace;

  constructor(client: Pick<ApiClient, 'json'>, place: LeasePlace) {
    this.#client = client;
    this.#place = place;
  }

  async list(signal?: AbortSignal): Promise<readonly StoredLease[]> {
    const list = await this.#call({ path: this.#path(), signal });
    const items = isJsonObject(list) ? list['items'] : undefined;
    if (!Array.isArray(items))
      throw new AdapterError({ code: 'Malformed', message: 'the Leases are no list', retryable: true });
    return items
      .map(leaseOf)
      .filter(({ name }) => name.startsWith(`${this.#place.prefix}-`))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async create(name: string, record: LeaseRecord, signal?: AbortSignal): Promise<LeaseWrite> {
    const body = this.#document({ name }, record);
    try {
      return await this.#write({ method: 'POST', path: this.#path(), body, signal }, { name, record });
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      const message = `there is no namespace ${this.#place.namespace} to make ${name} in (coordination.namespace)`;
      throw new AdapterError({ code: 'NotFound', message, retryable: true, cause: error });
    }
  }

  /** With its uid: the API server makes a Lease that is gone anew from a replacement that names none. */
  update(
    { name, uid, resourceVersion }: StoredLease,
    record: LeaseRecord,
    signal?: AbortSignal,
  ): Promise<LeaseWrite> {
    const body = this.#document({ name, uid, resourceVersion }, record);
    return this.#write({ method: 'PUT', path: this.#path(name), body, signal }, { name, record });
  }

  async delete({ name, resourceVersion }: StoredLease): Promise<void> {
    const body = { ...deleteOptions, preconditions: { resourceVersion } };
    await this.#unlessChanged({ method: 'DELETE', path: this.#path(name), body });
  }

  /** Of a version that there never was. @throws AdapterError `NotFound` where there is no namespace to make one in */
  async rehearse(verb: LeaseVerb, name: string): Promise<void> {
    const path = this.#path(name);
    const absent = { uid: 'none', resourceVersion: '1' };
    const requests: Readonly<Record<LeaseVerb, ApiRequest>> = {
      create: { method: 'POST', path: this.#path(), body: this.#document({ name }, emptyRecord) },
      update: { method: 'PUT', path, body: this.#document({ name, ...absent }, emptyRecord) },
      delete: { method: 'DELETE', path, body: { ...deleteOptions, preconditions: absent, dryRun: ['All'] } },
    };
    const request = { ...requests[verb], query: { dryRun: 'All' } };
    await (verb === 'create' ? this.#unless(['Conflict'], request) : this.#unlessChanged(request));
  }

  /** What an answer does not say is not written: admission may keep a Lease as it was, and answer with it. */
  async #write(request: ApiRequest, { name, record }: NamedRecord): Promise<LeaseWrite> {
    const { holder } = record;
    // A Lease that is not there yet is not found where its namespace is not.
    const codes = request.method === 'POST' ? ['Conflict'] : changedCodes;
    const answer = await this.#unless(codes, request);
    if (answer === null) return this.#afterConflict({ name, record }, request.signal);
    const lease = leaseOf(answer);
    if (lease.record.holder === holder) return { kind: 'Written', lease };
    const message = `${request.method ?? 'GET'} ${request.path}: the answer names the holder ${String(lease.record.holder)}, and ${String(holder)} was written`;
    throw new AdapterError({ code: 'Malformed', message, retryable: true });
  }

  /** What stands before the API server may send a request twice, and answer with the second refusal. */
  async #afterConflict({ name, record }: NamedRecord, signal?: AbortSignal): Promise<LeaseWrite> {
    const lease = (await this.list(signal)).find((each) => each.name === name);
    return lease !== undefined && isSameWrite(lease.record, record)
      ? { kind: 'Written', lease }
      : { kind: 'Conflict' };
  }

  /** Null: it is another version by now, exists already, or does not exist any more. */
  #unlessChanged(request: ApiRequest): Promise<unknown> {
    return this.#unless(changedCodes, request);
  }

  async #unless(codes: readonly string[], request: ApiRequest): Promise<unknown> {
    try {
      return await this.#call(request);
    } catch (error) {
      if (codes.some((code) => hasCode(error, code))) return null;
      throw error;
    }
  }

  #call(request: ApiRequest): Promise<unknown> {
    return this.#client.json({ ...request, timeoutMilliseconds: this.#place.timeoutMilliseconds });
  }

  #path(name?: string): string {
    const namespace = encodeURIComponent(this.#place.namespace);
    const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
  }

  #document(
    identity: { readonly name: string; readonly uid?: string; readonly resourceVersion?: string },
    record: LeaseRecord,
  ): JsonObject {
    const { holder, durationMilliseconds, acquireTime, renewTime, transitions } = record;
    const annotations = annotationsOf(record);
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...identity, namespace: this.#place.namespace, annotations },
      spec: {
        ...(holder !== null && { holderIdentity: holder }),
        // Whole seconds are all that it has; readers of ours look at the annotation first.
        ...(durationMilliseconds !== null && {
          leaseDurationSeconds: Math.ceil(durationMilliseconds / 1_000),
        }),
        ...(acquireTime !== null && { acquireTime: microTime(acquireTime) }),
        ...(renewTime !== null && { renewTime: microTime(renewTime) }),
        leaseTransitions: transitions,
      },
    };
  }
}

/** What a Lease's own fields have no room for. */
function annotationsOf(record: LeaseRecord): JsonObject {
  const { durationMilliseconds, advertisedUrl, takesShards, reachesDatabase, version, settings } = record;
  return {
    ...(durationMilliseconds !== null && { [durationAnnotation]: String(durationMilliseconds) }),
    ...(advertisedUrl !== null && { [urlAnnotation]: advertisedUrl }),
    ...(!takesShards && { [takesShardsAnnotation]: 'false' }),
    ...(!reachesDatabase && { [reachesDatabaseAnnotation]: 'false' }),
    ...(version !== null && { [versionAnnotation]: version }),
    ...(settings !== null && { [settingsAnnotation]: settings }),
  };
}

/** Only the holder writes its name, and no two of its writes at one moment. */
function isSameWrite(found: LeaseRecord, written: LeaseRecord): boolean {
  const { holder, renewTime, transitions } = found;
  if (renewTime === null || written.renewTime === null) return false;
  const isSameTime = Date.parse(renewTime) === Date.parse(written.renewTime);
  return holder !== null && holder === written.holder && transitions === written.transitions && isSameTime;
}

function leaseOf(value: unknown): StoredLease {
  const { name, uid, resourceVersion, metadata, body } = parseVersionedObject(value);
  const spec = object(body['spec']);
  const annotations = object(metadata['annotations']);
  return {
    name,
    uid,
    resourceVersion,
    record: {
      holder: textOrNull(spec['holderIdentity']),
      durationMilliseconds: durationOf(spec, annotations),
      acquireTime: textOrNull(spec['acquireTime']),
      renewTime: textOrNull(spec['renewTime']),
      transitions: typeof spec['leaseTransitions'] === 'number' ? spec['leaseTransitions'] : 0,
      advertisedUrl: textOrNull(annotations[urlAnnotation]),
      takesShards: annotations[takesShardsAnnotation] !== 'false',
      reachesDatabase: annotations[reachesDatabaseAnnotation] !== 'false',
      version: textOrNull(annotations[versionAnnotation]),
      settings: textOrNull(annotations[settingsAnnotation]),
    },
  };
}

/** What `leaseDurationSeconds` can say is all that a duration may be: what is read is written again when a Lease is released. */
const longestMilliseconds = (2 ** 31 - 1) * 1_000;

/** The longer of the two, where somebody has changed one of them; null: neither is a duration. */
function durationOf(spec: JsonObject, annotations: JsonObject): number | null {
  const seconds = spec['leaseDurationSeconds'];
  const exact = Number(text(annotations[durationAnnotation]));
  const whole = typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : null;
  if (!(exact > 0 && exact <= longestMilliseconds)) return whole;
  return whole === null || whole - exact < 1_000 ? exact : Math.max(whole, exact);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** RFC 3339 with six digits, as the API server wants it. */
function microTime(time: string): string {
  return time.replace(/(?:\.(\d*))?Z$/, (_match, digits: string | undefined) => {
    return `.${(digits ?? '').slice(0, 6).padEnd(6, '0')}Z`;
  });
}
