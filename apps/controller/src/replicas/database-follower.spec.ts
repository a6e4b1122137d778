import { describe, expect, it } from '@jest/globals';
import { DatabaseFollower, type DatabaseFollowerOptions } from './database-follower.ts';

const part = { look: () => Promise.resolve(), end: () => Promise.resolve(), share: () => undefined };

function aFollower(given: Partial<DatabaseFollowerOptions>) {
  const followed: string[] = [];
  const note = (what: string) => (): Promise<void> => Promise.resolve(void followed.push(what));
  const follower = new DatabaseFollower({
    watchChanges: () => () => ({ close: () => Promise.resolve() }),
    versions: () => Promise.resolve(new Map()),
    followSources: note('sources'),
    followInterventions: note('interventions'),
    followLooks: note('looks'),
    refreshTokens: note('tokens'),
    tail: part,
    losses: part,
    requests: part,
    leadership: { isLeader: () => true },
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
