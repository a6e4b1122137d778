import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import {
  administrationScope,
  type Fence,
  shardOfScope,
  shardScope,
  type StandingIntervention,
} from '#ledger';
import { type ActivePolicy, FleetBrake, type LossStorePort } from '#reconciliation';
import {
  aDecision,
  aDecisionMetric,
  anActivePolicy,
  FakeClock,
  FakeLog,
  InMemoryLossStore,
} from '#reconciliation/testing';
import { LossExchange } from './loss-exchange.ts';

const leaseMilliseconds = 15_000;
const metricSource = 'external.metrics.k8s.io';
const shardCount = 4;

/** The policies of even numbers are of shards 0 and 2, the others of 1 and 3. */
const fleet = Array.from({ length: 20 }, (_, index) =>
  anActivePolicy({ name: `app-${index}`, minReplicas: 1, maxReplicas: 40 }),
);
const numberOf = ({ name }: { readonly name: string }): number => Number(name.slice('app-'.length));

let clock: FakeClock;
let store: InMemoryLossStore;
/** As the database has it, and every replica follows it. */
let standing: StandingIntervention[];

beforeEach(() => {
  clock = new FakeClock();
  store = new InMemoryLossStore();
  standing = [];
});

class Replica {
  readonly fences = new Map<string, Fence>();
  /** Since when it holds each shard, on the clock. */
  readonly #since = new Map<number, number>();
  readonly #store: LossStorePort;

  constructor(its: LossStorePort = store) {
    this.#store = its;
  }

  readonly warnings: string[] = [];
  isLeader = false;
  readonly brake = new FleetBrake({
    interventions: {
      list: () => standing,
      begin: (begun) => {
        standing.push(begun);
        return Promise.resolve(null);
      },
      endOf: ({ intervention }) => Date.parse(intervention.expires),
    },
    activePolicies: { listActivePolicies: () => fleet },
    shards: { shardOf: (policy) => numberOf(policy) % shardCount },
    replicas: {
      isLeader: () => this.isLeader,
      takeOverMilliseconds: 4 * leaseMilliseconds,
      carriedOutMilliseconds: (shard) => {
        const since = this.fences.has(shardScope(shard)) ? this.#since.get(shard) : undefined;
        return since === undefined ? null : clock.monotonicMilliseconds() - since;
      },
    },
    clock,
    log: new FakeLog(),
    newId: () => `brake-${standing.length + 1}`,
    settings: { targetsPercent: 20, minimumTargets: 10, replicasPercent: 50, minutes: 60 },
  });
  readonly exchange = new LossExchange({
    store: {
      read: (age) => this.#store.read(age),
      store: (counts) => this.#store.store(counts),
    },
    brake: this.brake,
    holdings: {
      holds: (scope) => this.fences.has(scope),
      of: (scope) => {
        const fence = this.fences.get(scope);
        if (fence === undefined) throw new AdapterError({ code: 'Fenced', message: scope, retryable: true });
        return fence;
      },
    },
    leadership: { mode: 'Replicas', isLeader: () => this.isLeader },
    leaseMilliseconds,
    clock,
    logger: { info: () => undefined, warn: (_, message) => void this.warnings.push(message) },
  });

  take(...scopes: readonly string[]): this {
    for (const scope of scopes) {
      const epoch = (store.epochs.get(scope) ?? 0n) + 1n;
      store.epochs.set(scope, epoch);
      this.fences.set(scope, { scope, epoch, holder: 'a replica' });
      const shard = shardOfScope(scope);
      if (shard !== undefined) this.#since.set(shard, clock.monotonicMilliseconds());
    }
    this.isLeader ||= scopes.includes(administrationScope);
    return this;
  }

  giveUp(shard: number): void {
    this.fences.delete(shardScope(shard));
    this.brake.leave(shard);
  }

  /** A pass of each policy of the shards that it holds. @returns the names of those whose scale-in waits */
  async pass(proposal: number, policies: readonly ActivePolicy[] = fleet): Promise<readonly string[]> {
    const waiting: string[] = [];
    for (const active of policies) {
      if (!this.fences.has(shardScope(numberOf(active.policy) % shardCount))) continue;
      const waits = await this.brake.note({
        active,
        observation: { time: clock.now(), scale: { specReplicas: 20 } },
        decision: aDecision({
          currentReplicas: 20,
          metrics: [aDecisionMetric({ proposedReplicas: proposal })],
        }),
        mayWrite: true,
        hasDecided: true,
      });
      if (waits !== null) waiting.push(active.policy.name);
    }
    return waiting;
  }
}

const even = [shardScope(0), shardScope(2)];
const odd = [shardScope(1), shardScope(3)];
const inHalves = (storeOfOther: LossStorePort = store): readonly [Replica, Replica] => [
  new Replica().take(administrationScope, ...even),
  new Replica(storeOfOther).take(...odd),
];

/** The same database where each question and each answer takes so long. */
const slowly = (milliseconds: number): LossStorePort => {
  const passage = (): Promise<unknown> =>
    new Promise((resolve) => clock.schedule(milliseconds, () => resolve(undefined)));
  return {
    read: async (age) => {
      await passage();
      const read = await store.read(age);
      await passage();
      return read;
    },
    store: async (counts) => {
      await passage();
      await store.store(counts);
      await passage();
    },
  };
};

/** Half seconds in which each begins to look, whether or not its database has answered. */
async function halfSeconds(count: number, ...replicas: readonly Replica[]): Promise<void> {
  for (let half = 0; half < count; half += 1) {
    store.now = clock.monotonicMilliseconds() + 500;
    clock.advance(500);
    for (const { exchange } of replicas) void exchange.look();
    await turn();
  }
}

/** Seconds in which every replica looks each second. */
async function seconds(count: number, ...replicas: readonly Replica[]): Promise<void> {
  for (let second = 0; second < count; second += 1) {
    store.now = clock.monotonicMilliseconds() + 1_000;
    clock.advance(1_000);
    for (const { exchange } of replicas) await exchange.look();
  }
}

const release = (): void => void standing.splice(0);

/** Of the even and of the odd numbers. */
const few = fleet.slice(0, 12);

describe('the fleet brake of replicas', () => {
  it('closes over what each of them counts, once, where each alone would not', async () => {
    const [leader, other] = inHalves();
    await leader.pass(2, few);
    await seconds(2, leader, other);
    expect(standing).toEqual([]);
    await other.pass(2, few);
    await seconds(2, other, leader);
    expect(standing).toMatchObject([
      { scope: { kind: 'MetricSource', metricSource }, intervention: { kind: 'Suspend', direction: 'Down' } },
    ]);
    expect(standing[0]?.intervention.reason).toContain('12 of 20 targets');
    await Promise.all([leader.pass(2), other.pass(2)]);
    await seconds(5, leader, other);
    expect(standing).toHaveLength(1);
  });

  it('closes half a second after the targets of a replica are one too many, without any look of its own', async () => {
    const [leader, other] = inHalves();
    await leader.pass(2, few);
    await seconds(2, leader, other);
    await other.pass(2, few);
    await turn();
    clock.advance(500);
    await turn();
    await leader.exchange.look();
    expect(standing).toHaveLength(1);
  });

  it('holds every scale-in by the source at a replica that knows of it before the leader does', async () => {
    const [leader, other] = inHalves();
    await leader.pass(2, few);
    await seconds(1, leader, other);
    await other.pass(2, few);
    clock.advance(60_000);
    expect(await other.pass(2, few)).toHaveLength(6);
    expect(await other.pass(15, fleet.slice(12))).toHaveLength(4);
    await seconds(2, other, leader);
    expect(standing).toHaveLength(1);
  });

  it('writes no large loss before another replica has come to its policies, and what it counts may be known', async () => {
    const [leader, other] = inHalves();
    const policy = anActivePolicy({ name: 'app-18', minReplicas: 1, maxReplicas: 40, intervalSeconds: 1 });
    await leader.pass(2, [policy]);
    await seconds(17, leader, other);
    clock.advance(900);
    expect(await leader.pass(2, [policy])).toEqual(['app-18']);
    // What the other one stores each five seconds.
    await seconds(7, leader, other);
    clock.advance(1_000);
    expect(await leader.pass(2, [policy])).toEqual([]);
    await leader.pass(20, [policy]);
    const ofLeader = few.filter(({ policy: each }) => numberOf(each) % 2 === 0);
    await leader.pass(2, ofLeader);
    await seconds(15, leader, other);
    // The other one looked just before the source went wrong.
    expect(await leader.pass(2, ofLeader)).toHaveLength(6);
    await other.pass(2, few);
    await seconds(2, other, leader);
    expect(standing).toHaveLength(1);
  });

  it.each([0.5, 2, 5])(
    'writes no large loss before it knows what a replica counts whose database takes %s s each way',
    async (passage) => {
      const [leader, other] = inHalves(slowly(passage * 1_000));
      await halfSeconds(60, leader, other);
      await leader.pass(2, few);
      // The other one looked just before the source went wrong, and comes to its policies an interval later.
      for (let half = 0; half < 29; half += 1) await halfSeconds(1, leader, other);
      await other.pass(2, few);
      const written: string[] = [];
      const isHeld = (): boolean => standing.length > 0;
      for (let pass = 0; pass < 150 && !isHeld(); pass += 1) {
        await halfSeconds(1, leader, other);
        const waiting = await leader.pass(2, few);
        if (pass % 30 === 29) await other.pass(2, few);
        if (waiting.length < 6 && !isHeld()) written.push(`${pass / 2} s`);
      }
      expect([written, standing.length]).toEqual([[], 1]);
    },
  );

  it('writes a large loss by the third pass where all replicas have looked, and see none', async () => {
    const [leader, other] = inHalves();
    const ofLeader = few.filter(({ policy }) => numberOf(policy) % 2 === 0);
    await Promise.all([leader.pass(20), other.pass(20)]);
    for (const want of [6, 6, 0]) {
      expect(await leader.pass(2, ofLeader)).toHaveLength(want);
      await leader.pass(20, fleet.slice(12));
      await seconds(8, leader, other);
      await other.pass(20);
      await seconds(7, leader, other);
    }
    expect(standing).toEqual([]);
  });

  it('waits for a replica that comes to its policies later than they are due', async () => {
    const [leader, other] = inHalves();
    const ofLeader = few.filter(({ policy }) => numberOf(policy) % 2 === 0);
    await Promise.all([leader.pass(20), other.pass(20)]);
    for (let pass = 0; pass < 3; pass += 1) {
      expect(await leader.pass(2, ofLeader)).toHaveLength(6);
      await leader.pass(20, fleet.slice(12));
      await seconds(15, leader, other);
    }
    await other.pass(2, few);
    await seconds(2, other, leader);
    expect(standing).toHaveLength(1);
  });

  it('writes no large loss before another replica has looked at what a killed one held', async () => {
    const [leader, killed] = inHalves();
    await leader.pass(2, few);
    await killed.pass(2, few.slice(0, 2));
    await seconds(1, leader, killed);
    await seconds(29, leader);
    expect([await leader.pass(2, few), standing]).toEqual([
      few.map(({ policy }) => policy.name).filter((_, index) => index % 2 === 0),
      [],
    ]);
    leader.take(...odd);
    await leader.pass(2, few);
    expect(standing).toHaveLength(1);
  });

  it('writes a large loss in the end where none can take what a killed replica held', async () => {
    const [leader] = inHalves();
    const policy = anActivePolicy({ name: 'app-0', minReplicas: 1, maxReplicas: 40, intervalSeconds: 1 });
    await leader.pass(2, [policy]);
    clock.advance(77_900);
    expect(await leader.pass(2, [policy])).toEqual(['app-0']);
    clock.advance(200);
    expect(await leader.pass(2, [policy])).toEqual([]);
  });

  it('stays open at all of them where an operator has ended the suspension, until its cause has ended', async () => {
    const [leader, other] = inHalves();
    await Promise.all([leader.pass(2), other.pass(2)]);
    await seconds(2, leader, other);
    release();
    await seconds(2, leader, other);
    const joined = new Replica();
    other.giveUp(3);
    joined.take(shardScope(3));
    await seconds(10, leader, other, joined);
    const waiting = await Promise.all([leader, other, joined].map((each) => each.pass(2)));
    expect(waiting).toEqual([[], [], []]);
    await seconds(30, leader, other, joined);
    expect(standing).toEqual([]);
    await Promise.all([leader, other, joined].map((each) => each.pass(20)));
    await seconds(2, leader, other, joined);
    await Promise.all([leader, other, joined].map((each) => each.pass(2)));
    await seconds(2, leader, other, joined);
    expect(standing).toHaveLength(1);
  });

  it('stays open under a new leader where an operator has ended it', async () => {
    const [leader, other] = inHalves();
    await Promise.all([leader.pass(2), other.pass(2)]);
    await seconds(2, leader, other);
    release();
    await seconds(2, leader, other);
    const third = new Replica().take(administrationScope, ...even);
    await seconds(1, other, third);
    await Promise.all([other.pass(2), third.pass(2)]);
    await seconds(40, other, third);
    expect(standing).toEqual([]);
  });

  it('is renewed once while its cause lasts', async () => {
    const [leader, other] = inHalves();
    await Promise.all([leader.pass(2), other.pass(2)]);
    for (let minute = 0; minute < 62; minute += 1) {
      await Promise.all([leader.pass(2), other.pass(2)]);
      await seconds(1, leader, other);
      clock.advance(59_000);
    }
    expect(standing).toHaveLength(2);
  });

  it('counts what a replica that is killed has stored until another has had time to look', async () => {
    const [leader, killed] = inHalves();
    await Promise.all([leader.pass(2, few), killed.pass(2, few)]);
    await seconds(1, killed, leader);
    release();
    expect(leader.brake.listReleased()).toEqual([]);
    const other = new Replica();
    // It stored them in its pass, or a second later.
    await seconds(28, leader, other);
    expect(leader.brake.listReleased()).toEqual([metricSource]);
    await seconds(3, leader, other);
    expect(leader.brake.listReleased()).toEqual([]);
  });

  it('counts a shard that changes hands once', async () => {
    const [leader, other] = inHalves();
    await other.pass(2, few);
    await seconds(1, other, leader);
    other.giveUp(1);
    leader.take(shardScope(1));
    await leader.pass(
      2,
      few.filter(({ policy }) => numberOf(policy) === 1),
    );
    await seconds(2, leader, other);
    const rows = (await store.read(60_000)).counts.filter(({ losing }) => losing > 0);
    expect(rows.map(({ scope, losing }) => [scope, losing])).toEqual([
      [shardScope(1), 3],
      [shardScope(3), 3],
    ]);
    await leader.pass(2, few);
    await seconds(1, leader, other);
    const losing = (await store.read(60_000)).counts.map((row) => row.losing);
    expect([losing.reduce((sum, count) => sum + count, 0), standing.length]).toEqual([12, 1]);
  });
});

describe('what replicas exchange', () => {
  it('is nothing where nothing would be lost', async () => {
    const [leader, other] = inHalves();
    await Promise.all([leader.pass(20), other.pass(20)]);
    await seconds(60, leader, other);
    expect(store.writes).toBe(0);
  });

  it('is stored when it changes, once per second at most, and again while it is to be kept', async () => {
    const [leader] = inHalves();
    const policies = fleet.filter(({ policy }) => numberOf(policy) % shardCount === 0);
    for (const active of policies) await leader.pass(2, [active]);
    // Of its other shard that it sees no loss.
    expect(store.writes).toBe(2);
    await seconds(1, leader);
    expect(store.writes).toBe(2 + 1);
    await seconds(60, leader);
    expect(store.writes).toBe(3 + 12 * 2);
    await leader.pass(20, policies);
    await seconds(60, leader);
    expect(store.writes).toBe(27 + 1);
    expect((await store.read(60_000)).counts).toMatchObject([{ losing: 0 }]);
  });

  it('stays what it was while the database is away, and no less', async () => {
    const [leader, other] = inHalves();
    await other.pass(2, few);
    await seconds(1, other, leader);
    store.isAway = true;
    await seconds(300, leader, other);
    expect([leader.warnings, other.warnings].map(({ length }) => length)).toEqual([1, 1]);
    await leader.pass(2, few);
    expect(standing).toHaveLength(1);
  });

  it('closes over what others count also where a replica can store nothing', async () => {
    const [leader, other] = [
      new Replica().take(administrationScope, shardScope(0), shardScope(2)),
      new Replica().take(shardScope(1), shardScope(3)),
    ];
    await leader.pass(1);
    await other.pass(1);
    await other.exchange.look();
    const readOnly = new AdapterError({ code: 'ReadOnly', message: 'a standby', retryable: true });
    store.store = () => Promise.reject(readOnly);
    clock.advance(500);
    await leader.exchange.look();
    expect(standing).toHaveLength(1);
    expect(leader.warnings).toEqual(['what replicas count for the fleet brake could not be exchanged']);
  });

  it('is not stored under a fence that is another’s', async () => {
    const [leader, other] = inHalves();
    new Replica().take(shardScope(1));
    await other.pass(2, few);
    await seconds(2, leader, other);
    expect([(await store.read(60_000)).counts, other.warnings]).toEqual([[], []]);
  });
});
