import { Worker } from 'node:worker_threads';
import { AdapterError, type JsonObject } from '#kernel';
import type { LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { requireRole } from '../admin/access/require-role.ts';
import { recordAccepted } from '../admin/actions/record-accepted.ts';
import { ownerOf, type Principal } from '../auth/callers/principal.ts';
import type { ExportAnswer, ExportRequest } from './export-lines.ts';
import { recordedFilter } from './recorded-filter.ts';

export interface LedgerExportsOptions {
  /** With its password. */
  readonly databaseUrl: () => Promise<string>;
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly clock: Pick<ClockPort, 'now'>;
}

/** Exports under way at a time, of all callers: each is a thread and a connection. */
const maximumExports = 2;

/** Exports of the ledger to callers of the API: recorded, and made by threads of their own. */
export class LedgerExports {
  readonly #options: LedgerExportsOptions;
  /** Whose exports are under way: no one keeps both places. */
  readonly #running = new Set<string>();

  constructor(options: LedgerExportsOptions) {
    this.#options = options;
  }

  /**
   * Records who exports what, and begins. The text comes as fast as it is taken. An export proves that it leaves nothing out
   * with the names of what stands beside it, so only who may view all namespaces may have one.
   *
   * @param requireAllowed is called before each portion; what it throws ends the export.
   * @returns null where too many exports are under way, or one of the caller's
   * @throws QueryError `Forbidden`
   * @throws AdapterError where it cannot be recorded or read
   */
  async begin(
    caller: Principal,
    request: ExportRequest,
    requireAllowed: () => Promise<void>,
  ): Promise<AsyncGenerator<string, undefined> | null> {
    requireRole(caller, 'viewer', null);
    const owner = ownerOf(caller);
    if (this.#running.size >= maximumExports || this.#running.has(owner)) return null;
    this.#running.add(owner);
    try {
      await this.#record(caller.name, request);
      const thread = await ExportThread.start({ ...request, url: await this.#options.databaseUrl() });
      const lines = this.#linesOf(thread, owner, requireAllowed);
      // Into the generator: one that is ended before it has begun runs none of its ending.
      await lines.next();
      return lines;
    } catch (error) {
      this.#running.delete(owner);
      throw error;
    }
  }

  async *#linesOf(
    thread: ExportThread,
    owner: string,
    requireAllowed: () => Promise<void>,
  ): AsyncGenerator<string, undefined> {
    try {
      yield '';
      for (let text = await thread.next(); text !== null; text = await thread.next()) {
        await requireAllowed();
        yield text;
      }
      return undefined;
    } finally {
      this.#running.delete(owner);
      await thread.stop();
    }
  }

  async #record(actor: string, { filter, after }: ExportRequest): Promise<void> {
    const { writer, clock } = this.#options;
    const given: JsonObject = {
      ...recordedFilter(filter),
      after: after === null ? null : `${after.stream}#${after.seq}`,
    };
    await recordAccepted(
      { writer, clock },
      { actor, action: 'ExportLedger', reason: null, arguments: given },
    );
  }
}

type Waiting = (answer: ExportAnswer) => void;

/** A thread that is asked for one portion at a time. */
class ExportThread {
  readonly #worker: Worker;
  #waiting: Waiting | null = null;
  /** What came before it was asked for: the end of the thread. */
  #last: ExportAnswer | null = null;

  private constructor(request: ExportRequest & { readonly url: string }) {
    const isSource = import.meta.url.endsWith('.ts');
    const file = isSource ? './export-worker.ts' : './export-worker.js';
    this.#worker = new Worker(new URL(file, import.meta.url), {
      workerData: request,
      ...(isSource ? { execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'] } : {}),
    });
    this.#worker.on('message', (answer: ExportAnswer) => this.#take(answer));
    this.#worker.on('error', () => this.#take(died));
    this.#worker.on('exit', () => this.#take(died));
  }

  static async start(request: ExportRequest & { readonly url: string }): Promise<ExportThread> {
    const thread = new ExportThread(request);
    refuseFailure(await thread.#answer());
    return thread;
  }

  /** `null`: there is no more. */
  async next(): Promise<string | null> {
    const answered = this.#answer();
    this.#worker.postMessage('next');
    const answer = refuseFailure(await answered);
    return answer.kind === 'Lines' ? answer.text : null;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #answer(): Promise<ExportAnswer> {
    if (this.#last !== null) return Promise.resolve(this.#last);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #take(answer: ExportAnswer): void {
    if (answer.kind === 'End' || answer.kind === 'Failed') this.#last ??= answer;
    this.#waiting?.(answer);
    this.#waiting = null;
  }
}

const died: ExportAnswer = {
  kind: 'Failed',
  code: 'ExportFailed',
  message: 'the thread of the export ended',
};

function refuseFailure(answer: ExportAnswer): ExportAnswer {
  if (answer.kind !== 'Failed') return answer;
  throw new AdapterError({ code: answer.code, message: answer.message, retryable: true });
}
