import type { ExportFilter } from '#ledger/verification';
import { detailOf } from '../../api/problem.ts';
import { noteSessionEnd } from '../../api/session.ts';
import type { ShownRequest } from '../../components/frames/shown-query.ts';
import type { LedgerCounts } from './ledger-fault.ts';
import type { FromWorker, ToWorker } from './ledger-worker.ts';

/** What a verification came to; Refused: it could not be made. */
export type LedgerOutcome =
  Exclude<FromWorker, { readonly kind: 'Taken' }> | { readonly kind: 'Refused'; readonly message: string };

/** What is verified, and by what. */
export interface LedgerQuestion {
  /** RFC 3339: entries before it are verified without their contents; null: all have theirs. */
  readonly contentsFrom: string | null;
  /** The public key, as PEM or base64; null: none is known. */
  readonly key: string | null;
}

/** What the controller is asked for: the whole ledger, its contents from a time on. */
export function exportRequestOf(contentsFrom: string | null): ExportRequest {
  const filter = { from: contentsFrom, until: null, namespaces: null, policies: null, kinds: null };
  return { path: '/api/v1/ledger/exports', body: { filter, after: null } };
}

interface ExportRequest extends ShownRequest {
  readonly body: { readonly filter: ExportFilter; readonly after: null };
}

/**
 * Has the controller send its ledger and verifies it in a worker, as it comes. Once the signal is aborted, it ends with an
 * `AbortError`.
 */
export async function verifyLedger(
  { contentsFrom, key }: LedgerQuestion,
  signal: AbortSignal,
  onProgress: (counts: LedgerCounts) => void,
): Promise<LedgerOutcome> {
  const { path, body } = exportRequestOf(contentsFrom);
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  if (answer.status === 401) noteSessionEnd();
  if (!answer.ok || answer.body === null) return { kind: 'Refused', message: await detailOf(answer) };
  const worker = new Verifier(body.filter, key);
  const reader = answer.body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      signal.throwIfAborted();
      const said = await worker.ask(done ? { kind: 'End' } : { kind: 'Bytes', bytes: value });
      signal.throwIfAborted();
      if (said.kind !== 'Taken') return said;
      onProgress(said.counts);
    }
  } finally {
    worker.end();
    await reader.cancel().catch(() => undefined);
  }
}

/** One question at a time, so that no more of the answer is read than is verified. */
class Verifier {
  readonly #worker = new Worker(new URL('./ledger-worker.ts', import.meta.url), { type: 'module' });

  constructor(filter: ExportFilter, key: string | null) {
    this.#send({ kind: 'Start', filter, key });
  }

  ask(message: ToWorker): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => resolve(data);
      this.#worker.onerror = ({ message: text }) => reject(new Error(text));
      this.#send(message);
    });
  }

  end(): void {
    this.#worker.terminate();
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message, message.kind === 'Bytes' ? [message.bytes.buffer] : []);
  }
}
