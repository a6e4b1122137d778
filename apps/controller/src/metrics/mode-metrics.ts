import { Gauge, type Registry } from 'prom-client';
import type { ActivePoliciesPort, ClockPort, ControllerMode, StandingInterventions } from '#reconciliation';
import type { ModeInForce } from '../configuration/mode-in-force.ts';

/** By what it is told whether anything is written. */
export interface ModeSources {
  readonly controller: Pick<ModeInForce, 'mode'>;
  readonly sync: { readonly activePolicies: ActivePoliciesPort };
  readonly interventions: Pick<StandingInterventions, 'actingOn' | 'list'>;
  readonly clock: Pick<ClockPort, 'now'>;
}

const modes: readonly ControllerMode[] = ['Act', 'Observe'];

/** Registers whether what is decided is carried out. */
export function registerModeMetrics(registry: Registry, sources: ModeSources): void {
  new Gauge({
    name: 'plimsoll_mode',
    help: '1 for the mode of the configuration: Observe writes nothing to the cluster.',
    labelNames: ['mode'],
    registers: [registry],
    collect() {
      for (const mode of modes) this.set({ mode }, sources.controller.mode === mode ? 1 : 0);
    },
  });
  new Gauge({
    name: 'plimsoll_dry_run_policies',
    help: 'Policies in force that are decided, and of which nothing is written.',
    registers: [registry],
    collect() {
      this.set(countDryRuns(sources));
    },
  });
}

/** Of documents and of operators. */
function countDryRuns({ sync, interventions, clock }: ModeSources): number {
  const now = clock.now();
  const isOperated = interventions.list().some(({ intervention }) => intervention.kind === 'DryRun');
  return sync.activePolicies
    .listActivePolicies()
    .filter(
      (active) =>
        active.policy.dryRun ||
        (isOperated && interventions.actingOn(active, now).some(({ kind }) => kind === 'DryRun')),
    ).length;
}
