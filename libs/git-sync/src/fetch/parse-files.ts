import type { ClockPort } from '#reconciliation';
import type { Parsed } from '../ports/policy-parser.port.ts';

/** Some tens of milliseconds of parsing: long enough to be worth a message, short enough to be taken in at once. */
export const batchFiles = 64;
export const batchBytes = 256 * 1024;

/** Ten thousand policies take seconds. A commit that takes longer was made to, and must not keep a source for ever. */
export const parsingMilliseconds = 300_000;

/** What files are parsed with. */
export interface FileParsing<S, T> {
  /** Parses a batch, one answer per file. */
  readonly parse: (batch: readonly S[]) => Promise<readonly Parsed<T>[]>;
  /** Batches under way at once. */
  readonly batchesAtOnce: number;
  readonly clock: Pick<ClockPort, 'monotonicMilliseconds'>;
  /** Called with each file that was parsed. */
  readonly onParsed: (file: T, source: S) => void;
}

/** A file that could not be parsed; `reason` ends a sentence. */
export interface FailedFile<S> {
  readonly source: S;
  readonly reason: string;
}

/**
 * Parses files in batches, several at once. Those that could not be parsed are the result, and `onParsed` does not hear of
 * them, so that a machine that was short of memory for a moment does not reject a good file for good.
 *
 * @throws what the parser throws.
 */
export async function parseFiles<S extends { readonly bytes: Uint8Array }, T>(
  sources: readonly S[],
  { parse, batchesAtOnce, clock, onParsed }: FileParsing<S, T>,
): Promise<readonly FailedFile<S>[]> {
  const batches = batchesOf(sources)[Symbol.iterator]();
  const failed: FailedFile<S>[] = [];
  const end = clock.monotonicMilliseconds() + parsingMilliseconds;
  const parseNext = async (): Promise<void> => {
    for (const batch of batches) {
      const answers = clock.monotonicMilliseconds() < end ? await parse(batch) : batch.map(() => tooLate);
      for (const [index, source] of batch.entries()) {
        const answer = answers[index] ?? unanswered;
        if (answer.kind === 'Parsed') onParsed(answer.file, source);
        else failed.push({ source, reason: answer.reason });
      }
    }
  };
  // They share one iterator: each takes the next batch as soon as its last one is done.
  await Promise.all(Array.from({ length: Math.max(1, batchesAtOnce) }, parseNext));
  return failed;
}

const unanswered: Parsed<never> = { kind: 'Failed', reason: 'the parser gave no answer' };

const tooLate: Parsed<never> = {
  kind: 'Failed',
  reason: `the files of the commit took more than ${parsingMilliseconds / 1000} s`,
};

/** A file larger than a batch is one by itself. */
function* batchesOf<S extends { readonly bytes: Uint8Array }>(
  sources: readonly S[],
): Generator<readonly S[], void> {
  let batch: S[] = [];
  let bytes = 0;
  for (const source of sources) {
    if (batch.length >= batchFiles || (batch.length > 0 && bytes + source.bytes.length > batchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(source);
    bytes += source.bytes.length;
  }
  if (batch.length > 0) yield batch;
}
