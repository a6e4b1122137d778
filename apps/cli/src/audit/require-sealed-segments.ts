import { type ExportedLine, parseExportedSegment } from '#ledger';
import { UnusableError } from '../unusable-error.ts';
import type { readSealed } from './verify-checkpoint.ts';

/**
 * Passes the lines of an export on. Retention deletes only what the last checkpoint covers, which while an export is made, or
 * goes on, may be a later one than its own: an honest export would be found to be broken.
 *
 * @throws UnusableError for a line of deleted entries that the export's checkpoint does not cover
 */
export async function* requireSealedSegments(
  lines: AsyncIterable<readonly ExportedLine[]>,
  sealed: ReturnType<typeof readSealed>,
): AsyncGenerator<readonly ExportedLine[]> {
  const seals = new Seals(sealed);
  try {
    for await (const portion of lines) {
      for (const { stream, seq, line } of portion) {
        if (!line.startsWith('{"expired":') || parseExportedSegment(line) === null) continue;
        if (seq >= (await seals.of(stream))) {
          throw new UnusableError(
            `retention has deleted entries of ${stream} up to number ${seq} since the export was begun, which its checkpoint does not cover; export again, into another folder`,
          );
        }
      }
      yield portion;
    }
  } finally {
    await sealed.return();
  }
}

/** The numbers that a checkpoint covers, read in the order of the streams' names. */
class Seals {
  readonly #sealed: ReturnType<typeof readSealed>;
  #ahead: { readonly name: Buffer; readonly seq: bigint } | null = null;

  constructor(sealed: ReturnType<typeof readSealed>) {
    this.#sealed = sealed;
  }

  /** 0: none of the stream. */
  async of(stream: string): Promise<bigint> {
    const name = Buffer.from(stream);
    while (this.#ahead === null || Buffer.compare(this.#ahead.name, name) < 0) {
      const { value } = await this.#sealed.next();
      if (value === undefined || 'code' in value) return 0n;
      this.#ahead = { name: Buffer.from(value.head.stream), seq: value.head.seq };
    }
    return this.#ahead.name.equals(name) ? this.#ahead.seq : 0n;
  }
}
