import { AdapterError, apiGroupOf, isJsonObject, type JsonObject, messageOf } from '#kernel';
import type { ObjectReading, ObjectReference, ObjectsPort } from '#reconciliation';
import type { ApiClient } from '../api/api-client.ts';
import { objectPath, type RestMapper } from '../api/rest-mapper.ts';
import { untilAborted } from '../api/until-aborted.ts';
import type { Timing } from '../time/timing.ts';
import { type Loaded, TtlCache } from '../time/ttl-cache.ts';

export interface ObjectReaderOptions {
  readonly client: ApiClient;
  readonly mapper: RestMapper;
  readonly timing: Timing;
}

/** Policies of one sweep that name one object share an answer, and the next sweep asks anew. */
const lifetimeMilliseconds = 5_000;
const maximumObjects = 1_000;
/** An object in etcd has 1.5 MiB at most. */
const maximumBytes = 2 * 1024 * 1024;

/** Objects of any kind, by GETs that are shared for some seconds. */
export class ObjectReader implements ObjectsPort {
  readonly #options: ObjectReaderOptions;
  readonly #objects: TtlCache<JsonObject>;

  constructor(options: ObjectReaderOptions) {
    this.#options = options;
    this.#objects = new TtlCache({ timing: options.timing, maximumEntries: maximumObjects });
  }

  async readObject(reference: ObjectReference, signal: AbortSignal): Promise<ObjectReading> {
    const { namespace, apiVersion, kind, name } = reference;
    try {
      const key = `${namespace}/${apiVersion}/${kind}/${name}`;
      return {
        object: await untilAborted(signal, () => this.#objects.get(key, () => this.#load(reference))),
      };
    } catch (error) {
      signal.throwIfAborted();
      return { error: { message: messageOf(error) } };
    }
  }

  /** Drops what is out of date; to be called now and then. */
  sweep(): void {
    this.#objects.sweep();
  }

  /** A failure is thrown, and so kept not at all. */
  async #load(reference: ObjectReference): Promise<Loaded<JsonObject>> {
    const { apiVersion, kind } = reference;
    // Validation refuses it as well; a policy in force may be older than that.
    if (kind === 'Secret' && apiGroupOf(apiVersion) === '') throw refused('a Secret is never read');
    const mapping = await this.#options.mapper.mappingOf(apiVersion, kind);
    if (!mapping.isNamespaced) throw refused(`a ${kind} belongs to no namespace, and is not read`);
    const value = await this.#options.client.json({ path: objectPath(mapping, reference), maximumBytes });
    if (!isJsonObject(value)) throw refused('the answer is no object');
    return { value, lifetimeMilliseconds };
  }
}

function refused(message: string): AdapterError {
  return new AdapterError({ code: 'NotReadable', message, retryable: false });
}
