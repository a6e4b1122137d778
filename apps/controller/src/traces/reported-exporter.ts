import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { FieldLogger } from '../logging/field-logger.ts';
import { OutageLog } from '../logging/outage-log.ts';

type Exporter = Pick<OTLPTraceExporter, 'export' | 'forceFlush' | 'shutdown'>;

/** An exporter that says once that the collector takes nothing, and once that it does again. */
export class ReportedExporter implements Exporter {
  readonly #exporter: Exporter;
  readonly #outages: OutageLog;

  constructor(exporter: Exporter, logger: FieldLogger) {
    this.#exporter = exporter;
    this.#outages = new OutageLog(logger, {
      fails: 'the collector takes no traces; they are dropped',
      works: 'the collector takes traces again',
    });
  }

  readonly export: Exporter['export'] = (spans, callback) => {
    this.#exporter.export(spans, (result) => {
      if (result.error === undefined) this.#outages.noteSuccess();
      else this.#outages.noteFailure(result.error);
      callback(result);
    });
  };

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
