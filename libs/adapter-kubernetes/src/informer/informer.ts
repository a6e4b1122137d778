import { AdapterError } from '#kernel';
import type { ApiClient } from '../api/api-client.ts';
import { hasCode, transportFailure } from '../api/api-failure.ts';
import { systemTiming, type Timing } from '../timing.ts';
import { Backoff } from './backoff.ts';
import { listPages } from './list-pages.ts';
import type { ObjectSink } from './object-sink.ts';
import { parseWatchEvent } from './watch-event.ts';
import { acceptOfObject, type WatchedResource } from './watched-resource.ts';

/** How an informer is doing. Times are milliseconds of `Timing.elapsed`. */
export interface InformerStatus {
  readonly resource: string;
  /** Whether a first list has come in completely. */
  readonly isSynced: boolean;
  /** Since when the cache may lag: its last list, or the break of its watch; undefined while a watch works. */
  readonly brokenSince: number | undefined;
  /** The last event, bookmark or page. */
  readonly lastContact: number | undefined;
  readonly lastFailure: AdapterError | undefined;
  /** Lists and watches begun so far: many of them mean a server that drops us. */
  readonly lists: number;
  readonly watches: number;
}

/** What an informer is made from. */
export interface InformerOptions {
  readonly client: ApiClient;
  readonly resource: WatchedResource;
  readonly sink: ObjectSink;
  readonly timing?: Timing;
  /** Told when the watch breaks (with the failure) and when it works again (undefined). */
  readonly onHealth?: (status: InformerStatus, failure: AdapterError | undefined) => void;
}

/** The server ends the watch after 5 to 10 minutes, as client-go asks: connections spread over API servers again. */
const watchSeconds = { least: 300, spread: 300 };
/** API servers send a bookmark about once a minute; silence for this long is a connection that died unnoticed. */
const maximumSilenceMilliseconds = 150_000;
const openTimeoutMilliseconds = 30_000;
/** An object is at most 1.5 MiB in etcd; its JSON may be some times that. */
const maximumEventBytes = 16 * 1024 * 1024;

/**
 * Keeps a sink equal to a collection of the API server: a paged list, then a watch with bookmarks, resumed from the last
 * resourceVersion when it drops, begun anew when that has expired (410), for ever, with back-off and jitter.
 *
 * @see docs/adr/0005-own-informer.md
 */
export class Informer {
  readonly #options: InformerOptions;
  readonly #timing: Timing;
  readonly #backoff = new Backoff();
  readonly #stopping = new AbortController();
  readonly #synced = Promise.withResolvers<undefined>();
  #running: Promise<void> | undefined;
  #status: InformerStatus;

  constructor(options: InformerOptions) {
    this.#options = options;
    this.#timing = options.timing ?? systemTiming;
    this.#status = {
      resource: options.resource.name,
      isSynced: false,
      brokenSince: this.#timing.elapsed(),
      lastContact: undefined,
      lastFailure: undefined,
      lists: 0,
      watches: 0,
    };
  }

  /** Begins; once. */
  start(): void {
    this.#running ??= this.#run(this.#stopping.signal);
  }

  /** Ends the watch and waits until nothing of it runs. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  get status(): InformerStatus {
    return this.#status;
  }

  /** Resolves when the first list has come in; the caller bounds the wait. */
  whenSynced(): Promise<void> {
    return this.#synced.promise;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let version: string | undefined;
    while (!signal.aborted) {
      try {
        version ??= await this.#list(signal);
        version = await this.#watch(version, signal);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        if (error instanceof WatchBroken) version = error.resumeFrom;
        const failure = error instanceof WatchBroken ? error.failure : asFailure(error);
        this.#broken(failure);
        await this.#timing.wait(this.#backoff.next(this.#timing.random()), signal).catch(() => undefined);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, resource, sink } = this.#options;
    this.#status = { ...this.#status, lists: this.#status.lists + 1 };
    sink.beginList();
    const version = await listPages({ client, resource, signal }, (object) => sink.put(object));
    sink.endList();
    const now = this.#timing.elapsed();
    this.#status = { ...this.#status, isSynced: true, lastContact: now, brokenSince: now };
    this.#synced.resolve(undefined);
    return version;
  }

  /** Watches until the server ends the stream as agreed; the version to go on from. */
  async #watch(from: string, signal: AbortSignal): Promise<string | undefined> {
    const watchdog = new AbortController();
    const connection = AbortSignal.any([signal, watchdog.signal]);
    let version = from;
    try {
      const lines = await this.#open(from, connection);
      this.#works();
      void this.#watchForSilence(watchdog, connection);
      for await (const line of lines) {
        version = this.#apply(line) || version;
        this.#status = { ...this.#status, lastContact: this.#timing.elapsed() };
        this.#backoff.reset();
      }
    } catch (error) {
      const failure = asFailure(watchdog.signal.aborted ? watchdog.signal.reason : error);
      throw new WatchBroken(failure, hasCode(failure, 'Expired') ? undefined : version);
    } finally {
      watchdog.abort();
    }
    return this.#ended(version, signal);
  }

  /** A stream that ends before it said anything is a failing server: paced like one, lest this loop spins. */
  async #ended(version: string, signal: AbortSignal): Promise<string> {
    await this.#timing.wait(this.#backoff.next(this.#timing.random()), signal).catch(() => undefined);
    return version;
  }

  #open(resourceVersion: string, signal: AbortSignal): Promise<AsyncGenerator<string>> {
    const { client, resource } = this.#options;
    this.#status = { ...this.#status, watches: this.#status.watches + 1 };
    const seconds = watchSeconds.least + Math.floor(this.#timing.random() * watchSeconds.spread);
    return client.lines({
      path: resource.path,
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion,
        timeoutSeconds: String(seconds),
      },
      accept: acceptOfObject(resource.representation),
      timeoutMilliseconds: openTimeoutMilliseconds,
      maximumBytes: maximumEventBytes,
      signal,
    });
  }

  #apply(line: string): string {
    const event = parseWatchEvent(line);
    if (event.kind === 'Bookmark') return event.resourceVersion;
    if (event.kind === 'Put') this.#options.sink.put(event.object);
    else this.#options.sink.remove(event.object);
    return event.object.resourceVersion;
  }

  async #watchForSilence(watchdog: AbortController, signal: AbortSignal): Promise<void> {
    const openedAt = this.#timing.elapsed();
    for (;;) {
      const heard = Math.max(this.#status.lastContact ?? 0, openedAt);
      const left = heard + maximumSilenceMilliseconds - this.#timing.elapsed();
      if (left <= 0) break;
      try {
        await this.#timing.wait(left, signal);
      } catch {
        return;
      }
    }
    const message = `nothing heard of ${this.#options.resource.name} for ${maximumSilenceMilliseconds} ms`;
    watchdog.abort(new AdapterError({ code: 'Timeout', message, retryable: true }));
  }

  #works(): void {
    const wasBroken = this.#status.brokenSince !== undefined;
    this.#status = { ...this.#status, brokenSince: undefined, lastFailure: undefined };
    if (wasBroken) this.#options.onHealth?.(this.#status, undefined);
  }

  #broken(failure: AdapterError): void {
    const isNews = this.#status.lastFailure?.code !== failure.code;
    const brokenSince = this.#status.brokenSince ?? this.#timing.elapsed();
    this.#status = { ...this.#status, brokenSince, lastFailure: failure };
    if (isNews) this.#options.onHealth?.(this.#status, failure);
  }
}

/** A watch that ended with a failure, and where it can be taken up again; undefined: only a new list helps. */
class WatchBroken extends Error {
  readonly failure: AdapterError;
  readonly resumeFrom: string | undefined;

  constructor(failure: AdapterError, resumeFrom: string | undefined) {
    super(failure.message);
    this.failure = failure;
    this.resumeFrom = resumeFrom;
  }
}

function asFailure(error: unknown): AdapterError {
  return transportFailure('watch', error, []);
}
