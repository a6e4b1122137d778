import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { away, ElectedWorld, inTheWay, whenAnswered } from '../election/testing/elected-world.ts';

const refused = new AdapterError({ code: 'Forbidden', message: 'may not update', retryable: false });

const leasesFail = 'the Leases could not be looked at or renewed';
const leasesWork = 'the Leases are looked at and renewed again';

describe('what a replica says of an outage', () => {
  it('is not that it is over while Leases can be looked at and not renewed', async () => {
    const world = new ElectedWorld();
    let isRefused = false;
    const leases = inTheWay(world.leases, (write) => (isRefused ? Promise.reject(refused) : write()));
    const a = world.replica('a', { leases });
    await world.start(a, 'a');
    await world.pass(3, 'a');
    world.logged.length = 0;
    isRefused = true;
    await world.pass(5, 'a');
    expect([world.logged, a.leasesFailingSince]).toEqual([[leasesFail], expect.any(String)]);
    isRefused = false;
    await world.pass(3, 'a');
    expect([world.logged, a.leasesFailingSince, world.lost]).toEqual([[leasesFail, leasesWork], null, []]);
    await a.stop();
  });

  it('is that writes are refused as of a former version again and again, though nobody changes the Leases', async () => {
    const world = new ElectedWorld();
    let isRefused = false;
    const leases = inTheWay(world.leases, (write) =>
      isRefused ? Promise.resolve({ kind: 'Conflict' }) : write(),
    );
    const a = world.replica('a', { leases });
    await world.start(a, 'a');
    await world.pass(3, 'a');
    world.logged.length = 0;
    isRefused = true;
    await world.pass(6, 'a');
    expect([world.logged, a.leasesFailingSince]).toEqual([[leasesFail], expect.any(String)]);
    expect(world.logFields.at(-1)).toEqual({
      reason: expect.stringMatching(/^plimsoll-.* is refused \(409\)/),
    });
    expect(a.leasesFailure).toMatch(
      /^the Leases could not be looked at or renewed: plimsoll-.* is refused \(409\)/,
    );
    isRefused = false;
    await world.pass(3, 'a');
    expect([world.logged, a.leasesFailingSince, world.lost]).toEqual([[leasesFail, leasesWork], null, []]);
    await a.stop();
  });

  it('is that none can be made, also where it never held one', async () => {
    const world = new ElectedWorld();
    const leases = inTheWay(world.leases, () => Promise.resolve({ kind: 'Conflict' }));
    const a = world.replica('a', { leases });
    await world.start(a, 'a');
    await world.pass(6, 'a');
    const untaken = world.logged.indexOf('a scope could not be taken');
    expect(world.logged).toContain(leasesFail);
    expect(world.logFields[untaken]).toMatchObject({ lease: expect.stringMatching(/^plimsoll-/) });
    expect(a.leasesFailingSince).not.toBeNull();
    await a.stop();
  });

  it('is once for all scopes that none can be taken, however long, and once that they can', async () => {
    const world = new ElectedWorld();
    let isAway = false;
    const leases = inTheWay(world.leases, (write) => (isAway ? Promise.reject(away) : write()));
    const a = world.replica('a', { leases });
    await world.start(a, 'a');
    isAway = true;
    await world.pass(600, 'a');
    const ofScopes = (): readonly string[] => world.logged.filter((line) => line.includes('be taken'));
    expect(ofScopes()).toEqual(['a scope could not be taken']);
    isAway = false;
    await world.pass(10, 'a');
    expect(ofScopes()).toEqual(['a scope could not be taken', 'no scope fails to be taken any more']);
    await a.stop();
  });

  it('is nothing where two make the same Lease at once', async () => {
    const world = new ElectedWorld();
    const a = world.replica('a');
    const b = world.replica('b');
    await Promise.all([world.start(a, 'a'), world.start(b, 'b')]);
    await world.pass(20, 'a', 'b');
    expect(world.logged.filter((line) => line === leasesFail || line.includes('could not'))).toEqual([]);
    await Promise.all([a.stop(), b.stop()]);
  });

  it('is not that scopes alone could not be renewed where it holds none', async () => {
    const world = new ElectedWorld();
    const a = world.replica('a', { fences: whenAnswered(world.fences, () => Promise.reject(away)) });
    await world.start(a, 'a');
    await world.pass(6, 'a');
    expect(world.logged).toContain('the number of shards could not be read, or the scopes renewed');
    expect(a.failingSince).not.toBeNull();
    await a.stop();
  });
});
