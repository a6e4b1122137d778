import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import { type TracesPort, untraced } from '#reconciliation';
import { LoggedTraces } from './logged-traces.ts';
import type { OtlpTraces } from './otlp-traces.ts';

/**
 * Traces that are sent once they are open, where the configuration names a collector. The library is loaded only then: it
 * takes memory and time.
 */
export class DeferredTraces implements TracesPort {
  readonly #configuration: Pick<Configuration, 'traces' | 'cluster'>;
  readonly #logger: Logger;
  readonly #logged: LoggedTraces;
  #traces: OtlpTraces | undefined;

  constructor(configuration: Pick<Configuration, 'traces' | 'cluster'>, logger: Logger) {
    this.#configuration = configuration;
    this.#logger = logger;
    const sent: TracesPort = {
      trace: (name, attributes, work) => (this.#traces ?? untraced).trace(name, attributes, work),
    };
    this.#logged = new LoggedTraces(sent, logger);
  }

  readonly trace: TracesPort['trace'] = (name, attributes, work) =>
    this.#logged.trace(name, attributes, work);

  async open(): Promise<void> {
    const { traces, cluster } = this.#configuration;
    const { url } = traces;
    if (url === undefined) return;
    const { OtlpTraces } = await import('./otlp-traces.ts');
    this.#traces = new OtlpTraces({
      traces: { ...traces, url },
      cluster: cluster.name,
      logger: this.#logger,
    });
  }

  async close(): Promise<void> {
    await this.#traces?.close();
    this.#traces = undefined;
  }
}
