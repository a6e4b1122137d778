import type { Configuration } from '#configuration';
import { type ReconcileOptions, type ReconcilePorts, Reconciler } from '#reconciliation';

/** Share of a pass that its metrics may take: the rest is for deciding, recording and writing. */
const metricsShare = 0.6;

/** The reconciler of a configuration. */
export function createReconciler(
  configuration: Pick<Configuration, 'cluster' | 'namespaces' | 'mode' | 'reconcile' | 'settings'>,
  ports: ReconcilePorts,
): Reconciler {
  return new Reconciler({ ports, options: optionsOf(configuration) });
}

function optionsOf({
  cluster,
  namespaces,
  mode,
  reconcile,
  settings,
}: Pick<Configuration, 'cluster' | 'namespaces' | 'mode' | 'reconcile' | 'settings'>): ReconcileOptions {
  const passTimeoutMilliseconds = reconcile.passTimeoutSeconds * 1_000;
  return {
    mode,
    settings,
    namespaces,
    concurrency: reconcile.concurrency,
    passTimeoutMilliseconds,
    metricsTimeoutMilliseconds: passTimeoutMilliseconds * metricsShare,
    jitterPercent: reconcile.jitterPercent,
    seed: cluster.name,
  };
}
