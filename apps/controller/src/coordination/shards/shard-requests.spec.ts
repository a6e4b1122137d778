import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ShardRequest } from '#adapter-sql';
import { AdapterError, type Json } from '#kernel';
import { administrationScope, shardScope } from '#ledger';
import { FakeClock } from '#reconciliation/testing';
import { type RequestAnswer, ShardRequests } from './shard-requests.ts';

/** The table of requests, which all replicas share. */
class Requests {
  readonly rows: (ShardRequest & { answer: Json | undefined })[] = [];

  ask(requests: readonly ShardRequest[]): Promise<void> {
    this.rows.push(...requests.map((request) => ({ ...request, answer: undefined })));
    return Promise.resolve();
  }

  tell(id: string, request: Json): Promise<void> {
    return this.ask([{ id, scope: administrationScope, request }]);
  }

  unanswered(scopes: readonly string[]): Promise<readonly ShardRequest[]> {
    return Promise.resolve(
      this.rows.filter(({ scope, answer }) => answer === undefined && scopes.includes(scope)),
    );
  }

  answer(id: string, answer: Json): Promise<void> {
    const row = this.rows.find((each) => each.id === id);
    if (row !== undefined) row.answer = answer;
    return Promise.resolve();
  }

  answers(ids: readonly string[]): Promise<ReadonlyMap<string, Json>> {
    const found = this.rows.filter(({ id }) => ids.includes(id));
    return Promise.resolve(
      new Map(found.flatMap(({ id, answer }) => (answer === undefined ? [] : [[id, answer] as const]))),
    );
  }
}

describe('requests to the holders of shards', () => {
  let clock: FakeClock;
  let store: Requests;
  let said: string[];

  const aReplica = (...shards: readonly number[]): ShardRequests => replicaWith(shards, false);
  const replicaWith = (shards: readonly number[], isLeader: boolean): ShardRequests =>
    new ShardRequests({
      store,
      shards: { held: shards.map((shard) => ({ scope: shardScope(shard), epoch: 1n, holder: 'this' })) },
      holdings: { of: (scope) => ({ scope, epoch: 1n, holder: 'the leader' }) },
      leadership: { isLeader: () => isLeader },
      clock,
      logger: {
        info: (_, message) => void said.push(message),
        warn: (_, message) => void said.push(message),
      },
    });

  beforeEach(() => {
    clock = new FakeClock();
    store = new Requests();
    said = [];
  });

  it('are carried out by the replica that holds the shard, and answered at once', async () => {
    const [leader, holder] = [aReplica(0), aReplica(1, 2)];
    holder.handle((request, shard) => Promise.resolve({ done: request, shard }));
    const answered = leader.ask(
      new Map([
        [1, 'a'],
        [2, 'b'],
      ]),
    );
    await turn();
    await holder.look();
    await holder.end();
    await leader.look();
    expect(await answered).toEqual(
      new Map([
        [1, done({ done: 'a', shard: 1 })],
        [2, done({ done: 'b', shard: 2 })],
      ]),
    );
    await holder.look();
    expect([store.rows.length, clock.pending]).toEqual([2, 0]);
  });

  it('that are read and cannot be answered are told of once, also by one that is asked for nothing meanwhile', async () => {
    const readOnly = new AdapterError({ code: 'ReadOnly', message: 'a standby', retryable: true });
    const held: number[] = [1];
    const holder = replicaWith(held, false);
    store.answer = () => Promise.reject(readOnly);
    await store.ask([{ id: 'one', scope: shardScope(1), request: 'a' }]);
    for (let look = 0; look < 3; look += 1) {
      await holder.look();
      await turn();
    }
    expect(said).toEqual(['what other processes ask for could not be answered']);
    const without = aReplica();
    store.unanswered = () => Promise.reject(readOnly);
    await without.look();
    await holder.look();
    expect(said.slice(1)).toEqual(['what other processes ask for could not be read']);
    await Promise.all([holder.end(), without.end()]);
  });

  it('to the leader are carried out by the process that leads, and by no other', async () => {
    const [leader, other, asking] = [replicaWith([0], true), aReplica(1), aReplica(2)];
    const told: Json[] = [];
    leader.handleAsLeader((request) => Promise.resolve(void told.push(request)).then(() => null));
    other.handleAsLeader(() => Promise.reject(new Error('not this one')));
    const isDone = asking.askLeader('three failed');
    await turn();
    for (const each of [other, leader, asking]) await each.look();
    await leader.end();
    await asking.look();
    expect([await isDone, told, said]).toEqual([true, ['three failed'], []]);
  });

  it('are answered without a notice, too', async () => {
    const [leader, holder] = [aReplica(), aReplica(1)];
    holder.handle(() => Promise.resolve('done'));
    const answered = leader.ask(new Map([[1, null]]));
    await turn();
    await holder.look();
    await turn();
    clock.advance(250);
    expect(await answered).toEqual(new Map([[1, done('done')]]));
  });

  it('are not waited for any longer than two seconds', async () => {
    const leader = aReplica();
    const answered = leader.ask(new Map([[1, 'a']]));
    for (let look = 0; look < 8; look += 1) {
      await turn();
      clock.advance(250);
    }
    expect(await answered).toEqual(new Map());
  });

  it.each(['ask', 'answers'] as const)(
    'are not waited for any longer where the database hangs over its %s, and what has come is told',
    async (call) => {
      const leader = aReplica();
      const hung = (): Promise<never> => new Promise(() => undefined);
      if (call === 'ask') store.ask = hung;
      else store.answers = hung;
      const asked = [leader.ask(new Map([[1, 'a']])), leader.askLeader('three failed')];
      await turn();
      clock.advance(1_999);
      await turn();
      const ended: unknown[] = [];
      for (const each of asked) void each.then((answer) => ended.push(answer));
      await turn();
      expect(ended).toEqual([]);
      clock.advance(1);
      expect(await Promise.all(asked)).toEqual([new Map(), false]);
      expect(clock.pending).toBe(0);
    },
  );

  it('that fail are answered with why, and one that hangs is in no other’s way', async () => {
    const [leader, holder] = [aReplica(), aReplica(1, 2, 3, 4)];
    const results = new Map<unknown, () => Promise<Json>>([
      [
        'fails',
        () => Promise.reject(new AdapterError({ code: 'Timeout', message: 'late', retryable: true })),
      ],
      ['is a bug', () => Promise.reject(new Error('of our own'))],
      ['hangs', () => new Promise(() => undefined)],
      ['works', () => Promise.resolve('done')],
    ]);
    let calls = 0;
    holder.handle((request) => {
      calls += 1;
      return results.get(request)!();
    });
    const answered = leader.ask(new Map([...results.keys()].map((name, index) => [index + 1, name as Json])));
    for (let look = 0; look < 9; look += 1) {
      await turn();
      await holder.look();
      clock.advance(250);
    }
    expect(await answered).toEqual(
      new Map([
        [1, { kind: 'Failed', message: 'late' }],
        [2, { kind: 'Failed', message: 'it failed' }],
        [4, done('done')],
      ]),
    );
    expect([calls, said]).toEqual([
      4,
      ['what another process asked for failed', 'what another process asked for failed'],
    ]);
  });

  it('are so many at a time, and those that nobody waits for any more do not count', async () => {
    const holder = aReplica(1);
    const begun: Json[] = [];
    holder.handle((request) => {
      begun.push(request);
      return new Promise(() => undefined);
    });
    await store.ask(
      Array.from({ length: 20 }, (_, index) => ({ id: String(index), scope: shardScope(1), request: index })),
    );
    await holder.look();
    await holder.look();
    expect(begun).toHaveLength(16);
    clock.advance(2_000);
    await holder.look();
    expect(begun).toHaveLength(20);
  });

  it('whose answers cannot be stored are carried out again', async () => {
    const holder = aReplica(1);
    await store.ask([{ id: 'one', scope: shardScope(1), request: null }]);
    holder.handle(() => Promise.resolve('done'));
    const answer = store.answer.bind(store);
    store.answer = () =>
      Promise.reject(new AdapterError({ code: 'Timeout', message: 'late', retryable: true }));
    await holder.look();
    await turn();
    expect(said).toHaveLength(1);
    store.answer = answer;
    await holder.look();
    await turn();
    expect(await store.answers(['one'])).toEqual(new Map([['one', done('done')]]));
  });
});

function done(answer: Json): RequestAnswer {
  return { kind: 'Done', answer };
}
