import { Counter, type Registry } from 'prom-client';
import type { ReloadResult } from '../reload/configuration-reload.ts';

/** Registers what became of changes of the configuration. */
export function registerReloadMetrics(
  registry: Registry,
  counts: () => ReadonlyMap<ReloadResult, number>,
): void {
  new Counter({
    name: 'plimsoll_configuration_reloads_total',
    help: 'Changes of the configuration that were seen, by what became of them.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [result, count] of counts()) this.inc({ result }, count);
    },
  });
}
