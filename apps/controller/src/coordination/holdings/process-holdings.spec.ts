import { beforeEach, describe, expect, it } from '@jest/globals';
import { AdapterError, ok } from '#kernel';
import { administrationScope, shardScope } from '#ledger';
import { InMemoryFences } from '#ledger/testing';
import { ProcessHoldings, type ProcessHoldingsOptions } from './process-holdings.ts';

const scopes = [administrationScope, shardScope(0)];

/** A clock that passes when a test says so. */
class Waits {
  readonly #waiting = new Set<() => void>();

  readonly wait = (_seconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (): void => {
        this.#waiting.delete(done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', () => {
        this.#waiting.delete(done);
        reject(signal.reason as Error);
      });
    });

  /** Ends every wait, and lets what follows from that happen. */
  async pass(): Promise<void> {
    for (const done of [...this.#waiting]) done();
    await new Promise(setImmediate);
  }
}

interface World {
  readonly port: InMemoryFences;
  readonly lost: string[];
  readonly logged: string[];
  readonly waits: Waits;
  readonly process: (name: string, port?: ProcessHoldingsOptions['port']) => ProcessHoldings;
}

function aWorld(): World {
  const port = new InMemoryFences();
  const logged: string[] = [];
  const waits = new Waits();
  const log = (_fields: object, message: string): void => void logged.push(message);
  return {
    port,
    lost: [],
    logged,
    waits,
    process: (_name, given = port) =>
      new ProcessHoldings({ port: given, logger: { info: log, warn: log }, wait: waits.wait }),
  };
}

describe('the fences of a process', () => {
  let world: World;
  const { signal } = new AbortController();

  beforeEach(() => {
    world = aWorld();
  });

  const acquire = (fences: ProcessHoldings, name: string, until = signal): Promise<void> =>
    fences.acquire(scopes, () => world.lost.push(name), until);

  it('are taken at once where they are free, and renewed', async () => {
    const first = world.process('first');
    expect(first.role).toBe('standby');
    await acquire(first, 'first');
    expect(first.role).toBe('active');
    for (let round = 0; round < 10; round += 1) {
      world.port.advance(2);
      await world.waits.pass();
    }
    expect(world.port.isInForce(first.of(shardScope(0)))).toBe(true);
    expect(await world.port.take(scopes, 'another')).toMatchObject({ ok: false });
    expect(() => first.of('source/none')).toThrow('does not hold');
  });

  it('make it lead once it has read what is stored, and until it gives them up', async () => {
    const first = world.process('first');
    await acquire(first, 'first');
    expect([first.role, first.isLeader]).toEqual(['active', false]);
    first.lead();
    expect(first.isLeader).toBe(true);
    await first.giveUp();
    await acquire(first, 'first');
    expect([first.role, first.isLeader]).toEqual(['active', false]);
  });

  it('are more of them once it follows a further source, unless another process holds that', async () => {
    const first = world.process('first');
    await acquire(first, 'first');
    const since = first.heldSince(shardScope(0));
    expect(Date.parse(since ?? '')).toBeLessThanOrEqual(Date.now());
    await world.port.take(['source/theirs'], 'another');
    await first.extend(['source/ours', shardScope(0)]);
    expect([first.heldSince(shardScope(0)), first.heldSince('source/theirs')]).toEqual([since, null]);
    expect(first.heldSince('source/ours')).not.toBeNull();
    await expect(first.extend(['source/theirs'])).rejects.toMatchObject({ code: 'Fenced' });
    for (let round = 0; round < 10; round += 1) {
      world.port.advance(2);
      await world.waits.pass();
    }
    expect(world.port.isInForce(first.of('source/ours'))).toBe(true);
    expect(world.port.isInForce(first.of(shardScope(0)))).toBe(true);
    expect(() => first.of('source/theirs')).toThrow('does not hold');
    await first.giveUp();
    expect(first.heldSince(shardScope(0))).toBeNull();
    expect(await world.port.take(['source/ours'], 'another')).toMatchObject({ ok: true });
  });

  it('are never taken from a process that renews them', async () => {
    const [first, second] = [world.process('first'), world.process('second')];
    await acquire(first, 'first');
    const waiting = acquire(second, 'second');
    for (let round = 0; round < 20; round += 1) {
      world.port.advance(2);
      await world.waits.pass();
    }
    expect([first.role, second.role, world.lost]).toEqual(['active', 'standby', []]);
    await first.giveUp();
    expect(first.role).toBe('standby');
    await world.waits.pass();
    await waiting;
    expect(second.role).toBe('active');
  });

  it('are lost by a process that was stopped for longer than they last, which then competes again', async () => {
    const [first, second] = [world.process('first'), world.process('second')];
    await acquire(first, 'first');
    world.port.advance(15);
    await acquire(second, 'second');
    await world.waits.pass();
    expect([first.role, second.role, world.lost]).toEqual(['fenced', 'active', ['first']]);
    expect(() => first.of(shardScope(0))).toThrow('does not hold');
    await first.giveUp();
    expect(first.role).toBe('fenced');
    const again = acquire(first, 'first');
    await world.waits.pass();
    expect(first.role).toBe('fenced');
    await second.giveUp();
    await world.waits.pass();
    await again;
    expect([first.role, second.role]).toEqual(['active', 'standby']);
  });

  it('are no right to write once they could not be renewed for two thirds of what they last', async () => {
    let now = 0;
    let isDown = false;
    const port: ProcessHoldingsOptions['port'] = {
      take: (wanted, holder) => world.port.take(wanted, holder),
      renew: (fences) =>
        isDown
          ? Promise.reject(new AdapterError({ code: 'ConnectionFailed', message: 'away', retryable: true }))
          : world.port.renew(fences),
      giveUp: () => Promise.resolve(),
    };
    const log = (): void => undefined;
    const logger = { info: log, warn: log };
    const first = new ProcessHoldings({ port, logger, wait: world.waits.wait, elapsed: () => now });
    await acquire(first, 'first');
    const right = (): boolean => first.mayWrite(shardScope(0));
    isDown = true;
    now = 9_999;
    await world.waits.pass();
    expect([right(), first.mayWrite('source/none')]).toEqual([true, false]);
    now = 10_000;
    expect([right(), first.holds(shardScope(0))]).toEqual([false, true]);
    isDown = false;
    await world.waits.pass();
    expect(right()).toBe(true);
    await first.giveUp();
    expect(right()).toBe(false);
  });

  it('are kept while the database does not answer, until it says that they are lost', async () => {
    let isDown = false;
    const down = new AdapterError({ code: 'ConnectionFailed', message: 'away', retryable: true });
    const port: ProcessHoldingsOptions['port'] = {
      take: (wanted, holder) => world.port.take(wanted, holder),
      renew: (fences) => (isDown ? Promise.reject(down) : world.port.renew(fences)),
      giveUp: () => Promise.reject(down),
    };
    const first = world.process('first', port);
    await acquire(first, 'first');
    isDown = true;
    await world.waits.pass();
    expect(first.role).toBe('active');
    isDown = false;
    world.port.advance(60);
    await world.waits.pass();
    expect(first.role).toBe('active');
    await first.giveUp();
    expect(world.logged).toEqual([
      'could not renew the scopes',
      'the scopes are renewed again',
      'the scopes were not given up; another process waits until they expire',
    ]);
  });

  it('are waited for until the process ends', async () => {
    await acquire(world.process('first'), 'first');
    const ending = new AbortController();
    const waiting = acquire(world.process('second'), 'second', ending.signal);
    await world.waits.pass();
    ending.abort(new Error('the end'));
    await expect(waiting).rejects.toThrow('the end');
  });

  it('are asked for again while the database does not answer a process that waits, which is said once', async () => {
    let isDown = false;
    const down = new AdapterError({ code: 'ConnectionFailed', message: 'away', retryable: true });
    const first = world.process('first');
    await acquire(first, 'first');
    const second = world.process('second', {
      take: (wanted, holder) => (isDown ? Promise.reject(down) : world.port.take(wanted, holder)),
      renew: (fences) => world.port.renew(fences),
      giveUp: (fences) => world.port.giveUp(fences),
    });
    const taken = acquire(second, 'second');
    await world.waits.pass();
    expect(second.failingSince).toBeNull();
    isDown = true;
    await world.waits.pass();
    await world.waits.pass();
    expect([second.failingSince, second.failure]).toEqual([
      expect.any(String),
      'could not ask for the scopes: away',
    ]);
    isDown = false;
    await first.giveUp();
    await world.waits.pass();
    await taken;
    expect([second.role, second.failingSince, second.failure]).toEqual(['active', null, null]);
    expect(world.logged).toEqual([
      'another process carries policies out; waiting for it to end',
      'could not ask for the scopes',
      'the scopes are asked for again',
    ]);
  });

  it('fail the start where the database fails at the first attempt only', async () => {
    let attempts = 0;
    const port: ProcessHoldingsOptions['port'] = {
      take: () => {
        attempts += 1;
        return Promise.reject(new AdapterError({ code: 'Timeout', message: 'none', retryable: true }));
      },
      renew: () => Promise.resolve(ok(undefined)),
      giveUp: () => Promise.resolve(),
    };
    await expect(acquire(world.process('first', port), 'first')).rejects.toMatchObject({ code: 'Timeout' });
    expect(attempts).toBe(1);
  });
});
