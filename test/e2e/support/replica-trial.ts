import { defaultShardCount, shardOf } from '#coordination';
import type { AuditedReplicaWrite, LeaseWrite } from '../../adversarial/cluster-storm/audit-record.ts';
import { compareRecords } from '../../adversarial/storm/compare-records.ts';
import { readLedger } from '../../adversarial/storm/read-ledger.ts';
import { eventually } from '../../control-plane/poll.ts';
import { AskedCounts } from './asked-counts.ts';
import type { HoldingProxy } from './holding-proxy.ts';
import { loadEntriesOf } from './load-entries.ts';
import { behindProxy, makeReplica, type Replica } from './make-replica.ts';
import { outcomesOf } from './replica-changes.ts';
import type { ShopCluster } from './shop-cluster.ts';

/**
 * A take-over, a restart and a machine that is busy; and a replica whose clock is a minute behind takes its predecessor's
 * recommendations for those of its window until their time has come (`maximumFutureSeconds`), and so shrinks nothing for
 * that minute.
 */
const followMilliseconds = 150_000;

/** What a bad end is understood by. */
const lastLineCount = 15;

/** What a load that is not followed is understood by. */
const keptLineCount = 80;

/** What a trial runs with. */
export interface ReplicaTrialOptions {
  readonly databaseUrl: string;
  readonly replicas: readonly string[];
  readonly prefix: string;
  readonly terms: object;
  /** Of the configuration of one replica alone. */
  readonly configurationOf?: (replica: string) => object;
  /** By which replicas reach the API server, by their names; the others reach it directly. */
  readonly proxies?: ReadonlyMap<string, HoldingProxy>;
}

/** Replicas that share a real cluster's policies, and what the records say of them. */
export class ReplicaTrial {
  readonly replicas: readonly Replica[];
  readonly #shop: ShopCluster;
  readonly #options: ReplicaTrialOptions;
  readonly #asked: AskedCounts;
  /** How many writes the API server had carried out before the trial. */
  readonly #earlier: number;

  private constructor(
    shop: ShopCluster,
    options: ReplicaTrialOptions,
    begun: { readonly replicas: readonly Replica[]; readonly earlier: number; readonly count: number },
  ) {
    this.#shop = shop;
    this.#options = options;
    this.replicas = begun.replicas;
    this.#earlier = begun.earlier;
    this.#asked = new AskedCounts(begun.count);
  }

  /** Starts the replicas, together. */
  static async start(shop: ShopCluster, options: ReplicaTrialOptions): Promise<ReplicaTrial> {
    const { configurationOf } = options;
    const place = { ...shop.placeOf(options.databaseUrl, options), configurationOf };
    const earlier = (await shop.writes()).length;
    const replicas = await Promise.all(
      options.replicas.map((name) => {
        const proxy = options.proxies?.get(name);
        return makeReplica(proxy === undefined ? place : behindProxy(place, proxy), name);
      }),
    );
    const count = await shop.replicasOf(shop.targets[0] ?? '');
    const trial = new ReplicaTrial(shop, options, { replicas, earlier, count });
    try {
      await Promise.all(replicas.map((replica) => replica.start()));
      return trial;
    } catch (error) {
      await trial.close();
      throw error;
    }
  }

  /** Gives every target the load of so many replicas. */
  askFor(count: number): void {
    this.#asked.ask(count);
    for (const target of this.#shop.targets) this.#shop.setLoad(target, count);
  }

  /** Gives every target the load of so many replicas, and waits until it has them, and no pods beside them. */
  async scaleAllTo(count: number): Promise<void> {
    this.askFor(count);
    await this.untilAllHave(count);
  }

  /** Waits until every target has so many replicas, and no pods beside them. */
  async untilAllHave(count: number): Promise<void> {
    const { targets } = this.#shop;
    let last: readonly string[] = [];
    try {
      await eventually({
        description: `${targets.join(', ')} to have ${count}`,
        probe: async () => {
          const counts = await Promise.all(targets.map((target) => this.#shop.replicasOf(target)));
          last = targets.map(
            (target, index) => `${target}: ${counts[index]}, shared by ${this.#shop.podsSharing(target)}`,
          );
          const areShared = targets.every((target) => this.#shop.podsSharing(target) === count);
          return (areShared && counts.every((each) => each === count)) || undefined;
        },
        timeoutMilliseconds: followMilliseconds,
      });
    } catch (error) {
      process.stderr.write([...last, ...this.#lastWords(), ''].join('\n'));
      throw error;
    }
  }

  /** What each replica said last, and those that it was before. */
  #lastWords(): readonly string[] {
    return this.replicas.flatMap(({ name, runs }) =>
      runs
        .slice(-2)
        .flatMap(({ process: each }) => [
          ...each.log.slice(-keptLineCount).map((line) => `${name} ${JSON.stringify(line)}`),
          ...each.rest.map((line) => `${name} ${line}`),
        ]),
    );
  }

  /** Waits until each announced write has its outcome on record. */
  async settle(): Promise<void> {
    await eventually({
      description: 'every intent to have an outcome',
      probe: async () => {
        const { intents, outcomes } = outcomesOf(await loadEntriesOf(this.#options.databaseUrl));
        return intents.every((intent) => outcomes.includes(intent)) || undefined;
      },
      // The outcome of a process that stands still is found by whoever takes over.
      timeoutMilliseconds: followMilliseconds,
    });
  }

  /** What changed the counts since the trial began. */
  async writes(): Promise<readonly AuditedReplicaWrite[]> {
    return (await this.#shop.writes()).slice(this.#earlier);
  }

  /** Counts that no load asked for: sentences. */
  async accidents(): Promise<readonly string[]> {
    const changes = (await this.writes()).map(({ workload, from, to, time }) => ({
      target: workload,
      from,
      to,
      at: Date.parse(time),
    }));
    return this.#asked.accidentsIn(changes);
  }

  /** Writes of a replica that arrived after another had taken the policy's shard over: sentences. */
  async writesAfterTakeOvers(): Promise<readonly string[]> {
    const takes = takesOf(this.replicas);
    return (await this.writes()).flatMap(({ workload, from, to, user, receivedAt }) => {
      const lease = this.#leaseOf(workload);
      const holder = takes.findLast((take) => take.lease === lease && take.at <= Date.parse(receivedAt));
      return holder?.replica === user
        ? []
        : [
            `${workload}: ${from} → ${to} by ${user} at ${receivedAt}, after ${holder?.replica ?? 'none'} took it`,
          ];
    });
  }

  /** Who took the shards of the targets' policies last. */
  lastHolders(): ReadonlySet<string> {
    const takes = takesOf(this.replicas);
    const last = this.#shop.targets.map((target) =>
      takes.findLast(({ lease }) => lease === this.#leaseOf(target)),
    );
    return new Set(last.flatMap((take) => take?.replica ?? []));
  }

  /** That of the shard of a target's policy. */
  #leaseOf(target: string): string {
    const shard = shardOf({ namespace: 'shop', name: target }, defaultShardCount);
    return `${this.#options.prefix}-shard-${shard}`;
  }

  /** How many changes of each target the ledger has. */
  async recordedCounts(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.#records()).map(({ name, changes }) => [name, changes.length]));
  }

  /**
   * Where the ledger's record of changes is not the API server's: sentences.
   *
   * @param lost what a database had that was put in the place of a later one. What a target came to in between is found
   *   there by a replica that starts anew, and on no record of one that goes on.
   */
  async recordDifferences(lost?: LostRecords): Promise<readonly string[]> {
    const made = await this.writes();
    return (await this.#records()).flatMap(({ name, changes, chainFaults }) => {
      const later = changes.slice(lost?.recorded.get(name) ?? 0);
      const differencesFrom = (first: number): readonly string[] => {
        const ofTarget = made.slice(first).filter(({ workload }) => workload === name);
        return compareRecords(ofTarget, later).differences;
      };
      const differences = differencesFrom(lost?.written ?? 0);
      const isFound = lost !== undefined && differencesFrom(lost.copied).length === 0;
      return [...chainFaults, ...(isFound ? [] : differences)];
    });
  }

  #records(): ReturnType<typeof readLedger> {
    return readLedger(this.#options.databaseUrl, { namespace: 'shop', names: this.#shop.targets });
  }

  /** For how long a shard was longest without a holder, by the API server's record of its Lease, in seconds. */
  async longestWithoutHolderSeconds(): Promise<number> {
    const writes = await this.#shop.leaseWrites(`${this.#options.prefix}-shard-`);
    const ofLeases = Map.groupBy(writes, ({ name }) => name);
    return Math.max(0, ...[...ofLeases.values()].flatMap(gapsOf)) / 1_000;
  }

  /** Ends each replica. @returns those that did not end well: sentences, with what they said last */
  async endAll(): Promise<readonly string[]> {
    const ends: string[] = [];
    for (const { name, process } of this.replicas) {
      const status = await process().stop();
      const last = process()
        .log.slice(-lastLineCount)
        .map((line) => JSON.stringify(line));
      const said = [`${name} ended with ${String(status)}:`, ...last, ...process().rest];
      if (status !== 0) ends.push(said.join('\n'));
    }
    return ends;
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }
}

/** What is known of a database that was put in the place of a later one. */
interface LostRecords {
  /** How many changes of each target it had. */
  readonly recorded: ReadonlyMap<string, number>;
  /** How many writes had been made when it was copied, and when it was put in that place. */
  readonly copied: number;
  readonly written: number;
}

interface Take {
  readonly lease: unknown;
  readonly replica: string;
  /** Milliseconds since 1970, by the machine's clock. */
  readonly at: number;
}

/** When the replicas took scopes, in that order. */
function takesOf(replicas: readonly Replica[]): readonly Take[] {
  const takes = replicas.flatMap(({ name, runs }) =>
    runs.flatMap(({ process }) => {
      let offset = 0;
      return process.log.flatMap(({ msg, milliseconds, lease, time }) => {
        if (msg === 'clock offset') offset = Number(milliseconds);
        if (msg !== 'took a scope') return [];
        return [{ lease, replica: name, at: new Date(time as string | number).getTime() - offset }];
      });
    }),
  );
  return takes.toSorted((a, b) => a.at - b.at);
}

/** From the last write of each holder to the first of the next one, in milliseconds. */
function gapsOf(writes: readonly LeaseWrite[]): readonly number[] {
  return writes.flatMap(({ holder, time }, index) => {
    const before = writes.slice(0, index).findLast((write) => write.holder !== null);
    if (holder === null || before === undefined || before.holder === holder) return [];
    return [Date.parse(time) - Date.parse(before.time)];
  });
}
