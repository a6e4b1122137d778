import type { Logger } from 'pino';
import type { Span, SpanAttributes, TracesPort } from '#reconciliation';

/** As many lines per second as a log takes without being the load itself; 10,000 policies make some 700 passes. */
const maximumLinesPerSecond = 100;

/** What a line says of a pass or a sync: attributes are never secrets, nor texts that a stranger wrote. */
interface Measured {
  readonly attributes: Record<string, string | number | boolean>;
  /** Milliseconds by the name of the step. */
  readonly steps: Record<string, number>;
}

/** A `debug` line per pass and per sync, with what each of their steps took; nothing is measured on other levels. */
export class LoggedTraces implements TracesPort {
  readonly #traces: TracesPort;
  readonly #logger: Logger;
  readonly #elapsed: () => number;
  #second = Number.NaN;
  #lines = 0;

  /** @param elapsed - monotonic milliseconds */
  constructor(traces: TracesPort, logger: Logger, elapsed: () => number = () => performance.now()) {
    this.#traces = traces;
    this.#logger = logger;
    this.#elapsed = elapsed;
  }

  readonly trace: TracesPort['trace'] = (name, attributes, work) => {
    if (!this.#logger.isLevelEnabled('debug')) return this.#traces.trace(name, attributes, work);
    return this.#traces.trace(name, attributes, async (span) => {
      const start = this.#elapsed();
      const measured: Measured = { attributes: { ...attributes }, steps: {} };
      try {
        return await work(this.#measuring(span, measured));
      } finally {
        this.#write(name, {
          ...measured.attributes,
          milliseconds: this.#since(start),
          steps: measured.steps,
        });
      }
    });
  };

  #measuring(span: Span, { attributes, steps }: Measured): Span {
    const note = (name: string, start: number): void => {
      steps[name] = Math.round(((steps[name] ?? 0) + this.#since(start)) * 10) / 10;
    };
    return {
      setAttributes: (more: SpanAttributes) => {
        Object.assign(attributes, more);
        span.setAttributes(more);
      },
      step: async (name, work) => {
        const start = this.#elapsed();
        try {
          return await span.step(name, work);
        } finally {
          note(name, start);
        }
      },
      compute: (name, work) => {
        const start = this.#elapsed();
        try {
          return span.compute(name, work);
        } finally {
          note(name, start);
        }
      },
    };
  }

  #since(start: number): number {
    return Math.round((this.#elapsed() - start) * 10) / 10;
  }

  #write(name: string, fields: Readonly<Record<string, unknown>>): void {
    const second = Math.floor(this.#elapsed() / 1_000);
    if (second !== this.#second) {
      this.#leaveOut();
      this.#second = second;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines <= maximumLinesPerSecond) this.#logger.debug(fields, name);
  }

  #leaveOut(): void {
    const leftOut = this.#lines - maximumLinesPerSecond;
    if (leftOut > 0) this.#logger.debug({ leftOut }, 'more passes and syncs than lines in a second');
  }
}
