import { describe, expect, it } from '@jest/globals';
import { AdapterError, type Result } from '#kernel';
import {
  type AppendBatch,
  type AppendRefusal,
  type EntryDraft,
  entryId,
  LedgerWriter,
  maximumBatchEntries,
  policyStream,
  sha256Hex,
  type StreamHead,
  verifyStream,
} from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import {
  aDecisionDraft,
  anEventDraft,
  anIntentDraft,
  appended,
  aState,
  checkout,
  timeAfter,
} from '../../support/ledger-builders.ts';

const stream = policyStream(checkout);

/** A ledger that notes the batches it is asked to append, and answers when the test lets it. */
class SlowLedger extends InMemoryLedger {
  readonly asked: AppendBatch[] = [];
  readonly #held: (() => void)[] = [];
  isHeld = false;
  failure: AdapterError | null = null;

  override async append(batch: AppendBatch): Promise<Result<undefined, AppendRefusal>> {
    this.asked.push(batch);
    if (this.isHeld) await new Promise<void>((resolve) => this.#held.push(resolve));
    if (this.failure !== null) throw this.failure;
    return super.append(batch);
  }

  release(): void {
    this.isHeld = false;
    for (const resolve of this.#held.splice(0)) resolve();
  }
}

async function aWriter(): Promise<{ readonly port: SlowLedger; readonly writer: LedgerWriter }> {
  const port = new SlowLedger();
  const writer = new LedgerWriter({ port, fence: await port.takeOver('ledger'), cluster: 'test' });
  return { port, writer };
}

async function verified(port: SlowLedger): Promise<StreamHead> {
  const [head] = await port.heads([stream]);
  const entries = await port.streamEntries({ stream, after: 0n, limit: 1_000_000 });
  const result = verifyStream(entries, head!, sha256Hex);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** Two of these do not fit into one batch. */
function halfABatch(round: number): readonly EntryDraft[] {
  const size = maximumBatchEntries / 2 + 1;
  return Array.from({ length: size }, (_, index) => anEventDraft({}, timeAfter(round * size + index)));
}

async function eventually(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !isSo(); turn += 1) await Promise.resolve();
  expect(isSo()).toBe(true);
}

describe('LedgerWriter', () => {
  it('tells a batch that was stored before its fence was taken over, and its answer lost, from the next one', async () => {
    const port = new InMemoryLedger();
    const beforeRetry = async (): Promise<boolean> => {
      await port.takeOver('ledger');
      return true;
    };
    const fence = await port.takeOver('ledger');
    const writer = new LedgerWriter({ port, fence, cluster: 'test', beforeRetry });
    port.faults.push('LostAfterStoring');
    appended(await writer.append({ drafts: [anEventDraft({ to: 5 })] }));
    expect(await writer.append({ drafts: [anEventDraft({ to: 6 })] })).toMatchObject({
      error: { code: 'Fenced' },
    });
    expect(port.entriesInOrder).toHaveLength(1);
  });

  it('stores what is asked for at the same time in one batch, in order', async () => {
    const { port, writer } = await aWriter();
    const times = Array.from({ length: 20 }, (_, index) => timeAfter(index));
    const results = await Promise.all(
      times.map((time) => writer.append({ drafts: [aDecisionDraft({ time })], states: [aState(checkout)] })),
    );
    expect(port.asked).toHaveLength(1);
    expect(results.map((result) => appended(result)[0]?.seq)).toEqual(
      times.map((_, index) => BigInt(index + 1)),
    );
    const entries = await port.streamEntries({ stream, after: 0n, limit: 100 });
    expect(entries.map(({ time }) => time)).toEqual(times);
  });

  it('chains the next batch while one is on its way', async () => {
    const { port, writer } = await aWriter();
    port.isHeld = true;
    let isChained = false;
    const first = writer.append({ drafts: halfABatch(0) });
    const second = writer.append({
      drafts: halfABatch(1),
      states: {
        policies: [],
        from: () => {
          isChained = true;
          return [];
        },
      },
    });
    await eventually(() => isChained);
    expect(port.asked).toHaveLength(1);
    port.release();
    appended(await first);
    appended(await second);
    expect(port.asked[1]?.before).toEqual(port.asked[0]?.after);
    expect((await verified(port)).seq).toBe(BigInt(halfABatch(0).length * 2));
  });

  it('refuses one of many without the others', async () => {
    const { port, writer } = await aWriter();
    const results = await Promise.all([
      writer.append({ drafts: [aDecisionDraft()] }),
      writer.append({ drafts: [anEventDraft({ intent: `${stream}#77` })] }),
      writer.append({ drafts: [anEventDraft({}, 'never')] }),
      writer.append({ drafts: [aDecisionDraft({ time: timeAfter(1) })] }),
    ]);
    expect(results.map((result) => (result.ok ? 'stored' : result.error.code))).toEqual([
      'stored',
      'IntentNotPending',
      'InvalidEntry',
      'stored',
    ]);
    expect((await verified(port)).seq).toBe(2n);
  });

  it('goes on from what is stored after a failure that left that open', async () => {
    const { port, writer } = await aWriter();
    appended(await writer.append({ drafts: [aDecisionDraft()] }));
    port.failure = new AdapterError({ code: 'Timeout', message: 'no answer', retryable: true });
    await expect(writer.append({ drafts: [aDecisionDraft()] })).rejects.toMatchObject({ code: 'Timeout' });
    port.failure = null;
    appended(await writer.append({ drafts: [aDecisionDraft({ time: timeAfter(1) })] }));
    expect((await verified(port)).seq).toBe(2n);
  });

  it('lets the batch behind a failed one go on from what is stored', async () => {
    const { port, writer } = await aWriter();
    port.isHeld = true;
    port.failure = new AdapterError({ code: 'Timeout', message: 'no answer', retryable: true });
    const first = writer.append({ drafts: halfABatch(0) });
    let isChained = false;
    const second = writer.append({
      drafts: halfABatch(1),
      states: {
        policies: [],
        from: () => {
          isChained = true;
          port.failure = null;
          return [];
        },
      },
    });
    const failed = expect(first).rejects.toMatchObject({ code: 'Timeout' });
    await eventually(() => isChained);
    port.failure = new AdapterError({ code: 'Timeout', message: 'no answer', retryable: true });
    port.release();
    await failed;
    appended(await second);
    expect((await verified(port)).seq).toBe(BigInt(halfABatch(1).length));
  });

  it('stores nothing more once it is fenced, and asks no more', async () => {
    const { port, writer } = await aWriter();
    await port.takeOver('ledger');
    const fenced = { ok: false, error: { code: 'Fenced' } };
    expect(await writer.append({ drafts: [aDecisionDraft()] })).toEqual(fenced);
    const count = port.asked.length;
    expect(await writer.append({ drafts: [aDecisionDraft()] })).toEqual(fenced);
    expect(port.asked).toHaveLength(count);
  });

  it('gives states the ids of the entries they belong to', async () => {
    const { port, writer } = await aWriter();
    const draft = aDecisionDraft();
    appended(
      await writer.append({
        drafts: [draft],
        states: {
          policies: [checkout],
          from: (entries) => [aState(checkout, { openRun: null, updatedAt: entries.map(entryId).join() })],
        },
      }),
    );
    expect((await port.policyStates([checkout]))[0]?.updatedAt).toBe(`${stream}#1`);
  });

  it('refuses a request that no batch can hold', async () => {
    const { writer } = await aWriter();
    const drafts = Array.from({ length: maximumBatchEntries + 1 }, () => anIntentDraft());
    expect(await writer.append({ drafts })).toMatchObject({ ok: false, error: { code: 'TooLarge' } });
  });

  it('answers the requests of a large batch in turns of the loop, in order, and settles after the last', async () => {
    const port = new SlowLedger();
    const turns: (() => void)[] = [];
    const clock = {
      monotonicMilliseconds: () => 0,
      nextTurn: () => new Promise<void>((resolve) => turns.push(resolve)),
      noteWork: () => undefined,
    };
    const fence = await port.takeOver('ledger');
    const writer = new LedgerWriter({ port, fence, cluster: 'test', clock });
    const answered: number[] = [];
    for (let index = 0; index < 100; index += 1) {
      const drafts = [anEventDraft({}, timeAfter(index))];
      void writer.append({ drafts }).then(() => answered.push(index));
    }
    let isSettled = false;
    const settled = writer.flush().then(() => {
      isSettled = true;
    });
    const seen: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await eventually(() => turns.length > 0);
      seen.push(answered.length);
      expect(isSettled).toBe(false);
      turns.shift()?.();
    }
    await settled;
    expect([...seen, answered.length]).toEqual([32, 64, 96, 100]);
    expect(answered).toEqual(answered.toSorted((a, b) => a - b));
    expect(port.asked).toHaveLength(1);
  });

  it('settles when everything asked for is stored', async () => {
    const { port, writer } = await aWriter();
    void writer.append({ drafts: [aDecisionDraft()] });
    await writer.flush();
    expect(port.asked).toHaveLength(1);
    await writer.flush();
  });
});
