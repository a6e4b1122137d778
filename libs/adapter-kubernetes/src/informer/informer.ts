import { AdapterError } from '#kernel';
import type { ApiClient } from '../api/api-client.ts';
import { hasCode, transportFailure } from '../api/api-failure.ts';
import { isAtLeast, isLater } from '../objects/resource-version.ts';
import type { Timing } from '../time/timing.ts';
import { Backoff } from './backoff.ts';
import { listPages, presentVersion } from './list-pages.ts';
import type { ObjectSink } from './object-sink.ts';
import { ReachedVersion } from './reached-version.ts';
import { parseWatchEvent } from './watch-event.ts';
import type { WatchLog } from './watch-log.ts';
import { acceptOfObject, type WatchedResource } from './watched-resource.ts';

/** How an informer is doing. */
export interface InformerStatus {
  readonly resource: string;
  /** Whether a first list has come in completely. */
  readonly isSynced: boolean;
  /** Whether a watch is open. */
  readonly isWatching: boolean;
  /** When the cache was last known to be complete, in milliseconds of `Timing.elapsed`; undefined: never yet. */
  readonly freshAt: number | undefined;
  /**
   * When the API server was last known to be there, in milliseconds of `Timing.elapsed`: it sent something, or an open watch
   * ended otherwise than by silence. undefined: never yet.
   */
  readonly reachedAt: number | undefined;
  readonly lastFailure: AdapterError | undefined;
  /** Since when the API server has refused it to us, in milliseconds of `Timing.elapsed`; undefined: it does not. */
  readonly refusedSince: number | undefined;
  /** Lists and watches begun so far: many lists mean a server that drops us. */
  readonly lists: number;
  readonly watches: number;
}

export interface InformerOptions {
  readonly client: ApiClient;
  readonly resource: WatchedResource;
  readonly sink: ObjectSink;
  readonly timing: Timing;
  readonly log: WatchLog;
}

/**
 * The server ends each watch after this time, so that one that has died is known within 45 s, as by client-go's pings:
 * a proxy or a firewall may keep a connection open that carries nothing any more.
 */
const watchSeconds = { least: 30, spread: 10 };
/** After a failure: the cache is known to be complete again when the first watch has ended. */
const recoverySeconds = 5;
/** How long after its end was due a silent watch is given up. */
const graceMilliseconds = 5_000;
const openTimeoutMilliseconds = 15_000;
/** An object is at most 1.5 MiB in etcd; its JSON may be some times that. */
const maximumEventBytes = 16 * 1024 * 1024;

/**
 * Keeps a sink equal to a collection of the API server: a paged list, then a watch with bookmarks, resumed from the last
 * resourceVersion when it drops, begun anew when that has expired (410), is ahead of the server's, or leads to an event that
 * cannot be taken in; for ever, with back-off and jitter. A list that leads back waits for a minute.
 *
 * @see docs/adr/0005-own-informer.md
 */
export class Informer {
  readonly #options: InformerOptions;
  readonly #timing: Timing;
  readonly #log: WatchLog;
  readonly #backoff = new Backoff();
  readonly #stopping = new AbortController();
  readonly #synced = Promise.withResolvers<undefined>();
  readonly #answered = Promise.withResolvers<undefined>();
  readonly #reached: ReachedVersion;
  #running: Promise<void> | undefined;
  /** The collection's version when it was asked for last. */
  #present = '0';
  #status: InformerStatus;

  constructor(options: InformerOptions) {
    this.#options = options;
    this.#timing = options.timing;
    this.#log = options.log;
    this.#reached = new ReachedVersion(options.resource.name);
    this.#status = {
      resource: options.resource.name,
      isSynced: false,
      isWatching: false,
      freshAt: undefined,
      reachedAt: undefined,
      lastFailure: undefined,
      refusedSince: undefined,
      lists: 0,
      watches: 0,
    };
  }

  /** Begins; once. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#log.begin(this.#status.resource);
    this.#running = this.#run(this.#stopping.signal);
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

  /** Resolves when the first list has come in, or the API server has refused it to us; the caller bounds the wait. */
  whenAnswered(): Promise<void> {
    return this.#answered.promise;
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
    const begunAt = this.#timing.elapsed();
    let objects = 0;
    sink.beginList();
    const version = await listPages(
      { client, resource, signal },
      {
        onVersion: (version) => this.#reached.judge(version, this.#timing.elapsed()),
        onObject: (object) => {
          sink.put(object);
          objects += 1;
        },
      },
    );
    sink.endList();
    this.#present = version;
    this.#log.listed(resource.name, { objects, milliseconds: this.#since(begunAt) });
    this.#status = { ...this.#status, isSynced: true };
    this.#fresh();
    this.#synced.resolve(undefined);
    this.#answered.resolve(undefined);
    return version;
  }

  /** Watches until the server ends the stream as agreed; the version to go on from. */
  async #watch(from: string, signal: AbortSignal): Promise<string | undefined> {
    const watchdog = new AbortController();
    const connection = AbortSignal.any([signal, watchdog.signal]);
    const openedAt = this.#timing.elapsed();
    const seconds = this.#watchSeconds();
    let version = from;
    let lines = 0;
    try {
      const stream = await this.#open({ from, seconds, signal: connection });
      this.#works();
      void this.#watchForSilence({ watchdog, signal: connection, seconds });
      for await (const line of stream) {
        const applied = this.#applied(line, version);
        if (applied !== '' && isAtLeast(applied, version)) version = applied;
        this.#reached.note(version);
        lines += 1;
        this.#fresh();
        this.#backoff.reset();
      }
    } catch (error) {
      if (error instanceof WatchBroken) throw error;
      const failure = asFailure(watchdog.signal.aborted ? watchdog.signal.reason : error);
      const isResumable = !hasCode(failure, 'Expired') && !hasCode(failure, 'TooLarge');
      throw new WatchBroken(failure, isResumable ? version : undefined);
    } finally {
      watchdog.abort();
    }
    if (lines === 0) version = await this.#confirmQuiet(version, signal);
    this.#fresh();
    this.#status = { ...this.#status, lastFailure: undefined };
    const ended = { events: lines, milliseconds: this.#since(openedAt) };
    this.#log.ended(this.#status.resource, ended);
    await this.#pace(openedAt, { seconds, signal });
    return version;
  }

  /**
   * A watch that ended without a line: nothing changed, or the server does not know our version. One that was restored
   * from a backup counts from a lower version, and sends no event until it has passed ours.
   *
   * @returns the version to go on from: a watch that began after the server was asked before, and carried nothing,
   *   shows that nothing had changed up to then. So the version of a quiet collection does not grow too old.
   * @throws WatchBroken where it has gone back.
   */
  async #confirmQuiet(version: string, signal: AbortSignal): Promise<string> {
    const { client, resource } = this.#options;
    const present = await presentVersion({ client, resource, signal });
    try {
      this.#reached.confirm(present, this.#timing.elapsed());
    } catch (error) {
      throw new WatchBroken(asFailure(error), undefined);
    }
    const known = isAtLeast(version, this.#present) ? version : this.#present;
    this.#reached.note(present);
    this.#present = present;
    return known;
  }

  /** A stream that ends before its time is of a failing server: paced like one, lest this loop spins. */
  async #pace(
    openedAt: number,
    { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
  ): Promise<void> {
    if (this.#timing.elapsed() - openedAt >= (seconds * 1000) / 2) this.#backoff.reset();
    else await this.#timing.wait(this.#backoff.next(this.#timing.random()), signal).catch(() => undefined);
  }

  #since(moment: number): number {
    return Math.round(this.#timing.elapsed() - moment);
  }

  #watchSeconds(): number {
    if (this.#status.lastFailure !== undefined) return recoverySeconds;
    return watchSeconds.least + Math.floor(this.#timing.random() * watchSeconds.spread);
  }

  #open({ from, seconds, signal }: Opening): Promise<AsyncGenerator<string>> {
    const { client, resource } = this.#options;
    this.#status = { ...this.#status, watches: this.#status.watches + 1 };
    return client.lines({
      path: resource.path,
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: from,
        timeoutSeconds: String(seconds),
      },
      accept: acceptOfObject(resource.representation),
      timeoutMilliseconds: openTimeoutMilliseconds,
      maximumBytes: maximumEventBytes,
      signal,
    });
  }

  /** @throws WatchBroken for an event that cannot be taken in: it would come again wherever the watch is resumed. */
  #applied(line: string, reached: string): string {
    try {
      return this.#apply(line, reached);
    } catch (error) {
      throw new WatchBroken(asFailure(error), undefined);
    }
  }

  /**
   * A watch carries what is later than its version, in order. What it delivers once more, as from a proxy that has kept it,
   * is taken in already, and may be of an object that is gone: it leads nowhere back.
   */
  #apply(line: string, reached: string): string {
    const event = parseWatchEvent(line);
    if (event.kind === 'Bookmark') return event.resourceVersion;
    if (!isLater(event.object.resourceVersion, reached)) return reached;
    if (event.kind === 'Put') this.#options.sink.put(event.object);
    else this.#options.sink.remove(event.object);
    return event.object.resourceVersion;
  }

  async #watchForSilence({ watchdog, signal, seconds }: Silence): Promise<void> {
    const openedAt = this.#timing.elapsed();
    const maximum = seconds * 1000 + graceMilliseconds;
    for (;;) {
      const heardAt = Math.max(this.#status.freshAt ?? 0, openedAt);
      const left = heardAt + maximum - this.#timing.elapsed();
      if (left <= 0) break;
      try {
        await this.#timing.wait(left, signal);
      } catch {
        return;
      }
    }
    const message = `the watch of ${this.#options.resource.name} was silent for ${maximum} ms, and did not end`;
    watchdog.abort(new AdapterError({ code: 'Timeout', message, retryable: true }));
  }

  /** The cache is complete as of now. */
  #fresh(): void {
    const now = this.#timing.elapsed();
    this.#status = { ...this.#status, freshAt: now, reachedAt: now };
  }

  #works(): void {
    this.#status = { ...this.#status, isWatching: true, refusedSince: undefined };
    this.#log.working(this.#status.resource);
  }

  #broken(failure: AdapterError): void {
    const isNews = this.#status.lastFailure?.code !== failure.code || this.#status.isWatching;
    const isRefused = failure.code === 'Forbidden';
    const refusedSince = isRefused ? (this.#status.refusedSince ?? this.#timing.elapsed()) : undefined;
    const wasHeard = this.#status.isWatching && failure.code !== 'Timeout';
    const reachedAt = wasHeard ? this.#timing.elapsed() : this.#status.reachedAt;
    this.#status = { ...this.#status, isWatching: false, reachedAt, lastFailure: failure, refusedSince };
    if (isRefused) this.#answered.resolve(undefined);
    if (isNews) this.#log.interrupted(this.#status.resource, failure);
  }
}

/** One watch to be opened. */
interface Opening {
  readonly from: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** What watches a watch. */
interface Silence {
  readonly watchdog: AbortController;
  readonly signal: AbortSignal;
  readonly seconds: number;
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
