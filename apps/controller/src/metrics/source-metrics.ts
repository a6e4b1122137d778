import { Counter, Gauge, type Registry } from 'prom-client';
import type { SourceView } from '../git-sync/source-operations.ts';
import type { RefusalCount } from '../webhooks/refusal-log.ts';

/** What is read when Prometheus asks. */
export interface SourceReadings {
  readonly sources: () => readonly SourceView[];
  readonly syncFailures: () => ReadonlyMap<string, number>;
  readonly webhookRefusals: () => readonly RefusalCount[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface SourceGauge {
  readonly name: string;
  readonly help: string;
  /** Undefined: no sample, since nothing is known yet. */
  readonly read: (source: SourceView) => number | undefined;
}

/** Registers what is known of the sources of policies and of their webhooks. */
export function registerSourceMetrics(registry: Registry, readings: SourceReadings): void {
  const { sources, syncFailures, webhookRefusals, now } = readings;
  for (const { name, help, read } of sourceGauges(now)) {
    new Gauge({
      name,
      help,
      labelNames: ['source'],
      registers: [registry],
      collect() {
        this.reset();
        for (const source of sources()) {
          const value = read(source);
          if (value !== undefined) this.set({ source: source.name }, value);
        }
      },
    });
  }
  new Counter({
    name: 'plimsoll_source_sync_failures_total',
    help: 'Looks at the source that failed.',
    labelNames: ['source'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name } of sources()) this.inc({ source: name }, syncFailures().get(name) ?? 0);
    },
  });
  new Counter({
    name: 'plimsoll_webhook_refusals_total',
    help: 'Deliveries that were refused, by the reason that the log has; source "": the path names no source with a webhook.',
    labelNames: ['source', 'reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { source, reason, count } of webhookRefusals())
        this.inc({ source: source ?? '', reason }, count);
    },
  });
}

function sourceGauges(now: () => number): readonly SourceGauge[] {
  return [
    {
      name: 'plimsoll_source_sync_timestamp_seconds',
      help: 'When the source was looked at last, whatever it came to, since 1970.',
      read: ({ lastSync }) => (lastSync === null ? undefined : Date.parse(lastSync.time) / 1_000),
    },
    {
      name: 'plimsoll_source_sync_age_seconds',
      help: 'How long ago the source was looked at last, whatever it came to.',
      read: ({ lastSync }) =>
        lastSync === null ? undefined : Math.max(0, now() - Date.parse(lastSync.time)) / 1_000,
    },
    {
      name: 'plimsoll_source_stale_seconds',
      help: 'For how long every look at the source has failed; 0: the last one worked.',
      read: ({ staleSince }) =>
        staleSince === null ? 0 : Math.max(0, now() - Date.parse(staleSince)) / 1_000,
    },
    {
      name: 'plimsoll_source_holds',
      help: 'What of the source awaits an approval, or until it is resumed.',
      read: ({ holds }) => holds.filter(({ isRejected }) => !isRejected).length,
    },
    {
      name: 'plimsoll_source_errors',
      help: 'Errors of the commit that was looked at last (at most 10 where there are several replicas): what they concern is not in force.',
      read: ({ lastSync }) =>
        lastSync?.outcome.diagnostics.filter(({ severity }) => severity === 'error').length,
    },
  ];
}
