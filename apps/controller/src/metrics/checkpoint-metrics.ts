import { Counter, Gauge, type Registry } from 'prom-client';
import type { SinkState } from '../checkpoints/checkpoint-publisher.ts';

/** Registers how the sinks of checkpoints stand. */
export function registerCheckpointMetrics(registry: Registry, sinks: () => readonly SinkState[]): void {
  new Gauge({
    name: 'plimsoll_checkpoint_sink_waiting',
    help: 'Checkpoints that wait for a sink.',
    labelNames: ['sink'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { sink, waiting } of sinks()) this.set({ sink }, waiting);
    },
  });
  new Counter({
    name: 'plimsoll_checkpoint_sink_dropped_total',
    help: 'Checkpoints that a sink never got, because too many waited for it.',
    labelNames: ['sink'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { sink, dropped } of sinks()) this.inc({ sink }, dropped);
    },
  });
}
