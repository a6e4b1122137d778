import { describe, expect, it } from '@jest/globals';
import { RecordedCluster } from './support/recorded-cluster.ts';
import { SeededRandom } from './support/seeded-random.ts';

/** `SEEDS=1,2,3` tries others; `SEEDS` of a failure reproduces it. */
const seeds = (process.env['SEEDS'] ?? '1,2,3,4').split(',').map(Number);
const actions = Number(process.env['ACTIONS'] ?? '40');

/** What happens next, at random. */
async function act(cluster: RecordedCluster, random: SeededRandom): Promise<void> {
  switch (random.below(9)) {
    case 0:
      return cluster.scaleByOthers(random);
    case 1:
      return cluster.pass({ others: random });
    case 2: {
      cluster.failWrite(random.pick(['Reset', 'Truncate', 'Error']));
      return;
    }
    case 3: {
      cluster.slowDown(random.pick(['put', 'watch']), random.below(80));
      return;
    }
    case 4: {
      cluster.dropWatches();
      return;
    }
    case 5:
      cluster.ledger.faults.push(...random.pick(ledgerFaults));
      return;
    case 6:
      return random.below(3) === 0 ? cluster.restart() : undefined;
    default:
      cluster.wants(1 + random.below(12));
      return cluster.pass({});
  }
}

const ledgerFaults = [
  ['Broken'],
  ['LostAfterStoring'],
  [null, 'LostAfterStoring'],
  ['LostAfterStoring', 'Broken', 'Broken'],
  [null, 'Broken', 'LostAfterStoring'],
] as const;

describe('the record of replicas', () => {
  it.each(seeds)("is the API server's own list of changes, whatever happens: seed %i", async (seed) => {
    const random = new SeededRandom(seed);
    const cluster = await RecordedCluster.start();
    try {
      for (let action = 0; action < actions; action += 1) await act(cluster, random);
      await cluster.calmDown();
      const { recorded, made } = cluster.compare();
      expect(recorded).toEqual(made);
      expect(cluster.gapsInTheRecord()).toEqual([]);
      expect(cluster.openIntents()).toEqual([]);
    } finally {
      await cluster.stop();
    }
  });
});
