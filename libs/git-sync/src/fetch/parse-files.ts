import { type PolicyFile, type PolicyFileSource, unparsedPolicyFile } from '#policy';
import type { ClockPort } from '#reconciliation';
import type { ParsedFile, PolicyParserPort } from '../ports/policy-parser.port.ts';

/** Some tens of milliseconds of parsing: long enough to be worth a message, short enough to be taken in at once. */
export const batchFiles = 64;
export const batchBytes = 256 * 1024;

/** Ten thousand policies take seconds. A commit that takes longer was made to, and must not keep a source for ever. */
export const parsingMilliseconds = 300_000;

/** What files are parsed with. */
export interface FileParsing {
  readonly parser: PolicyParserPort;
  readonly clock: Pick<ClockPort, 'monotonicMilliseconds'>;
  /** Told of each file that was parsed. */
  readonly onParsed: (file: PolicyFile) => void;
}

/**
 * Parses files in batches, several at once. Those that could not be parsed are the result, each as a file that cannot be
 * read: they are not told to `onParsed`, so that a machine that was short of memory for a moment does not reject a good
 * file for good. Throws what the parser throws.
 */
export async function parseFiles(
  sources: readonly PolicyFileSource[],
  { parser, clock, onParsed }: FileParsing,
): Promise<readonly PolicyFile[]> {
  const batches = batchesOf(sources)[Symbol.iterator]();
  const failed: PolicyFile[] = [];
  const end = clock.monotonicMilliseconds() + parsingMilliseconds;
  const parseNext = async (): Promise<void> => {
    for (const batch of batches) {
      const answers = clock.monotonicMilliseconds() < end ? await parser.parse(batch) : batch.map(tooLate);
      for (const [index, source] of batch.entries()) {
        const answer = answers[index] ?? unanswered;
        if (answer.kind === 'Parsed') onParsed(answer.file);
        else failed.push(unparsedPolicyFile(source, answer.reason));
      }
    }
  };
  // They share one iterator: each takes the next batch as soon as its last one is done.
  await Promise.all(Array.from({ length: Math.max(1, parser.batchesAtOnce) }, parseNext));
  return failed;
}

const unanswered: ParsedFile = { kind: 'Failed', reason: 'the parser gave no answer' };

function tooLate(): ParsedFile {
  return {
    kind: 'Failed',
    reason: `the files of the commit took more than ${parsingMilliseconds / 1000} s`,
  };
}

/** A file larger than a batch is one by itself. */
function* batchesOf(sources: readonly PolicyFileSource[]): Generator<readonly PolicyFileSource[], void> {
  let batch: PolicyFileSource[] = [];
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
