import { describe, expect, it } from '@jest/globals';
import { administrationScope, shardScope } from '#ledger';
import { aWorldOf, ElectedWorld, leasesWhenAnswered, shardCount } from './testing/elected-world.ts';

const shards = Array.from({ length: shardCount }, (_, shard) => shardScope(shard));

/** An API server that hangs when a test says so, and then lets go. */
class HangingServer {
  readonly #hung = Promise.withResolvers<undefined>();
  isHanging = false;

  readonly answers = (): Promise<unknown> => (this.isHanging ? this.#hung.promise : Promise.resolve());

  end(error: Error): void {
    this.isHanging = false;
    this.#hung.reject(error);
  }
}

describe('a replica that ends while the API server hangs', () => {
  it("gives its fences up at once, the leader's last, and waits for the API server afterwards", async () => {
    const world = new ElectedWorld();
    const server = new HangingServer();
    const a = world.replica('a', { leases: leasesWhenAnswered(world.leases, server.answers) });
    await world.start(a, 'a');
    await world.pass(3, 'a');
    const fences = [...shards, administrationScope].map((scope) => a.of(scope));
    server.isHanging = true;
    // What renews and looks is under way by then.
    await world.pass(2.5, 'a');
    let hasStopped = false;
    const stopped = a.stop().then(() => (hasStopped = true));
    await world.pass(0.25, 'a');
    expect(fences.filter((fence) => world.fences.isInForce(fence))).toEqual([]);
    expect(world.began.slice(-5).toSorted().at(0)).toBe('a leaves shard 0');
    expect(world.began.at(-1)).toBe('a leaves the leader');
    expect(hasStopped).toBe(false);
    server.end(new Error('nothing came within 5 s'));
    await stopped;
    expect(world.logged).toContain(
      'not everything could be given up; others take it over once it has expired',
    );
    expect(world.lost).toEqual([]);
  });

  it('gives back what it wins while it ends', async () => {
    const [world, a] = await aWorldOf('a');
    await a!.stop();
    const server = new HangingServer();
    const answer = Promise.withResolvers<undefined>();
    const isWon = (name: string | null): boolean => name?.includes('replica') === false;
    const leases = leasesWhenAnswered(world.leases, (name) =>
      isWon(name) && server.isHanging ? answer.promise : Promise.resolve(),
    );
    const b = world.replica('b', { leases });
    server.isHanging = true;
    await world.start(b, 'b');
    await world.pass(1, 'b');
    const stopped = b.stop();
    server.isHanging = false;
    answer.resolve(undefined);
    await stopped;
    const held = (await world.leases.list()).filter(({ record }) => record.holder !== null);
    expect(held).toEqual([]);
    expect(world.began.filter((line) => line.startsWith('b'))).toEqual([]);
  });
});

describe('a replica of an API server that answers slowly', () => {
  it('keeps what it holds as long as its renewals are answered, however long looks and announcements take', async () => {
    const world = new ElectedWorld();
    const waiting: { readonly at: number; readonly done: () => void }[] = [];
    let second = 0;
    let isSlow = false;
    const leases = leasesWhenAnswered(world.leases, (name) => {
      const isRenewal = name !== null && !name.includes('replica');
      if (!isSlow || isRenewal) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ at: second + 11, done: () => resolve(undefined) }));
    });
    const a = world.replica('a', { leases });
    await world.start(a, 'a');
    await world.pass(3, 'a');
    isSlow = true;
    for (; second < 60; second += 1) {
      for (const { at, done } of waiting) if (at <= second) done();
      await world.pass(1, 'a');
      expect([second, world.lost, shards.every((scope) => a.mayWrite(scope))]).toEqual([second, [], true]);
    }
    isSlow = false;
    await a.stop();
  });
});
