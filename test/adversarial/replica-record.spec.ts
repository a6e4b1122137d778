import { describe, expect, it } from '@jest/globals';
import { RecordedCluster } from './support/recorded-cluster.ts';
import { SeededRandom } from './support/seeded-random.ts';

/** `SEEDS=1,2,3` tries others; `SEEDS` of a failure reproduces it. */
const seeds = (process.env['SEEDS'] ?? '1,2,3,4').split(',').map(Number);
const actions = Number(process.env['ACTIONS'] ?? '40');

const targets = ['checkout', 'till'] as const;

function changePolicies(cluster: RecordedCluster, random: SeededRandom): void {
  if (random.below(2) === 0) cluster.swapTargets();
  else cluster.rename(random.pick(targets));
}

const ledgerFaults = [
  ['Broken'],
  ['LostAfterStoring'],
  [null, 'LostAfterStoring'],
  ['LostAfterStoring', 'Broken', 'Broken'],
  [null, 'Broken', 'LostAfterStoring'],
] as const;

type Action = (cluster: RecordedCluster, random: SeededRandom) => Promise<void> | void;

function decideAnew(cluster: RecordedCluster, random: SeededRandom): Promise<void> {
  cluster.wants(random.pick(targets), 1 + random.below(12));
  const meanwhile = (): void => changePolicies(cluster, random);
  return cluster.pass(random.below(3) === 0 ? { meanwhile } : {});
}

/** What happens next is one of them, at random. */
const whatHappens: readonly Action[] = [
  (cluster, random) => cluster.scaleByOthers(random),
  (cluster, random) => cluster.pass({ others: random }),
  (cluster, random) => cluster.failWrite(random.pick(['Reset', 'Truncate', 'Error'])),
  (cluster, random) => cluster.slowDown(random.pick(['put', 'watch']), random.below(80)),
  (cluster) => cluster.dropWatches(),
  (cluster, random) => {
    cluster.ledger.faults.push(...random.pick(ledgerFaults));
  },
  (cluster, random) => (random.below(3) === 0 ? cluster.restart() : undefined),
  changePolicies,
  (cluster, random) => {
    changePolicies(cluster, random);
    return cluster.pass({ others: random });
  },
  (cluster, random) =>
    random.below(2) === 0 ? cluster.remake(random.pick(targets), 1 + random.below(12)) : undefined,
  decideAnew,
  decideAnew,
];

describe('the record of replicas', () => {
  it.each(seeds)("is the API server's own list of changes, whatever happens: seed %i", async (seed) => {
    const random = new SeededRandom(seed);
    const cluster = await RecordedCluster.start();
    try {
      for (let action = 0; action < actions; action += 1) await random.pick(whatHappens)(cluster, random);
      if (random.below(2) === 0) cluster.remove(random.pick(targets));
      await cluster.calmDown();
      const { recorded, made } = cluster.compare();
      expect(recorded).toEqual(made);
      expect(cluster.gapsInTheRecord()).toEqual([]);
      expect(cluster.openIntents()).toEqual([]);
      const { kept, inForce } = cluster.states();
      expect(kept).toEqual(inForce);
    } finally {
      await cluster.stop();
    }
  });
});
