import { availableParallelism } from 'node:os';
import type { Parsed, ParsedFile, PolicyParserPort } from '#git-sync';
import { AdapterError, messageOf } from '#kernel';
import type { ConversionSource, ConvertedFile, PolicyFile, PolicyFileSource } from '#policy';
import type { OverlayContent, OverlayFile } from '#repository';
import { type Batch, type BatchAnswer, parseBatch } from './batch-message.ts';
import { ParserThread, type ThreadSettings } from './parser-thread.ts';

/** How many threads there are, and how long one stays without work. */
export interface ParserPoolSettings extends ThreadSettings {
  /** Threads at most. */
  readonly size: number;
  readonly idleMilliseconds: number;
  /** A batch of at most so many bytes is parsed at once where no thread runs. */
  readonly smallBytes: number;
}

/** Threads beyond these would wait for the one that takes their answers in. */
const maximumThreads = 4;

const fromSource = import.meta.url.endsWith('.ts');

const defaultSettings: ParserPoolSettings = {
  module: new URL(fromSource ? './parser-worker.ts' : './parser-worker.js', import.meta.url),
  // The main thread decides and serves: it keeps a core.
  size: Math.min(Math.max(1, availableParallelism() - 1), maximumThreads),
  // A file of 5 MiB takes some three seconds; a machine that is busy ten times that.
  timeoutMilliseconds: 30_000,
  // A syntax tree is some sixty times as large as its text: enough for a manifest of 5 MiB, and not for every bomb.
  memoryMegabytes: 384,
  // A thread holds some tens of MB, which what comes after the parsing of a commit can use.
  idleMilliseconds: 200,
  // Some ten milliseconds of parsing, of which a change of a few policies has less: a thread takes longer to start.
  smallBytes: 16 * 1024,
};

/** Every source asks for a few batches at once; more waiting are a bug, and are refused for now. */
const maximumWaiting = 1_000;

/** Of one batch: a commit of files that are made to kill a parser must not keep it for hours. */
const maximumFailuresOfBatch = 3;

interface Waiting {
  readonly resolve: (thread: ParserThread) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Parses in threads, so that the main thread stays free. A thread that hangs, dies or takes too much memory fails its
 * batch and is replaced; the batch is then parsed again, file by file, so that only the file that did it fails.
 */
export class ParserPool implements PolicyParserPort {
  readonly batchesAtOnce: number;
  readonly #settings: ParserPoolSettings;
  readonly #threads = new Set<ParserThread>();
  readonly #idle = new Map<ParserThread, NodeJS.Timeout>();
  readonly #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(settings: Partial<ParserPoolSettings> = {}) {
    this.#settings = { ...defaultSettings, ...settings };
    // One more than there are threads, so that none waits for its next.
    this.batchesAtOnce = this.#settings.size + 1;
  }

  /** How many threads run now. */
  get threads(): number {
    return this.#threads.size;
  }

  /** @throws AdapterError `Closed`, or `Busy` where too many batches wait. */
  parse(batch: readonly PolicyFileSource[]): Promise<readonly ParsedFile[]> {
    return this.#parse<PolicyFile>({ kind: 'Policies', files: batch });
  }

  /** @throws AdapterError `Closed`, or `Busy` where too many batches wait. */
  parseOverlays(batch: readonly OverlayFile[]): Promise<readonly Parsed<OverlayContent>[]> {
    return this.#parse<OverlayContent>({ kind: 'Overlays', files: batch });
  }

  /** @throws AdapterError `Closed`, or `Busy` where too many batches wait. */
  convert(batch: readonly ConversionSource[]): Promise<readonly Parsed<ConvertedFile>[]> {
    return this.#parse<ConvertedFile>({ kind: 'Conversions', files: batch });
  }

  async #parse<T extends BatchAnswer[number]>(batch: Batch): Promise<readonly Parsed<T>[]> {
    if (this.#threads.size === 0 && !this.#isClosed && sizeOf(batch) <= this.#settings.smallBytes)
      return parsed<T>(parseBatch(batch));
    const answers = await this.#attempt<T>(batch);
    if (typeof answers !== 'string') return answers;
    if (batch.files.length <= 1) return batch.files.map(() => ({ kind: 'Failed', reason: answers }));
    return this.#parseOneByOne<T>(batch);
  }

  /** Ends every thread; what is under way or waits is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    const threads = [...this.#threads];
    this.#threads.clear();
    await Promise.all(threads.map((thread) => thread.end()));
  }

  async #parseOneByOne<T extends BatchAnswer[number]>(batch: Batch): Promise<readonly Parsed<T>[]> {
    const all: Parsed<T>[] = [];
    let failures = 0;
    for (const file of batch.files) {
      const reason = `${failures} files beside it could not be parsed, and it was not tried`;
      const alone = { kind: batch.kind, files: [file] } as Batch;
      const answers = failures < maximumFailuresOfBatch ? await this.#attempt<T>(alone) : reason;
      if (typeof answers === 'string') failures += 1;
      all.push(...(typeof answers === 'string' ? [{ kind: 'Failed' as const, reason: answers }] : answers));
    }
    return all;
  }

  /** The answers, or why there are none. */
  async #attempt<T extends BatchAnswer[number]>(batch: Batch): Promise<readonly Parsed<T>[] | string> {
    const thread = await this.#acquire();
    try {
      const answers = await thread.parse(batch);
      this.#release(thread);
      return parsed<T>(answers);
    } catch (error) {
      this.#replace(thread);
      if (this.#isClosed) throw closed();
      return messageOf(error);
    }
  }

  #acquire(): Promise<ParserThread> {
    if (this.#isClosed) return Promise.reject(closed());
    const [idle] = this.#idle;
    if (idle !== undefined) {
      const [thread, timer] = idle;
      clearTimeout(timer);
      this.#idle.delete(thread);
      return Promise.resolve(thread);
    }
    if (this.#threads.size < this.#settings.size) return Promise.resolve(this.#start());
    if (this.#waiting.length >= maximumWaiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #start(): ParserThread {
    const thread = new ParserThread(this.#settings);
    this.#threads.add(thread);
    return thread;
  }

  #release(thread: ParserThread): void {
    if (this.#isClosed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next.resolve(thread);
      return;
    }
    const timer = setTimeout(() => this.#retire(thread), this.#settings.idleMilliseconds);
    timer.unref();
    this.#idle.set(thread, timer);
  }

  #retire(thread: ParserThread): void {
    this.#idle.delete(thread);
    this.#threads.delete(thread);
    void thread.end();
  }

  /** A failed thread has ended; a batch that waits gets a new one. */
  #replace(thread: ParserThread): void {
    this.#threads.delete(thread);
    if (!this.#isClosed) this.#waiting.shift()?.resolve(this.#start());
  }
}

function sizeOf({ files }: Batch): number {
  return files.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** The answers of a batch are of its kind. */
function parsed<T extends BatchAnswer[number]>(answers: BatchAnswer): readonly Parsed<T>[] {
  return answers.map((file) => ({ kind: 'Parsed', file: file as T }));
}

function closed(): AdapterError {
  return new AdapterError({ code: 'Closed', message: 'the parser was closed', retryable: true });
}

function busy(): AdapterError {
  const message = `${maximumWaiting} batches of files wait to be parsed`;
  return new AdapterError({ code: 'Busy', message, retryable: true });
}
