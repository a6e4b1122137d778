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
import { type ActivePolicy, FleetBrake } from '#reconciliation';
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
/** Since when each shard is held, and until when its holder lived, on the clock; null: it lives. */
let holders: Map<number, { readonly since: number; readonly livedUntil: number | null }>;

beforeEach(() => {
  holders = new Map();
  clock = new FakeClock();
  store = new InMemoryLossStore();
  standing = [];
});

class Replica {
  readonly fences = new Map<string, Fence>();
  readonly warnings: string[] = [];
  isLeader = false;
  readonly brake = new FleetBrake({
    interventions: {
      list: () => standing,
      begin: (begun) => {
        standing.push(begun);
        return Promise.resolve(null);
      },
    },
    activePolicies: { listActivePolicies: () => fleet },
    shards: { shardOf: (policy) => numberOf(policy) % shardCount },
    replicas: {
      isLeader: () => this.isLeader,
      confirmationMilliseconds: 3_000,
      takeOverMilliseconds: 4 * leaseMilliseconds,
      shardHolder: (shard) => {
        const holder = holders.get(shard);
        if (holder === undefined) return null;
        const now = clock.monotonicMilliseconds();
        return {
          heldMilliseconds: now - holder.since,
          silentMilliseconds: now - (holder.livedUntil ?? now),
        };
      },
    },
    clock,
    log: new FakeLog(),
    newId: () => `brake-${standing.length + 1}`,
    settings: { targetsPercent: 20, minimumTargets: 10, replicasPercent: 50, minutes: 60 },
  });
  readonly exchange = new LossExchange({
    store,
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
      if (shard !== undefined) holders.set(shard, { since: clock.monotonicMilliseconds(), livedUntil: null });
    }
    this.isLeader ||= scopes.includes(administrationScope);
    return this;
  }

  kill(): void {
    const livedUntil = clock.monotonicMilliseconds();
    for (const scope of this.fences.keys()) {
      const shard = shardOfScope(scope);
      if (shard !== undefined) holders.set(shard, { since: 0, livedUntil });
    }
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
const inHalves = (): readonly [Replica, Replica] => [
  new Replica().take(administrationScope, ...even),
  new Replica().take(...odd),
];

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
    clock.advance(17_900);
    expect(await leader.pass(2, [policy])).toEqual(['app-18']);
    clock.advance(200);
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

  it('writes no large loss before another replica has looked at what a killed one held', async () => {
    const [leader, killed] = inHalves();
    await leader.pass(2, few);
    await killed.pass(2, few.slice(0, 2));
    await seconds(1, leader, killed);
    killed.kill();
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
    const [leader, killed] = inHalves();
    const policy = anActivePolicy({ name: 'app-0', minReplicas: 1, maxReplicas: 40, intervalSeconds: 1 });
    await leader.pass(2, [policy]);
    killed.kill();
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
    const rows = await store.read(60_000);
    expect(rows.map(({ scope, losing }) => [scope, losing])).toEqual([
      [shardScope(1), 3],
      [shardScope(3), 3],
    ]);
    await leader.pass(2, few);
    await seconds(1, leader, other);
    const losing = (await store.read(60_000)).map((row) => row.losing);
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
    expect(store.writes).toBe(1);
    await seconds(1, leader);
    expect(store.writes).toBe(2);
    await seconds(60, leader);
    expect(store.writes).toBe(2 + 12);
    await leader.pass(20, policies);
    await seconds(60, leader);
    expect(store.writes).toBe(2 + 12 + 1);
    expect(await store.read(60_000)).toEqual([]);
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
    expect([await store.read(60_000), other.warnings]).toEqual([[], []]);
  });
});
