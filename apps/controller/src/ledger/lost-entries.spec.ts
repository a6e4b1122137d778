import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { administrationScope, emptyHead, type Fence, shardScope } from '#ledger';
import { FakeClock } from '#reconciliation/testing';
import { LostEntriesGuard } from './lost-entries.ts';

const lost = { stored: { stream: 'sync', seq: 3n, hash: 'three' }, found: emptyHead('sync') };

/** A process that holds scopes, on a database that takes what it is asked for, or throws it. */
function aProcess(held: readonly Fence[], answers: readonly (true | Error)[] = []) {
  const clock = new FakeClock();
  const raised: (readonly [floor: bigint, scope: string])[] = [];
  const said: string[] = [];
  const log = (_fields: object, message: string): void => void said.push(message);
  const left = [...answers];
  const fences = new Map(held.map((fence) => [fence.scope, fence]));
  const guard = new LostEntriesGuard({
    epochs: {
      raiseEpochs: (floor, { scope }) => {
        raised.push([floor, scope]);
        const answer = left.shift() ?? true;
        return answer === true ? Promise.resolve(true) : Promise.reject(answer);
      },
    },
    holdings: { of: (scope) => fences.get(scope)!, holds: (scope) => fences.has(scope) },
    shards: { held: held.filter(({ scope }) => scope !== administrationScope) },
    clock,
    logger: { info: log, warn: log },
  });
  return { guard, clock, raised, said, fences };
}

const fence = (scope: string, epoch = 1n): Fence => ({ scope, epoch, holder: 'one' });
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a database that has lost entries', () => {
  it.each([
    { held: [fence(shardScope(1)), fence(administrationScope)], scope: administrationScope },
    { held: [fence(shardScope(1))], scope: shardScope(1) },
  ])('fences every process once, by what this one holds: $scope', async ({ held, scope }) => {
    const { guard, clock, raised, said } = aProcess(held);
    guard.note(lost);
    guard.note({ ...lost, stored: { ...lost.stored, stream: 'admin' } });
    await settled();
    expect(raised).toEqual([[BigInt(Math.floor(Date.parse(clock.now()) / 1_000)), scope]]);
    expect(said).toEqual(Array.from({ length: 2 }, () => 'the database has lost entries that it had stored'));
    expect(clock.pending).toBe(0);
  });

  it('is asked again until it takes that', async () => {
    const away = new AdapterError({ code: 'ConnectionFailed', message: 'away', retryable: true });
    const { guard, clock, raised, said } = aProcess([fence(administrationScope)], [away, away]);
    guard.note(lost);
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await settled();
      clock.advance(1_000);
    }
    expect(raised).toHaveLength(3);
    expect(said.slice(1)).toEqual([
      'what was read before the loss could not be fenced',
      'what was read before the loss is fenced',
    ]);
  });

  it('is left alone by a process that has lost what it held', async () => {
    const fenced = new AdapterError({ code: 'Fenced', message: 'taken over', retryable: false });
    const { guard, clock, raised, said, fences } = aProcess([fence(administrationScope)], [fenced]);
    guard.note(lost);
    await settled();
    fences.clear();
    clock.advance(1_000);
    await settled();
    expect([raised.length, said.length, clock.pending]).toEqual([1, 1, 0]);
  });

  it('is fenced by a process that held nothing at the first loss, and does at the next', async () => {
    const { guard, raised, fences } = aProcess([]);
    guard.note(lost);
    await settled();
    fences.set(administrationScope, fence(administrationScope));
    guard.note({ ...lost, stored: { ...lost.stored, stream: 'admin' } });
    await settled();
    expect(raised.map(([, scope]) => scope)).toEqual([administrationScope]);
  });

  it('has its epochs go on beyond all that it may have given out, however wrong the clock is', async () => {
    const { guard, raised } = aProcess([fence(administrationScope, 9_000_000_000n)]);
    guard.note(lost);
    await settled();
    expect(raised).toEqual([[9_001_000_000n, administrationScope]]);
  });
});
