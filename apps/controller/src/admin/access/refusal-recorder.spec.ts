import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EntryDraft } from '#ledger';
import { FakeClock } from '#reconciliation/testing';
import { type Refusal, RefusalRecorder } from './refusal-recorder.ts';

const written = {
  actor: 'sam',
  action: 'SyncSource',
  arguments: { source: 'policies' },
  reason: 'Forbidden',
} as const;
const refusal: Refusal = { ...written, owner: 'sam', givenReason: null };

let clock: FakeClock;
let recorded: EntryDraft[];
let recorder: RefusalRecorder;

beforeEach(() => {
  clock = new FakeClock();
  recorded = [];
  recorder = new RefusalRecorder({
    writer: {
      append: ({ drafts }) => {
        recorded.push(...drafts);
        return Promise.resolve({ ok: true, value: [] });
      },
    },
    clock,
  });
});

const refuse = async (count: number, make: (index: number) => Refusal): Promise<void> => {
  for (let index = 0; index < count; index += 1) await recorder.record(make(index));
};
const numbered = (actor: string) => (index: number) => ({
  ...refusal,
  actor,
  owner: actor,
  reason: `refusal ${index}`,
});

describe('refused actions', () => {
  it('are one entry where they are equal, and one more ten minutes later', async () => {
    await refuse(100, () => refusal);
    expect(recorded).toHaveLength(1);
    expect(recorded[0]).toMatchObject({
      kind: 'OperatorAction',
      payload: { ...written, outcome: 'Refused' },
    });
    clock.advance(600_000);
    await refuse(100, () => refusal);
    expect(recorded).toHaveLength(2);
  });

  it('keep the words with which they were asked for, and other words make no other refusal', async () => {
    await refuse(3, (index) => ({ ...refusal, givenReason: `try ${index}` }));
    expect(recorded.map(({ payload }) => payload)).toEqual([
      { ...written, givenReason: 'try 0', outcome: 'Refused' },
    ]);
  });

  it('are so many of one person, whichever of its tokens it comes with', async () => {
    await refuse(1_000, (index) => ({ ...numbered(`sam/${index % 50}`)(index), owner: 'sam' }));
    expect(recorded).toHaveLength(30);
    expect(JSON.stringify(recorded)).not.toContain('owner');
  });

  it('are so many of one caller, and cost the others nothing', async () => {
    await refuse(1_000, numbered('sam'));
    expect(recorded).toHaveLength(30);
    await refuse(1, numbered('alex'));
    expect(recorded).toHaveLength(31);
  });

  it('are one per two minutes after that', async () => {
    await refuse(1_000, numbered('sam'));
    for (let minutes = 0; minutes < 20; minutes += 1) {
      clock.advance(60_000);
      await refuse(10, (index) => numbered('sam')(1_000 + 10 * minutes + index));
    }
    expect(recorded).toHaveLength(30 + 10);
    expect(recorded[30]?.payload).toMatchObject({ arguments: { source: 'policies', folded: 980 } });
  });
});
