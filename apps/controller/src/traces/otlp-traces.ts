import { ROOT_CONTEXT, type Span as OtlpSpan, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Configuration } from '#configuration';
import { readTextFile } from '#files';
import { AdapterError } from '#kernel';
import type { Span, TracesPort } from '#reconciliation';
import type { FieldLogger } from '../logging/field-logger.ts';
import { ReportedExporter } from './reported-exporter.ts';

/** Where traces are sent, and from which cluster. */
export interface OtlpTracesOptions {
  readonly traces: Configuration['traces'] & { readonly url: string };
  readonly cluster: string;
  readonly logger: FieldLogger;
}

/** Spans that wait for the collector; beyond it the newest are dropped: a span takes about a kilobyte. */
const maximumQueue = 2_048;
const batchSpans = 512;
const exportTimeoutMilliseconds = 3_000;
/** What is left at the end is sent within this time, or not at all. */
const endMilliseconds = 1_500;

/** Sends traces to a collector as OTLP over HTTP. What goes wrong with it is logged and disturbs nothing. */
export class OtlpTraces implements TracesPort {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;

  constructor({ traces, cluster, logger }: OtlpTracesOptions) {
    const { url, headersFile, samplePercent } = traces;
    const exporter = new OTLPTraceExporter({
      url,
      timeoutMillis: exportTimeoutMilliseconds,
      concurrencyLimit: 1,
      ...(headersFile === undefined ? {} : { headers: () => loadHeaders(headersFile) }),
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'plimsoll', 'k8s.cluster.name': cluster }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplePercent / 100) }),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: new ReportedExporter(exporter, logger),
          maxQueueSize: maximumQueue,
          maxExportBatchSize: batchSpans,
          exportTimeoutMillis: exportTimeoutMilliseconds,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer('plimsoll');
  }

  readonly trace: TracesPort['trace'] = (name, attributes, work) =>
    ended(this.#tracer.startSpan(name, { root: true, attributes }, ROOT_CONTEXT), (span) =>
      work(this.#spanOf(span)),
    );

  /** Sends what waits, as far as the collector takes it in time. */
  async close(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), endMilliseconds);
    await Promise.race([this.#provider.shutdown().catch(() => undefined), late]);
    clearTimeout(timer);
  }

  #spanOf(parent: OtlpSpan): Span {
    const context = trace.setSpan(ROOT_CONTEXT, parent);
    const begin = (name: string): OtlpSpan => this.#tracer.startSpan(name, {}, context);
    return {
      setAttributes: (attributes) => void parent.setAttributes(attributes),
      step: (name, work) => ended(begin(name), work),
      compute: (name, work) => {
        const span = begin(name);
        try {
          return work();
        } finally {
          span.end();
        }
      },
    };
  }
}

async function ended<T>(span: OtlpSpan, work: (span: OtlpSpan) => Promise<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    // The code alone: a message may quote what a stranger wrote.
    const code = error instanceof AdapterError ? error.code : 'Error';
    span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    throw error;
  } finally {
    span.end();
  }
}

/** One header per line; read for each batch, so that a rotation needs no restart. Without it the collector refuses. */
async function loadHeaders(file: string): Promise<Record<string, string>> {
  const text = await readTextFile(file).catch(() => '');
  const headers = text.split('\n').flatMap((line): readonly (readonly [string, string])[] => {
    const [, name, value] = /^([\w-]+):(.+)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.trim()]];
  });
  return Object.fromEntries(headers);
}
