import type { JsonObject } from '#kernel';
import type { Cancel, SimulationClock } from '../clock/simulation-clock.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import { apiVersionOf, type ResourceDefinition, resourceKey } from '../registry/resource-definition.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { StoreEvent } from '../storage/watch-history.ts';
import { matchesFilter, type ObjectFilter } from './list-query.ts';
import type { Representation } from './media-type.ts';
import { representObject } from './represent.ts';
import { expired } from './status-error.ts';

/** What a watch asks for. */
export interface WatchRequest {
  readonly resource: ResourceDefinition;
  readonly namespace: string | undefined;
  readonly filter: ObjectFilter;
  readonly representation: Representation;
  /** Continue after this revision; undefined or 0: begin with what is there. */
  readonly revision: number | undefined;
  /** Begin with what is there, and say with a bookmark when that is complete. */
  readonly sendInitialEvents: boolean;
  readonly bookmarks: boolean;
  readonly timeoutSeconds: number;
}

/** Where a watch's lines go. */
export interface WatchSink {
  readonly send: (line: string) => void;
  readonly end: () => void;
}

/** A real server sends one about every minute. */
const bookmarkMilliseconds = 60_000;

/** One open watch: one object per line, until the client leaves or the time is over. */
export class WatchSession {
  readonly #request: WatchRequest;
  readonly #sink: WatchSink;
  readonly #store: ObjectStore;
  readonly #cancels: Cancel[] = [];
  #closed = false;

  constructor(request: WatchRequest, sink: WatchSink, store: ObjectStore) {
    this.#request = request;
    this.#sink = sink;
    this.#store = store;
  }

  /** Sends what has happened, then what happens. */
  start(clock: SimulationClock): void {
    const { revision, sendInitialEvents, timeoutSeconds, bookmarks, resource } = this.#request;
    const key = resourceKey(resource);
    if (sendInitialEvents || revision === undefined || revision === 0) {
      this.#sendPresent();
    } else {
      const missed = this.#store.history(key).since(revision);
      if (missed === undefined) {
        this.expire(revision);
        return;
      }
      for (const event of missed) this.#forward(event);
    }
    this.#cancels.push(this.#store.subscribe((event) => event.resource === key && this.#forward(event)));
    this.#cancels.push(clock.schedule(timeoutSeconds * 1000, () => this.close()));
    if (bookmarks) this.#bookmarkLater(clock);
  }

  /** Ends with 410 in the stream: what followed the revision is forgotten. */
  expire(revision = 0): void {
    const { forgottenUpTo } = this.#store.history(resourceKey(this.#request.resource));
    this.#send('ERROR', expired(revision, forgottenUpTo).body);
    this.close();
  }

  /** Ends the answer. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const cancel of this.#cancels) cancel();
    this.#sink.end();
  }

  #sendPresent(): void {
    const { resource, namespace, filter, sendInitialEvents } = this.#request;
    for (const object of this.#store.list(resourceKey(resource), namespace))
      if (matchesFilter(object, filter)) this.#show('ADDED', object);

    if (sendInitialEvents) this.#bookmark({ 'k8s.io/initial-events-end': 'true' });
  }

  /** An object that begins to match was added for this watch, one that ceases to match was deleted. */
  #forward(event: StoreEvent): void {
    const { filter } = this.#request;
    const { type, object, previous, revision } = event;
    if (!this.#concerns(event)) return;
    const before = previous !== undefined && matchesFilter(previous, filter) ? previous : undefined;
    const does = type !== 'DELETED' && matchesFilter(object, filter);
    if (does) this.#show(before === undefined ? 'ADDED' : 'MODIFIED', object);
    else if (before !== undefined)
      this.#show('DELETED', type === 'DELETED' ? object : atRevision(before, revision));
  }

  /** A watch from a version that is ahead of ours, from before a restore, gets nothing until it is passed: as upstream. */
  #concerns({ object: { metadata }, revision }: StoreEvent): boolean {
    const { namespace, revision: after = 0 } = this.#request;
    if (this.#closed || revision <= after) return false;
    return namespace === undefined || metadata.namespace === namespace;
  }

  #show(type: StoreEvent['type'], object: KubeObject): void {
    this.#send(type, representObject(object, this.#request.representation));
  }

  #bookmarkLater(clock: SimulationClock): void {
    const cancel = clock.schedule(bookmarkMilliseconds, () => {
      if (this.#closed) return;
      this.#bookmark();
      this.#bookmarkLater(clock);
    });
    this.#cancels.push(cancel);
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): void {
    const { resource, representation } = this.#request;
    const metadata = { resourceVersion: String(this.#store.revision), annotations };
    const object =
      representation === 'Metadata'
        ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
        : { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata };
    this.#send('BOOKMARK', object);
  }

  #send(type: string, object: JsonObject): void {
    this.#sink.send(`${JSON.stringify({ type, object })}\n`);
  }
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
