import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { InMemoryLeases } from '#coordination/testing';
import type { FencePort } from '#ledger';
import { FakeMetrics, FakeReplicaChanges, FakeScales } from '#reconciliation/testing';
import { clusterToken } from '../../../../apps/controller/src/cluster/cluster.module.ts';
import {
  candidacyToken,
  fencesToken,
} from '../../../../apps/controller/src/coordination/coordination.module.ts';
import { ElectedHoldings } from '../../../../apps/controller/src/coordination/election/elected-holdings.ts';
import { Holdings } from '../../../../apps/controller/src/coordination/holdings/holdings.ts';
import { Shards } from '../../../../apps/controller/src/coordination/shards/shards.ts';
import { eventually } from '../../../control-plane/poll.ts';
import { aCluster, type AnApplication, anApplication } from '../an-application.ts';

/** Nothing waits for a Lease to expire, so a loaded machine may be late. */
const terms = {
  leaseDurationMilliseconds: 120_000,
  renewDeadlineMilliseconds: 90_000,
  retryPeriodMilliseconds: 200,
};

/** A replica that could not begin a shard, as where the machine is too busy, takes none for as long as a Lease lasts. */
const shareMilliseconds = terms.leaseDurationMilliseconds + 45_000;

/** Applications that share a database, Leases, a cluster's scales and its metrics, all in this process. */
export class ElectedReplicas {
  readonly scales = new FakeScales();
  readonly metrics = new FakeMetrics();
  readonly #leases = new InMemoryLeases();
  readonly #started: AnApplication[] = [];
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** All that were made, in their order. */
  get all(): readonly AnApplication[] {
    return this.#started;
  }

  /** One more, which `nest.init()` starts; all read the first one's repository, and know its tokens. */
  async add(
    configuration: object = {},
    override: (testing: TestingModuleBuilder) => TestingModuleBuilder = (testing) => testing,
  ): Promise<AnApplication> {
    const cluster = aCluster();
    const [first] = this.#started;
    let holdings: ElectedHoldings | undefined;
    const listening: { url: () => string } = { url: () => 'http://127.0.0.1:1' };
    const elected = {
      factory: (fences: FencePort) => (holdings ??= this.#holdingsWith(fences, () => listening.url())),
      inject: [fencesToken],
    };
    const made = await anApplication({
      tokensOf: first,
      configuration: (folder: string) => ({
        database: { url: this.#url },
        sources: [
          { name: 'policies', url: first?.repository.url ?? `file://${folder}/policies`, interval: '1h' },
        ],
        ...configuration,
      }),
      override: (testing) =>
        override(testing)
          .overrideProvider(clusterToken)
          .useValue({
            ...cluster,
            metrics: Object.assign(this.metrics, { close: () => Promise.resolve() }),
            kubernetes: {
              ...cluster.kubernetes,
              scales: this.scales,
              replicaChanges: new FakeReplicaChanges(),
            },
          })
          .overrideProvider(Holdings)
          .useFactory(elected)
          .overrideProvider(candidacyToken)
          .useFactory(elected),
    });
    listening.url = made.url;
    this.#started.push(made);
    return made;
  }

  /** Waits until each of so many holds its share. */
  async untilShared(...shares: readonly number[]): Promise<void> {
    const wanted = this.#started.map((_, index) => shares[index] ?? 0).join(', ');
    await eventually({
      description: `shares of ${wanted}`,
      probe: () => {
        const held = this.#started.map((each) => heldBy(each).length).join(', ');
        return held === wanted ? Promise.resolve(true) : Promise.reject(new Error(`they hold ${held}`));
      },
      timeoutMilliseconds: shareMilliseconds,
    });
  }

  async close(): Promise<void> {
    for (const application of this.#started.toReversed()) await application.close();
  }

  #holdingsWith(fences: FencePort, url: () => string): ElectedHoldings {
    return new ElectedHoldings({
      identity: randomUUID(),
      leases: this.#leases,
      fences,
      terms,
      prefix: 'plimsoll',
      losses: null,
      settings: { text: '', observe: () => undefined },
      version: null,
      // It is known once the application listens.
      get advertisedUrl() {
        return url();
      },
      logger: { info: () => undefined, warn: () => undefined },
      clock: {
        elapsed: () => performance.now(),
        now: () => new Date().toISOString(),
        wait: async (milliseconds, signal) => {
          await delay(milliseconds, undefined, { signal, ref: false });
        },
        random: () => 0.5,
      },
    });
  }
}

/** The scopes of the shards that an application holds. */
export function heldBy({ nest }: AnApplication): readonly string[] {
  return nest
    .get(Shards)
    .held.map(({ scope }) => scope)
    .toSorted();
}
