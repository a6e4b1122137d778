import { type ExportFilter, parsePublicKey } from '#ledger/verification';
import {
  type LedgerCounts,
  type LedgerFault,
  LedgerFaultFound,
  type VerifiedCheckpoint,
} from './ledger-fault.ts';
import { LedgerVerification } from './ledger-verification.ts';

/** What the page says to the worker: a start, then the answer as it comes, then its end. */
export type ToWorker =
  | { readonly kind: 'Start'; readonly filter: ExportFilter; readonly key: string | null }
  | { readonly kind: 'Bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'End' };

/** What the worker answers: once per message but the start. */
export type FromWorker =
  | { readonly kind: 'Taken'; readonly counts: LedgerCounts }
  | { readonly kind: 'Broken'; readonly counts: LedgerCounts; readonly fault: LedgerFault }
  | {
      readonly kind: 'Sound';
      readonly counts: LedgerCounts;
      readonly checkpoint: VerifiedCheckpoint | null;
    };

let verification: LedgerVerification | undefined;
const decoder = new TextDecoder();
let rest = '';

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'Start') {
    verification = new LedgerVerification(data.filter, data.key === null ? null : parsePublicKey(data.key));
    return;
  }
  if (verification !== undefined) postMessage(answerOf(verification, data));
});

function answerOf(
  run: LedgerVerification,
  message: Exclude<ToWorker, { readonly kind: 'Start' }>,
): FromWorker {
  try {
    if (message.kind === 'End') {
      const checkpoint = run.finish();
      return { kind: 'Sound', counts: run.counts, checkpoint };
    }
    const lines = (rest + decoder.decode(message.bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) run.take(line);
    return { kind: 'Taken', counts: run.counts };
  } catch (error) {
    if (error instanceof LedgerFaultFound) return { kind: 'Broken', counts: run.counts, fault: error.fault };
    throw error;
  }
}
