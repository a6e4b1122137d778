import { describe, expect, it } from '@jest/globals';
import type { ChangeListener } from '#adapter-sql';
import { FakeClock } from '#reconciliation/testing';
import { DatabaseFollower, type DatabaseFollowerOptions } from './database-follower.ts';

const part = { look: () => Promise.resolve(), end: () => Promise.resolve(), share: () => undefined };

function aFollower(given: Partial<DatabaseFollowerOptions>) {
  const followed: string[] = [];
  const note = (what: string) => (): Promise<void> => Promise.resolve(void followed.push(what));
  const follower = new DatabaseFollower({
    watchChanges: () => () => ({ close: () => Promise.resolve() }),
    versions: () => Promise.resolve(new Map()),
    followSource: (source) => note(`source ${source}`)(),
    followInterventions: note('interventions'),
    followLooks: note('looks'),
    refreshTokens: note('tokens'),
    tail: part,
    losses: part,
    requests: part,
    compareStored: () => Promise.resolve(),
    leadership: { isLeader: () => true },
    schedule: () => () => undefined,
    logger: { info: () => undefined, warn: () => undefined },
    ...given,
  });
  return { follower, followed };
}

describe('a process that becomes the leader', () => {
  it('takes over what the last leader stored since it looked last, once the look under way has ended', async () => {
    let isLeader = false;
    const look = Promise.withResolvers<ReadonlyMap<string, string>>();
    const { follower, followed } = aFollower({
      leadership: { isLeader: () => isLeader },
      versions: () => look.promise,
    });
    follower.start();
    isLeader = true;
    const caughtUp = follower.catchUp();
    await Promise.resolve();
    expect(followed).toEqual([]);
    look.resolve(new Map([['interventions', '2']]));
    await caughtUp;
    expect(followed).toEqual(['interventions', 'looks']);
    await follower.stop();
  });

  it('fails to lead where that cannot be read', async () => {
    const away = new Error('the database is away');
    const { follower } = aFollower({ followInterventions: () => Promise.reject(away) });
    follower.start();
    await expect(follower.catchUp()).rejects.toThrow('away');
    await follower.stop();
  });

  it('has followed nothing where it has the database for itself', async () => {
    const { follower, followed } = aFollower({ watchChanges: () => null });
    follower.start();
    await follower.catchUp();
    expect(followed).toEqual([]);
    await follower.stop();
  });

  it('does not say that what it could not read is read again, which it has not tried', async () => {
    let isLeader = false;
    const said: string[] = [];
    const log = (_fields: object, message: string): void => void said.push(message);
    const { follower } = aFollower({
      leadership: { isLeader: () => isLeader },
      versions: () => Promise.reject(new Error('the database is away')),
      logger: { info: log, warn: log },
    });
    follower.start();
    await follower.catchUp();
    isLeader = true;
    await follower.catchUp();
    expect(said).toEqual(['what other processes stored could not be read']);
    await follower.stop();
  });
});

describe('a process that follows what others store', () => {
  const versions = (found: Readonly<Record<string, string>>) => new Map(Object.entries(found));
  const notLeading = { leadership: { isLeader: () => false } };

  /** What a database tells of: each call is a notice. */
  function aNoticedFollower(given: Partial<DatabaseFollowerOptions>) {
    const listeners: ChangeListener[] = [];
    const watchChanges = () => (listener: ChangeListener) => {
      listeners.push(listener);
      return { close: () => Promise.resolve() };
    };
    const made = aFollower({ ...notLeading, watchChanges, ...given });
    return { ...made, notice: () => listeners[0]?.onChange('Interventions') };
  }

  it('takes a suspension over while a source is being followed, and while another cannot be', async () => {
    let found = versions({
      'source/broken': '1',
      'source/large': '1',
      'source/small': '1',
      interventions: '1',
    });
    const large = Promise.withResolvers<undefined>();
    const followed: string[] = [];
    const { follower, notice } = aNoticedFollower({
      versions: () => Promise.resolve(found),
      followInterventions: () => Promise.resolve(void followed.push('interventions')),
      followSource: async (source) => {
        followed.push(source);
        if (source === 'broken') throw new Error('it cannot be read');
        if (source === 'large') await large.promise;
      },
    });
    follower.start();
    await settled();
    expect(followed).toEqual(['interventions', 'broken', 'large']);
    found = versions({ ...Object.fromEntries(found), interventions: '2' });
    notice();
    await settled();
    expect(followed).toEqual(['interventions', 'broken', 'large', 'interventions']);
    large.resolve(undefined);
    await settled();
    expect(followed.slice(4)).toEqual(['small', 'broken']);
    await follower.stop();
  });

  it('tries what failed again with the next look, and nothing else, and says so once', async () => {
    const found = versions({
      'source/broken': '1',
      'source/sound': '1',
      'look/sound': '1',
      interventions: '1',
    });
    const followed: string[] = [];
    const said: unknown[] = [];
    let isBroken = true;
    const { follower, notice } = aNoticedFollower({
      versions: () => Promise.resolve(found),
      followInterventions: () => Promise.resolve(void followed.push('interventions')),
      followLooks: () => Promise.resolve(void followed.push('looks')),
      followSource: async (source) => {
        followed.push(source);
        if (source === 'broken' && isBroken) throw new Error('its row is no JSON');
        return Promise.resolve();
      },
      logger: {
        info: (_fields, message) => void said.push(message),
        warn: (fields, message) => void said.push([message, fields]),
      },
    });
    follower.start();
    await settled();
    expect(followed).toEqual(['interventions', 'looks', 'broken', 'sound']);
    notice();
    await settled();
    isBroken = false;
    notice();
    await settled();
    notice();
    await settled();
    expect(followed.slice(4)).toEqual(['broken', 'broken']);
    expect(said).toEqual([
      ['sources that other processes stored could not be read', { reason: 'broken: its row is no JSON' }],
      'sources that other processes store are read again',
    ]);
    await follower.stop();
  });

  it('looks for all changes each second where no notice comes, until it is stopped', async () => {
    const clock = new FakeClock();
    const looks: string[] = [];
    const counted = (what: string) => ({
      ...part,
      look: () => Promise.resolve(void looks.push(what)),
    });
    const { follower } = aFollower({
      ...notLeading,
      schedule: (milliseconds, callback) => clock.schedule(milliseconds, callback),
      versions: () => {
        looks.push('versions');
        return Promise.resolve(versions({}));
      },
      tail: counted('entries'),
      losses: counted('losses'),
      requests: counted('requests'),
    });
    const all = ['versions', 'entries', 'losses', 'requests'];
    follower.start();
    expect(looks).toEqual(all);
    for (const second of [2, 3, 4]) {
      await settled();
      clock.advance(999);
      expect(looks).toHaveLength(all.length * (second - 1));
      clock.advance(1);
      expect(looks.toSorted()).toEqual(
        Array.from({ length: second }, () => all)
          .flat()
          .toSorted(),
      );
    }
    await follower.stop();
    expect(clock.pending).toBe(0);
  });

  it.each([true, false])(
    'compares what it has stored when connections come back, until it can: leads %s',
    async (isLeader) => {
      const clock = new FakeClock();
      const listeners: ChangeListener[] = [];
      let compared = 0;
      const { follower } = aFollower({
        leadership: { isLeader: () => isLeader },
        watchChanges: () => (listener) => {
          listeners.push(listener);
          return { close: () => Promise.resolve() };
        },
        schedule: (milliseconds, callback) => clock.schedule(milliseconds, callback),
        compareStored: () => {
          compared += 1;
          return compared === 1 ? Promise.reject(new Error('away')) : Promise.resolve();
        },
      });
      follower.start();
      const seen: number[] = [];
      for (const isBack of [false, true, false, false]) {
        if (isBack) listeners[0]?.onReturn();
        await settled();
        clock.advance(1_000);
        await settled();
        seen.push(compared);
      }
      expect(seen).toEqual([0, 1, 2, 2]);
      await follower.stop();
    },
  );

  it('follows no further source once it leads', async () => {
    let isLeader = false;
    const first = Promise.withResolvers<undefined>();
    const { follower, followed } = aFollower({
      leadership: { isLeader: () => isLeader },
      versions: () => Promise.resolve(versions({ 'source/one': '1', 'source/other': '1' })),
      followSource: async (source) => {
        followed.push(source);
        await first.promise;
      },
    });
    follower.start();
    await settled();
    isLeader = true;
    first.resolve(undefined);
    await follower.catchUp();
    expect(followed).toEqual(['one', 'interventions', 'looks']);
    await follower.stop();
  });
});

/** All that needs nothing but promises has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
