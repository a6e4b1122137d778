import { describe, expect, it } from '@jest/globals';
import { ElectedWorld } from './testing/elected-world.ts';

const losses = { losses: 3, until: 60_000 };

describe('a replica that has lost what it held again and again', () => {
  it('leaves the shards and the lead to others for a while, says so, and takes its share afterwards', async () => {
    const world = new ElectedWorld();
    const [a, b] = [world.replica('a', { losses }), world.replica('b')];
    await world.start(b, 'b');
    await world.start(a, 'a');
    await world.pass(10, 'a', 'b');
    const taking = (): readonly boolean[] => b.replicas.map(({ takesShards }) => takesShards);
    expect([world.sharesOf(a, b), a.isLeader, b.isLeader, taking()]).toEqual([
      [0, 4],
      false,
      true,
      [false, true],
    ]);
    const said = world.logged.findIndex((line) =>
      line.startsWith('this replica has lost what it held again'),
    );
    expect(world.logFields[said]).toEqual({ losses: 3, milliseconds: 60_000 });
    await world.pass(40, 'a', 'b');
    expect(world.sharesOf(a, b)).toEqual([0, 4]);
    await world.pass(20, 'a', 'b');
    expect([world.sharesOf(a, b), taking(), world.lost]).toEqual([[2, 2], [true, true], []]);
    await Promise.all([a.stop(), b.stop()]);
  });

  it('takes all at once where no other takes shards: policies wait for nobody', async () => {
    const world = new ElectedWorld();
    const a = world.replica('a', { losses });
    await world.start(a, 'a');
    await world.pass(3, 'a');
    expect([world.sharesOf(a), a.isLeader]).toEqual([[4], true]);
    await a.stop();
  });

  it('takes what others leave for as long as a Lease lasts, and keeps it', async () => {
    const world = new ElectedWorld();
    const pending = Promise.withResolvers<never>();
    // It announces itself, and its attempts hang.
    const b = world.replica('b', {
      leases: {
        list: () => world.leases.list(),
        create: (name, record) =>
          name.includes('replica') ? world.leases.create(name, record) : pending.promise,
        update: (observed, record) => world.leases.update(observed, record),
        delete: (observed) => world.leases.delete(observed),
      },
    });
    const a = world.replica('a', { losses: { losses: 4, until: 600_000 } });
    await world.start(b, 'b');
    await world.start(a, 'a');
    await world.pass(12, 'a', 'b');
    expect(world.sharesOf(a)).toEqual([0]);
    await world.pass(8, 'a', 'b');
    expect([world.sharesOf(a), a.isLeader]).toEqual([[4], true]);
    await world.pass(60, 'a', 'b');
    expect([world.sharesOf(a), world.lost]).toEqual([[4], []]);
    await a.stop();
  });
});
