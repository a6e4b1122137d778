import type { DecideInput, Decision } from '#decision';
import type { PassSeriesPort } from './pass-series.port.ts';

/** Keeps what was recorded. */
export class FakePassSeries implements PassSeriesPort {
  readonly records: { readonly input: DecideInput; readonly decision: Decision }[] = [];

  record(input: DecideInput, decision: Decision): void {
    this.records.push({ input, decision });
  }
}
