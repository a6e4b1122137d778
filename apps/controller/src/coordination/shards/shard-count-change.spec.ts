import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import {
  administrationScope,
  adminStream,
  type EntryDraft,
  type Fence,
  LedgerWriter,
  shardLayoutScope,
  shardScope,
} from '#ledger';
import { InMemoryLedger, InMemoryShardLayout, takeFence } from '#ledger/testing';
import { ShardCountChange, type ShardCountOutcome } from './shard-count-change.ts';

const record: EntryDraft = {
  stream: adminStream,
  kind: 'OperatorAction',
  time: '2026-11-23T07:00:00.000Z',
  payload: { actor: 'ada', action: 'ChangeShardCount', outcome: 'Accepted', reason: 'eight', arguments: {} },
};
const all = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, shard) => shardScope(shard));

/** A leader, whose clock passes whenever something waits for it. */
async function aLeader() {
  const ledger = new InMemoryLedger();
  const { fences } = ledger;
  const layout = new InMemoryShardLayout(ledger);
  const administration = await takeFence(fences, { scope: administrationScope, holder: 'leader' });
  const writer = new LedgerWriter({ port: ledger, cluster: 'test', fence: administration });
  const logged: string[] = [];
  const log = (_fields: object, message: string): void => void logged.push(message);
  let now = 0;
  let onWait: () => void = () => undefined;
  const change = new ShardCountChange({
    holdings: { of: () => administration },
    fences,
    holders: {
      list: async () =>
        (await fences.look(all(64))).map(({ scope, epoch, holder }) => ({
          scope,
          epoch,
          holder: fences.isRenewed(scope) ? holder : null,
          since: null,
        })),
    },
    writer,
    shards: {
      readLayout: async () => {
        const { shardCount, isChanging } = await layout.read();
        return { shardCount: shardCount ?? 16, isChanging };
      },
    },
    clock: {
      monotonicMilliseconds: () => now,
      schedule: (milliseconds, callback) => {
        now += milliseconds;
        onWait();
        queueMicrotask(callback);
        return () => undefined;
      },
    },
    logger: { info: log, warn: log },
  });
  const whenWaiting = (act: () => void): void => void (onWait = act);
  const to = (count: number): Promise<ShardCountOutcome> => change.to(count, record);
  return { ledger, fences, layout, change, to, whenWaiting, logged };
}

async function holdersOf(fences: InMemoryLedger['fences']): Promise<readonly string[]> {
  const seen = await fences.look([shardLayoutScope, ...all(64)]);
  return seen.flatMap(({ scope, holder }) => (holder === null ? [] : [scope]));
}

describe('a change of the number of shards', () => {
  it('stores the number with its record once all shards of both are given up, and leaves all free', async () => {
    const { ledger, fences, layout, to, whenWaiting } = await aLeader();
    const shard = await takeFence(fences, { scope: shardScope(7), holder: 'replica' });
    let seen: unknown;
    whenWaiting(() => {
      seen = fences.isRenewed(shardLayoutScope);
      void fences.giveUp([shard]);
    });
    expect(await to(32)).toEqual({ kind: 'Changed' });
    expect(seen).toBe(true);
    expect(await layout.read()).toEqual({ shardCount: 32, isChanging: false });
    expect(ledger.entriesInOrder.map(({ kind }) => kind)).toEqual(['OperatorAction']);
    expect(await holdersOf(fences)).toEqual([]);
  });

  it('fences whoever believes in the number before, of both numbers’ shards', async () => {
    const { fences, to } = await aLeader();
    await to(4);
    const epochs = (await fences.look(all(17))).map(({ epoch }) => epoch);
    expect(epochs).toEqual([...Array.from({ length: 16 }, () => 1n), 0n]);
    await to(20);
    expect((await fences.look(all(21))).map(({ epoch }) => epoch)).toEqual([
      ...Array.from({ length: 4 }, () => 2n),
      ...Array.from({ length: 12 }, () => 2n),
      ...Array.from({ length: 4 }, () => 1n),
      0n,
    ]);
  });

  it('is given up where a shard is not given up in time, which is named, and changes nothing', async () => {
    const { ledger, fences, layout, to } = await aLeader();
    const shard = await takeFence(fences, { scope: shardScope(7), holder: 'replica' });
    expect(await to(32)).toEqual({ kind: 'Held', scopes: [shardScope(7)] });
    expect(await layout.read()).toEqual({ shardCount: null, isChanging: false });
    expect([ledger.entriesInOrder, fences.isInForce(shard), await holdersOf(fences)]).toEqual([
      [],
      true,
      [shardScope(7)],
    ]);
  });

  it('names no shard whose holder is gone and whose fence has expired', async () => {
    const { fences, to } = await aLeader();
    await takeFence(fences, { scope: shardScope(3), holder: 'gone' });
    fences.advance(15);
    await takeFence(fences, { scope: shardScope(7), holder: 'replica' });
    expect(await to(32)).toEqual({ kind: 'Held', scopes: [shardScope(7)] });
  });

  it('is one at a time, and none of a process that does not lead any more', async () => {
    const { fences, layout, to } = await aLeader();
    const other: Fence = await takeFence(fences, { scope: shardLayoutScope, holder: 'other' });
    expect(await to(8)).toEqual({ kind: 'UnderWay' });
    await fences.giveUp([other]);
    fences.takeOver(administrationScope);
    await expect(to(8)).rejects.toMatchObject({ code: 'Fenced' });
    expect(await layout.read()).toEqual({ shardCount: null, isChanging: false });
    expect(await holdersOf(fences)).toEqual([]);
  });

  it.each([
    { name: 'when it has asked for the shards', step: 1, count: null },
    { name: 'when it has taken the shards', step: 2, count: null },
    { name: 'when the number is stored', step: 3, count: 32 },
  ])(
    'leaves one number or the other $name and is killed, and what it held expires',
    async ({ step, count }) => {
      const { fences, ledger, layout, change } = await aLeader();
      const killed = new AdapterError({ code: 'Closed', message: 'killed', retryable: false });
      let taken = 0;
      const take = fences.take.bind(fences);
      fences.take = async (scopes, holder) => {
        if (taken >= step) throw killed;
        taken += 1;
        return take(scopes, holder);
      };
      const append = ledger.append.bind(ledger);
      if (step === 2) ledger.append = () => Promise.reject(killed);
      else ledger.append = append;
      const giveUp = fences.giveUp.bind(fences);
      fences.giveUp = () => Promise.reject(killed);
      await change.to(32, record).catch(() => undefined);
      fences.giveUp = giveUp;
      expect((await layout.read()).shardCount).toBe(count);
      fences.advance(15);
      expect((await layout.read()).isChanging).toBe(false);
      fences.take = take;
      expect(await fences.take(all(32), 'replica')).toMatchObject({ ok: true });
    },
  );
});
