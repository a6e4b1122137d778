import { type AdapterError, canonicalJson, type JsonObject } from '#kernel';
import {
  type AutoscalerName,
  type AutoscalerReading,
  type AutoscalerReplacement,
  type AutoscalerRetirementOutcome,
  type AutoscalerVersionRetirement,
  type AutoscalerWriteOutcome,
  type LiveAutoscaler,
  type NativeAutoscalerListing,
  type NativeAutoscalersPort,
  type OwnedAutoscaler,
  plimsollManager,
  readNativeAutoscaler,
  type ScaleWriteFailure,
  versionedHpaDocument,
  versionManagers,
} from '#reconciliation';
import type { ApiClient, ApiRequest } from '../api/api-client.ts';
import {
  conflictOf,
  hasCode,
  isUnknownOutcome,
  transportFailure,
  unfoundedConflict,
  unretired,
} from '../api/api-failure.ts';
import { object, parseVersionedObject, text } from '../api/kube-object.ts';
import type { ServerVersion } from '../api/server-version.ts';
import type { Timing } from '../time/timing.ts';
import type { AutoscalerCache } from './autoscaler-cache.ts';

/** As client-go's DefaultRetry; the native controller writes the status at any moment. */
const maximumTries = 5;
const firstDelayMilliseconds = 10;

export interface AutoscalerClientOptions {
  readonly client: ApiClient;
  readonly cache: AutoscalerCache;
  readonly serverVersion: ServerVersion;
  readonly timing: Timing;
}

/** HPAs: listed from the watch, read and written one by one. */
export class AutoscalerClient implements NativeAutoscalersPort {
  readonly #options: AutoscalerClientOptions;

  constructor(options: AutoscalerClientOptions) {
    this.#options = options;
  }

  listAutoscalers(namespace: string): NativeAutoscalerListing {
    return this.#options.cache.listAutoscalers(namespace);
  }

  listOwned(): readonly OwnedAutoscaler[] {
    return this.#options.cache.listOwned();
  }

  askedLately(name: AutoscalerName): ReadonlySet<number> {
    return this.#options.cache.askedLately(name);
  }

  serverVersion(): string | null {
    return this.#options.serverVersion.current;
  }

  async readAutoscaler(name: AutoscalerName, signal: AbortSignal): Promise<AutoscalerReading> {
    try {
      return { kind: 'Found', ...(await this.#call(name.namespace, { path: pathOf(name), signal })) };
    } catch (error) {
      signal.throwIfAborted();
      if (hasCode(error, 'NotFound')) return { kind: 'NotFound' };
      return { kind: 'Failed', message: failureOf(error).message };
    }
  }

  async createAutoscaler(document: JsonObject, signal: AbortSignal): Promise<AutoscalerWriteOutcome> {
    const name = nameOf(document);
    const path = collectionOf(name.namespace);
    const request = { method: 'POST', path, query: strictly, body: document, signal } as const;
    const outcome = await this.#write(name.namespace, request);
    if (!isConflict(outcome)) return outcome;
    const present = await this.readAutoscaler(name, signal);
    return present.kind === 'NotFound' ? unfounded(outcome.failure, 'there is none of that name') : outcome;
  }

  async replaceAutoscaler(
    write: AutoscalerReplacement,
    signal: AbortSignal,
  ): Promise<AutoscalerWriteOutcome> {
    const { document, observed } = write;
    const { timing } = this.#options;
    const name = nameOf(document);
    let body = document;
    for (let tries = 1; ; tries += 1) {
      const failure = write.unwanted();
      if (failure !== null) return { outcome: 'Failed', failure };
      const request = { method: 'PUT', path: pathOf(name), query: strictly, body, signal } as const;
      const outcome = await this.#write(name.namespace, request);
      if (!isConflict(outcome)) return outcome;
      const present = await this.readAutoscaler(name, signal);
      if (present.kind !== 'Found' || !hasSameContent(present, observed)) return outcome;
      const metadata = object(body['metadata']);
      const { resourceVersion } = present.autoscaler;
      if (tries >= maximumTries) {
        const sent = { resourceVersion: text(metadata['resourceVersion']) };
        return {
          outcome: 'Failed',
          failure: conflictOf(outcome.failure, { sent, present: present.autoscaler }),
        };
      }
      body = { ...body, metadata: { ...metadata, resourceVersion } };
      await timing.wait(firstDelayMilliseconds * 2 ** (tries - 1) * (1 + timing.random() / 10), signal);
    }
  }

  async deleteAutoscaler(
    { uid, ...name }: AutoscalerName & { readonly uid: string },
    signal: AbortSignal,
  ): Promise<AutoscalerWriteOutcome> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } };
    try {
      await this.#options.client.json({ method: 'DELETE', path: pathOf(name), body, signal });
      return { outcome: 'Written', live: null };
    } catch (error) {
      signal.throwIfAborted();
      if (hasCode(error, 'NotFound')) return { outcome: 'Written', live: null };
      const outcome = outcomeOf(error);
      if (!isConflict(outcome)) return outcome;
      const present = await this.readAutoscaler(name, signal);
      const isThere = present.kind === 'Found' && present.autoscaler.uid === uid;
      return isThere ? unfounded(outcome.failure, `uid ${uid} is the present one`) : outcome;
    }
  }

  async retireVersion(
    retirement: AutoscalerVersionRetirement,
    signal: AbortSignal,
  ): Promise<AutoscalerRetirementOutcome> {
    const body = versionedHpaDocument(retirement.live.document);
    const failure = retirement.unwanted();
    if (failure !== null) return { kind: 'Unknown', message: failure.message };
    const query = { fieldManager: versionManagers[0] };
    try {
      await this.#options.client.json({ method: 'PUT', path: pathOf(nameOf(body)), query, body, signal });
      return { kind: 'Retired' };
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(error);
      const present = hasCode(failure, 'Conflict') ? await this.readAutoscaler(nameOf(body), signal) : null;
      if (present?.kind !== 'Found') return unretired(failure);
      return unretired(
        conflictOf(failure, { sent: retirement.live.autoscaler, present: present.autoscaler }),
      );
    }
  }

  async #write(namespace: string, request: ApiRequest): Promise<AutoscalerWriteOutcome> {
    try {
      return { outcome: 'Written', live: await this.#call(namespace, request) };
    } catch (error) {
      request.signal?.throwIfAborted();
      return outcomeOf(error);
    }
  }

  async #call(namespace: string, request: ApiRequest): Promise<LiveAutoscaler> {
    const { body: document } = parseVersionedObject(
      await this.#options.client.json(request),
      'HorizontalPodAutoscaler',
    );
    const autoscaler = readNativeAutoscaler(document);
    return { autoscaler: this.#options.cache.withSelector(namespace, autoscaler), document };
  }
}

const strictly = { fieldManager: plimsollManager, fieldValidation: 'Strict' };

/** Of the metadata, what a replacement writes anew from what was observed. */
const writtenMetadata = ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const;

/** Whether nothing but the status of an HPA has changed. */
function hasSameContent(present: LiveAutoscaler, observed: LiveAutoscaler): boolean {
  const { uid, digest } = observed.autoscaler;
  if (present.autoscaler.uid !== uid || present.autoscaler.digest !== digest) return false;
  const written = ({ document }: LiveAutoscaler): string => {
    const metadata = object(document['metadata']);
    return canonicalJson(writtenMetadata.map((field) => metadata[field] ?? null));
  };
  return written(present) === written(observed);
}

function isConflict(
  written: AutoscalerWriteOutcome,
): written is Extract<AutoscalerWriteOutcome, { readonly failure: unknown }> {
  return written.outcome === 'Failed' && written.failure.code === 'Conflict';
}

function unfounded(conflict: ScaleWriteFailure, why: string): AutoscalerWriteOutcome {
  return { outcome: 'Failed', failure: unfoundedConflict(conflict, why) };
}

function outcomeOf(error: unknown): AutoscalerWriteOutcome {
  const failure = failureOf(error);
  return { outcome: isUnknownOutcome(failure) ? 'Unknown' : 'Failed', failure };
}

function failureOf(error: unknown): AdapterError {
  return transportFailure('HPA', error, []);
}

function nameOf(document: JsonObject): AutoscalerName {
  const { namespace, name } = object(document['metadata']);
  return { namespace: text(namespace), name: text(name) };
}

function collectionOf(namespace: string): string {
  return `/apis/autoscaling/v2/namespaces/${encodeURIComponent(namespace)}/horizontalpodautoscalers`;
}

function pathOf({ namespace, name }: AutoscalerName): string {
  return `${collectionOf(namespace)}/${encodeURIComponent(name)}`;
}
