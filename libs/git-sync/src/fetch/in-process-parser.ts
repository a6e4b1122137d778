import { type PolicyFileSource, readPolicyFile } from '#policy';
import type { ClockPort } from '#reconciliation';
import type { ParsedFile, PolicyParserPort } from '../ports/policy-parser.port.ts';
import { sliceMilliseconds } from '../run-in-time-slices.ts';

/** Parses where it is called, and lets the loop serve others between two files whenever a slice is used up. */
export class InProcessParser implements PolicyParserPort {
  readonly batchesAtOnce = 1;
  readonly #clock: Pick<ClockPort, 'monotonicMilliseconds' | 'nextTurn'>;
  #sliceStart: number;

  constructor(clock: Pick<ClockPort, 'monotonicMilliseconds' | 'nextTurn'>) {
    this.#clock = clock;
    this.#sliceStart = clock.monotonicMilliseconds();
  }

  async parse(batch: readonly PolicyFileSource[]): Promise<readonly ParsedFile[]> {
    const parsed: ParsedFile[] = [];
    for (const source of batch) {
      await this.#endSlice();
      parsed.push({ kind: 'Parsed', file: readPolicyFile(source) });
    }
    return parsed;
  }

  /** A slice goes on from batch to batch. */
  async #endSlice(): Promise<void> {
    if (this.#clock.monotonicMilliseconds() - this.#sliceStart < sliceMilliseconds) return;
    await this.#clock.nextTurn();
    this.#sliceStart = this.#clock.monotonicMilliseconds();
  }
}
