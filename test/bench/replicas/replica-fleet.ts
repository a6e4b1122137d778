import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ControllerProcess } from '../../e2e/support/controller-process.ts';
import type { PolicyRepository } from '../../e2e/support/policy-repository.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { SimulatedCluster } from '../sweep/cluster-process.ts';
import { createFleetRepository, leaseNamespace } from '../sweep/fleet.ts';
import { metricsUrlOf, scrapePasses } from '../sweep/scrape.ts';
import { startLaunched } from '../sweep/start-launched.ts';

const startMilliseconds = 300_000;
const pollMilliseconds = 250;

/** `Shared`: Leases elect who carries out which policies; `Standby`: the first carries out all, and the others wait. */
export type FleetKind = 'Shared' | 'Standby';

/** A controller of the fleet. */
export interface Replica {
  readonly name: string;
  readonly process: ControllerProcess;
}

/** Work that the database has done since it began. */
export interface DatabaseWork {
  readonly transactions: number;
  /** Rows inserted, updated and deleted. */
  readonly rowsWritten: number;
}

/** Controllers on one PostgreSQL, against a simulated cluster in a process of its own. */
export class ReplicaFleet {
  readonly kind: FleetKind;
  readonly policies: number;
  readonly cluster: SimulatedCluster;
  readonly database: pg.Client;
  readonly repository: PolicyRepository;
  readonly #folder: string;
  readonly #server: TestPostgres;
  readonly #configuration: object;
  readonly #replicas: Replica[] = [];
  #started = 0;

  private constructor(options: {
    readonly kind: FleetKind;
    readonly policies: number;
    readonly folder: string;
    readonly cluster: SimulatedCluster;
    readonly server: TestPostgres;
    readonly database: pg.Client;
    readonly repository: PolicyRepository;
    readonly configuration: object;
  }) {
    this.kind = options.kind;
    this.policies = options.policies;
    this.cluster = options.cluster;
    this.database = options.database;
    this.repository = options.repository;
    this.#folder = options.folder;
    this.#server = options.server;
    this.#configuration = options.configuration;
  }

  static async start(policies: number, kind: FleetKind): Promise<ReplicaFleet> {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-replicas-'));
    const cluster = await SimulatedCluster.start(policies);
    const server = await startPostgres();
    const url = await server.createDatabase('fleet');
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, cluster.answer.kubeconfig);
    const repository = createFleetRepository(join(folder, 'origin'), { policies, half: 'OwnerReference' });
    const configuration = {
      cluster: { name: 'bench', kubeconfig },
      mode: 'Act',
      namespaces: ['*'],
      database: { url },
      metrics: { policySeries: 'None' },
      prometheusServers: [{ name: 'bench', url: cluster.answer.prometheusUrl }],
      sources: [{ name: 'bench', url: repository.url, blastRadius: { targets: policies, percent: 100 } }],
      // With the durations that are the default.
      ...(kind === 'Shared' && {
        coordination: { namespace: leaseNamespace, advertisedUrl: 'http://127.0.0.1:1' },
      }),
    };
    return new ReplicaFleet({ kind, policies, folder, cluster, server, database, repository, configuration });
  }

  get replicas(): readonly Replica[] {
    return this.#replicas;
  }

  /** Starts another controller, and waits until it carries its share out, or is ready to. */
  async add(): Promise<Replica> {
    this.#started += 1;
    const name = `replica-${this.#started}`;
    const folder = join(this.#folder, name);
    await mkdir(folder);
    const configuration = { ...this.#configuration, dataFolder: join(folder, 'data') };
    const isFirst = this.#replicas.length === 0;
    const process = await startLaunched(folder, configuration, isFirst ? 'Serving' : 'Listening');
    const replica = { name, process };
    this.#replicas.push(replica);
    if (isFirst) await until(async () => (await passesOf(replica)) >= this.policies);
    else await until(async () => (await fetch(`${process.url}/readyz`)).ok);
    if (this.kind === 'Shared') {
      await until(() => this.#isShared());
      // Its first passes are a start's; what is measured afterwards is to find it at work.
      await until(async () => (await passesOf(replica)) >= (2 * this.policies) / this.#replicas.length);
    }
    return replica;
  }

  /** Whether each has its even share of the shards. */
  async #isShared(): Promise<boolean> {
    const { rows } = await this.database.query<{ readonly shards: string }>(
      `SELECT count(*) AS shards FROM ledger_epoch
        WHERE scope LIKE 'shard/%' AND holder IS NOT NULL GROUP BY holder`,
    );
    const shares = rows.map(({ shards }) => Number(shards));
    return shares.length === this.#replicas.length && Math.max(...shares) - Math.min(...shares) <= 1;
  }

  /** SIGKILL: it gives nothing up. */
  async kill(replica: Replica): Promise<void> {
    this.#replicas.splice(this.#replicas.indexOf(replica), 1);
    await replica.process.kill();
  }

  /** SIGTERM: it gives everything up. */
  async end(replica: Replica): Promise<void> {
    this.#replicas.splice(this.#replicas.indexOf(replica), 1);
    await replica.process.stop();
  }

  async databaseWork(): Promise<DatabaseWork> {
    // Statistics of other sessions come a second after their transactions.
    await sleep(1_000);
    const { rows } = await this.database.query<Readonly<Record<'transactions' | 'written', string>>>(
      `SELECT xact_commit AS transactions, tup_inserted + tup_updated + tup_deleted AS written
        FROM pg_stat_database WHERE datname = 'fleet'`,
    );
    const [row] = rows;
    return { transactions: Number(row?.transactions), rowsWritten: Number(row?.written) };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#replicas.map(({ process }) => process.kill()));
    this.cluster.stop();
    await this.database.end();
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** How many passes a controller has made. */
export function passesOf({ process }: Replica): Promise<number> {
  return scrapePasses(metricsUrlOf(process));
}

/** @throws Error where it does not come true. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + startMilliseconds;
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > end) throw new Error(`not within ${startMilliseconds} ms`);
    await sleep(pollMilliseconds);
  }
}
