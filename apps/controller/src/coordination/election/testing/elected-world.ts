import type { LeaseTerms, LeaseWrite, LossStreak } from '#coordination';
import { InMemoryLeases } from '#coordination/testing';
import { AdapterError } from '#kernel';
import { administrationScope, shardScope, sourceScope } from '#ledger';
import { InMemoryFences } from '#ledger/testing';
import type { ScopeWork, ShardNumber } from '../../holdings/holdings.ts';
import { ProcessHoldings } from '../../holdings/process-holdings.ts';
import type { ElectionClock, ElectionFences, ElectionLeases } from '../../leases/election-tools.ts';
import { ElectedHoldings, type ElectedHoldingsOptions } from '../elected-holdings.ts';

export const terms = {
  leaseDurationMilliseconds: 15_000,
  renewDeadlineMilliseconds: 10_000,
  retryPeriodMilliseconds: 2_000,
};

export const shardCount = 4;
const stepMilliseconds = 250;
export const { signal } = new AbortController();

interface Wait {
  readonly until: number;
  readonly done: () => void;
}

const noSettings = { text: '', observe: () => undefined };

/** What a replica reaches. */
interface Servers {
  readonly fences: ElectionFences;
  readonly leases: ElectionLeases;
}

/** What a replica is started with. */
interface Started extends Servers {
  readonly settings: ElectedHoldingsOptions['settings'];
  readonly losses: LossStreak | null;
}

/** A clock that passes when a test says so, for those who are not stopped. */
export class ElectedWorld {
  readonly leases = new InMemoryLeases();
  readonly fences = new InMemoryFences();
  layout = { shardCount, isChanging: false };
  readonly shards: ShardNumber = {
    readLayout: () => Promise.resolve(this.layout),
    resize: (count: number): void => void this.resized.push(count),
  };
  readonly resized: number[] = [];
  readonly began: string[] = [];
  readonly lost: string[] = [];
  readonly logged: string[] = [];
  readonly logFields: object[] = [];
  readonly #waits = new Map<string, Set<Wait>>();
  readonly #terms: LeaseTerms;
  #now = 0;

  constructor(given: LeaseTerms = terms) {
    this.#terms = given;
  }

  /** A process that takes all scopes by their fences alone. */
  withoutLeases(name: string): ProcessHoldings {
    const clock = this.#clockOf(name);
    return new ProcessHoldings({
      port: this.fences,
      logger: { info: () => undefined, warn: () => undefined },
      elapsed: () => clock.elapsed(),
      wait: (seconds, until) => clock.wait(seconds * 1_000, until),
    });
  }

  replica(
    name: string,
    {
      fences = this.fences,
      leases = this.leases,
      losses = null,
      settings = noSettings,
    }: Partial<Started> = {},
  ): ElectedHoldings {
    const log = (fields: object, message: string): void => {
      this.logged.push(message);
      this.logFields.push(fields);
    };
    return new ElectedHoldings({
      identity: name,
      prefix: 'plimsoll',
      leases,
      fences,
      terms: this.#terms,
      losses,
      advertisedUrl: `http://${name}:8080`,
      version: '1.2.3',
      settings,
      clock: this.#clockOf(name),
      logger: { info: log, warn: log },
    });
  }

  async start(
    replica: ElectedHoldings,
    name: string,
    ...[given = {}, leader]: [given?: Partial<ScopeWork>, leader?: ScopeWork]
  ): Promise<void> {
    const work = (what: string): ScopeWork => ({
      begin: () => Promise.resolve(void this.began.push(`${name} takes ${what}`)),
      end: () => Promise.resolve(void this.began.push(`${name} leaves ${what}`)),
      ...given,
    });
    await replica.start(
      {
        leader: leader ?? work('the leader'),
        shard: (shard) => work(`shard ${shard}`),
        shards: this.shards,
        leaderScopes: () => Promise.resolve([administrationScope, sourceScope('policies')]),
      },
      () => this.lost.push(name),
      signal,
    );
  }

  /** Lets so many seconds pass for these replicas; others are stopped. */
  async pass(seconds: number, ...names: readonly string[]): Promise<void> {
    for (let left = seconds * 1_000; left > 0; left -= stepMilliseconds) {
      this.#now += stepMilliseconds;
      this.fences.advance(stepMilliseconds / 1_000);
      const waits = names.flatMap((name) => [...(this.#waits.get(name) ?? [])]);
      for (const { until, done } of waits) if (until <= this.#now) done();
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    }
  }

  /** How many shards each holds. */
  sharesOf(...replicas: readonly ElectedHoldings[]): readonly number[] {
    const all = Array.from({ length: this.layout.shardCount }, (_, shard) => shardScope(shard));
    return replicas.map((replica) => all.filter((scope) => replica.holds(scope)).length);
  }

  #clockOf(name: string): ElectionClock {
    const waiting = new Set<Wait>();
    this.#waits.set(name, waiting);
    return {
      elapsed: () => this.#now,
      now: () => new Date(this.#now).toISOString(),
      random: () => 0.9,
      wait: (milliseconds, ending) =>
        new Promise((resolve, reject) => {
          if (ending.aborted) {
            reject(ending.reason as Error);
            return;
          }
          const done = (): void => {
            waiting.delete(wait);
            resolve();
          };
          const wait = { until: this.#now + milliseconds, done };
          waiting.add(wait);
          ending.addEventListener('abort', () => {
            waiting.delete(wait);
            reject(ending.reason as Error);
          });
        }),
    };
  }
}

export const away = new AdapterError({ code: 'ConnectionFailed', message: 'away', retryable: true });

/** Fences of a database that answers when a test lets it. */
export function whenAnswered(fences: ElectionFences, answers: () => Promise<unknown>): ElectionFences {
  return {
    look: (scopes) => answers().then(() => fences.look(scopes)),
    take: (scopes, holder) => answers().then(() => fences.take(scopes, holder)),
    takeElected: (seen, elected) => answers().then(() => fences.takeElected(seen, elected)),
    renew: (held) => answers().then(() => fences.renew(held)),
    giveUp: (held) => answers().then(() => fences.giveUp(held)),
  };
}

/** Leases of an API server that answers a question, of the Lease that it names, when a test lets it, or never once it is aborted. */
export function leasesWhenAnswered(
  leases: ElectionLeases,
  answers: (name: string | null) => Promise<unknown>,
): ElectionLeases {
  const answer = async <T>(
    name: string | null,
    signal: AbortSignal | undefined,
    ask: () => Promise<T>,
  ): Promise<T> => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
    await Promise.race([answers(name), promise]);
    return ask();
  };
  return {
    list: (signal) => answer(null, signal, () => leases.list()),
    create: (name, record, signal) => answer(name, signal, () => leases.create(name, record)),
    update: (observed, record, signal) =>
      answer(observed.name, signal, () => leases.update(observed, record)),
    delete: (observed) => answer(observed.name, undefined, () => leases.delete(observed)),
  };
}

/** Leases whose writes a test has in its hands. */
export function inTheWay(
  leases: ElectionLeases,
  of: (write: () => Promise<LeaseWrite>) => Promise<LeaseWrite>,
): ElectionLeases {
  return {
    list: () => leases.list(),
    create: (name, record) => of(() => leases.create(name, record)),
    update: (observed, record) => of(() => leases.update(observed, record)),
    delete: (observed) => leases.delete(observed),
  };
}

export async function aWorldOf(
  ...names: readonly string[]
): Promise<readonly [ElectedWorld, ...ElectedHoldings[]]> {
  const world = new ElectedWorld();
  const replicas = [];
  for (const name of names) {
    const replica = world.replica(name);
    await world.start(replica, name);
    replicas.push(replica);
  }
  await world.pass(3, ...names);
  return [world, ...replicas];
}
