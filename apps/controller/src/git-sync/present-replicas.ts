import { namespacedName } from '#kernel';
import type { EffectivePolicy } from '#policy';
import { scaleTargetOf } from '#reconciliation';
import type { Cluster } from '../cluster/open-cluster.ts';

/** Scales are read side by side, and the API server is not asked for all at once. */
const concurrentReads = 16;

/** A sync does not wait longer for a cluster that does not answer: what is unknown brakes. */
const readTimeoutMilliseconds = 20_000;

/** Asks the cluster how many replicas the targets of policies have now; what it does not know is left out. */
export function presentReplicas(
  cluster: Cluster,
): (policies: readonly EffectivePolicy[]) => Promise<ReadonlyMap<string, number>> {
  return async (policies) => {
    const signal = AbortSignal.timeout(readTimeoutMilliseconds);
    const found = new Map<string, number>();
    const waiting = [...policies];
    const work = async (): Promise<void> => {
      for (let policy = waiting.pop(); policy !== undefined; policy = waiting.pop()) {
        const replicas = await replicasOf(cluster, policy, signal);
        if (replicas !== undefined) found.set(namespacedName(policy), replicas);
      }
    };
    await Promise.all(Array.from({ length: concurrentReads }, work));
    return found;
  };
}

/** A target that does not exist has no replicas that a bound could take. */
async function replicasOf(
  cluster: Cluster,
  policy: EffectivePolicy,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const reading = await cluster.kubernetes.scales.readScale(
      { target: scaleTargetOf(policy), freshness: 'Cached' },
      signal,
    );
    if ('state' in reading) return Math.max(reading.state.specReplicas, reading.state.statusReplicas);
    return reading.cause === 'NotFound' ? 0 : undefined;
  } catch {
    return undefined;
  }
}
