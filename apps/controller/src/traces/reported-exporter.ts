import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { messageOf } from '#kernel';

type Exporter = Pick<OTLPTraceExporter, 'export' | 'forceFlush' | 'shutdown'>;

/** The part of the logger that is used. */
export interface ReportedExporterLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** An exporter that says once that the collector takes nothing, and once that it does again. */
export class ReportedExporter implements Exporter {
  readonly #exporter: Exporter;
  readonly #logger: ReportedExporterLog;
  #isFailing = false;

  constructor(exporter: Exporter, logger: ReportedExporterLog) {
    this.#exporter = exporter;
    this.#logger = logger;
  }

  readonly export: Exporter['export'] = (spans, callback) => {
    this.#exporter.export(spans, (result) => {
      const isFailing = result.error !== undefined;
      if (isFailing && !this.#isFailing) {
        this.#logger.warn(
          { reason: messageOf(result.error) },
          'the collector takes no traces; they are dropped',
        );
      }
      if (!isFailing && this.#isFailing) this.#logger.info({}, 'the collector takes traces again');
      this.#isFailing = isFailing;
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
