import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { defaultShardCount, shardOf } from '#coordination';
import type { JsonObject } from '#kernel';
import { LoopbackLink } from '../../support/loopback-link.ts';
import type { TestPostgres } from '../../support/postgres.ts';
import { type ControllerProcess, startControllerProcess } from './controller-process.ts';
import { startTimeoutMilliseconds } from './make-replica.ts';
import { policyText, type ShopWorld, startShopWorld } from './shop-world.ts';
import { soon } from './soon.ts';

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop' };

export interface BrakeFleetOptions {
  /** Of each shard. */
  readonly policiesPerShard: number;
  /** The processes that share them; two by default. */
  readonly replicas?: readonly string[];
  /** The text of a policy, changed. */
  readonly policy: (text: string) => string;
  readonly terms: {
    readonly leaseDurationSeconds: number;
    readonly renewDeadlineSeconds: number;
    readonly retryPeriodSeconds: number;
  };
}

/** As many policies in each shard, each over 8 replicas by the CPU that they use, and the processes that share them. */
export class BrakeFleet {
  readonly names: readonly string[];
  readonly world: ShopWorld;
  readonly #options: BrakeFleetOptions;
  readonly #server: TestPostgres;
  #client: pg.Client | null = null;
  readonly #replicas: ControllerProcess[] = [];
  /** What each of them reaches the database by, in their order. */
  readonly #links: LoopbackLink[] = [];

  private constructor(world: ShopWorld, server: TestPostgres, options: BrakeFleetOptions) {
    this.world = world;
    this.#server = server;
    this.#options = options;
    this.names = Array.from({ length: defaultShardCount }, (_, shard) => shard).flatMap((shard) =>
      namesOfShard(shard, options.policiesPerShard),
    );
  }

  /** Resolves when each process has an even share, and has decided each of its policies. */
  static async start(
    server: TestPostgres,
    database: string,
    options: BrakeFleetOptions,
  ): Promise<BrakeFleet> {
    const fleet = new BrakeFleet(await startShopWorld(), server, options);
    try {
      await fleet.#open(database);
      return fleet;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  async #open(database: string): Promise<void> {
    const { world, names } = this;
    const { objects } = world.simulator;
    objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plimsoll-system' } });
    const { spec } = objects.find({ ...deployment, name: 'checkout' })!;
    for (const name of names) {
      const own = JSON.stringify({ ...(spec as JsonObject), replicas: 8 }).replaceAll(
        '"checkout"',
        `"${name}"`,
      );
      const { apiVersion, kind, namespace } = deployment;
      objects.create({
        apiVersion,
        kind,
        metadata: { name, namespace },
        spec: JSON.parse(own) as JsonObject,
      });
    }
    this.use(2_400);
    world.simulator.runPending();
    const { policy } = this.#options;
    const texts = names.map((name) => [`shop/${name}.yaml`, policy(policyText).replaceAll('checkout', name)]);
    world.repository.commit('Scale the shop', Object.fromEntries(texts) as Record<string, string>);
    const url = await this.#server.createDatabase(database);
    for (const name of this.#options.replicas ?? ['first', 'second'])
      this.#replicas.push(await this.#start(name, url));
    this.#client = new pg.Client({ connectionString: url });
    await this.#client.connect();
    await this.#settled();
  }

  async #start(name: string, url: string): Promise<ControllerProcess> {
    const folder = join(this.world.folder, name);
    await mkdir(folder);
    const coordination = {
      namespace: 'plimsoll-system',
      advertisedUrl: 'http://127.0.0.1:1',
      ...this.#options.terms,
    };
    const dataFolder = join(folder, 'data');
    const link = await LoopbackLink.start(this.#server.port);
    this.#links.push(link);
    const database = { url: link.urlOf(url) };
    const configuration = { ...this.world.configuration, dataFolder, database, coordination };
    return startControllerProcess(folder, configuration, {
      until: 'Listening',
      timeoutMilliseconds: startTimeoutMilliseconds,
    });
  }

  async #settled(): Promise<void> {
    // The second one begins with one shard, and takes the others one after the other.
    await soon('an even share', async () => {
      const fewest = await this.count(
        "SELECT min(held) AS count FROM (SELECT count(*) AS held FROM ledger_epoch WHERE scope LIKE 'shard/%' GROUP BY holder) AS shares",
      );
      return fewest === defaultShardCount / this.#replicas.length || undefined;
    });
    await soon('a decision on each', async () => {
      const decided = await this.count(
        'SELECT count(*) AS count FROM policy_state WHERE last_decision LIKE \'%"desiredReplicas":8%\'',
      );
      return decided === this.names.length || undefined;
    });
  }

  /** The CPU that each target uses in all, in millicores. */
  use(millicores: number): void {
    for (const name of this.names) {
      this.world.simulator.load.setWorkload(
        { namespace: 'shop', kind: 'Deployment', name },
        { app: { cpu: { kind: 'Constant', value: millicores }, share: 'Total' } },
      );
    }
  }

  /** A process that does not lead. */
  get follower(): ControllerProcess {
    const { leader } = this;
    const follower = this.#replicas.find((replica) => replica !== leader);
    if (follower === undefined) throw new Error('there is one process');
    return follower;
  }

  /** The process that leads. */
  get leader(): ControllerProcess {
    const leader = this.#replicas.find(({ log }) =>
      log.some(({ msg, lease }) => msg === 'took a scope' && lease === 'plimsoll-leader'),
    );
    if (leader === undefined) throw new Error('no process leads');
    return leader;
  }

  /** From now on the database takes so long to hear a process, and as long to be heard by it. */
  slowDatabase(replica: ControllerProcess, milliseconds: number): void {
    this.#links[this.#replicas.indexOf(replica)]?.deliverLate(milliseconds);
  }

  /** The `count` that a query answers. */
  async count(sql: string): Promise<number> {
    const answer = await this.#client?.query<{ readonly count: string }>(sql);
    return Number(answer?.rows[0]?.count ?? 0);
  }

  /** `spec.replicas` of each target. */
  counts(): readonly unknown[] {
    return this.names.map(
      (name) =>
        (this.world.simulator.objects.find({ ...deployment, name })?.['spec'] as JsonObject)['replicas'],
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.kill()));
    await Promise.all(this.#links.map((link) => link.close()));
    await this.#client?.end();
    await this.world.stop();
  }
}

function namesOfShard(shard: number, count: number): readonly string[] {
  const names: string[] = [];
  for (let number = 0; names.length < count; number += 1) {
    const name = `app-${number}`;
    if (shardOf({ namespace: 'shop', name }, defaultShardCount) === shard) names.push(name);
  }
  return names;
}
