import { describe, expect, it } from '@jest/globals';
import { SealedCookies } from './sessions.ts';

const claims = { sub: 'ann' };

interface World {
  readonly cookies: SealedCookies;
  readonly told: string[];
  secret: string | undefined | Error;
  now: number;
}

function aWorld(secret: string | undefined | Error): World {
  const told: string[] = [];
  const loadSecret = (): Promise<string | undefined> =>
    world.secret instanceof Error ? Promise.reject(world.secret) : Promise.resolve(world.secret);
  const onUnreadable = (reason: string): void => void told.push(reason);
  const cookies = new SealedCookies({ loadSecret, onUnreadable }, () => world.now);
  const world: World = { cookies, told, secret, now: 0 };
  return world;
}

async function aSession({ cookies }: World): Promise<string> {
  return (await cookies.seal('session', claims, 3_600)) ?? '';
}

describe('cookies that are sealed by a secret', () => {
  it('are opened no more ten seconds after it was replaced', async () => {
    const world = aWorld('one secret');
    const session = await aSession(world);
    world.secret = 'another one';
    world.now = 9_999;
    expect(await world.cookies.open('session', session)).toMatchObject(claims);
    world.now = 10_000;
    expect(await world.cookies.open('session', session)).toBeUndefined();
    expect(await world.cookies.open('session', await aSession(world))).toMatchObject(claims);
  });

  it('are opened on while it cannot be read, which is told once', async () => {
    const world = aWorld('one secret');
    const session = await aSession(world);
    world.secret = new Error('there is no file');
    for (world.now = 10_000; world.now < 60_000; world.now += 10_000)
      expect(await world.cookies.open('session', session)).toMatchObject(claims);
    expect(world.told).toEqual(['there is no file']);
  });

  it('are neither sealed nor opened before it could be read', async () => {
    const world = aWorld(new Error('there is no file'));
    await world.cookies.readAhead();
    expect(world.told).toEqual(['there is no file']);
    await expect(aSession(world)).rejects.toMatchObject({
      problem: { status: 503, code: 'SessionsUnavailable' },
    });
    world.secret = 'one secret';
    expect(await world.cookies.open('session', await aSession(world))).toMatchObject(claims);
  });

  it('are opened for as long as the process runs where none is shared', async () => {
    const world = aWorld(undefined);
    const session = await aSession(world);
    world.now = 60_000;
    expect(await world.cookies.open('session', session)).toMatchObject(claims);
    expect(await aWorld(undefined).cookies.open('session', session)).toBeUndefined();
  });
});
