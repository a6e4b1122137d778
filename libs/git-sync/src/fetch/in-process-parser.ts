import { sliceMilliseconds } from '#kernel';
import { type PolicyFileSource, readPolicyFile } from '#policy';
import type { ClockPort } from '#reconciliation';
import { type OverlayContent, type OverlayFile, parseOverlayFile } from '#repository';
import type { Parsed, ParsedFile, PolicyParserPort } from '../ports/policy-parser.port.ts';

/** Parses where it is called, and lets the loop serve others between two files whenever a slice is used up. */
export class InProcessParser implements PolicyParserPort {
  readonly batchesAtOnce = 1;
  readonly #clock: Pick<ClockPort, 'monotonicMilliseconds' | 'nextTurn'>;
  #sliceStart: number;

  constructor(clock: Pick<ClockPort, 'monotonicMilliseconds' | 'nextTurn'>) {
    this.#clock = clock;
    this.#sliceStart = clock.monotonicMilliseconds();
  }

  parse(batch: readonly PolicyFileSource[]): Promise<readonly ParsedFile[]> {
    return this.#parseEach(batch, readPolicyFile);
  }

  parseOverlays(batch: readonly OverlayFile[]): Promise<readonly Parsed<OverlayContent>[]> {
    return this.#parseEach(batch, parseOverlayFile);
  }

  async #parseEach<S, T>(batch: readonly S[], parse: (source: S) => T): Promise<readonly Parsed<T>[]> {
    const parsed: Parsed<T>[] = [];
    for (const source of batch) {
      await this.#endSlice();
      parsed.push({ kind: 'Parsed', file: parse(source) });
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
