import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EntryDraft } from '#ledger';
import { FailureRecorder } from './failure-recorder.ts';

describe('failed authentications', () => {
  let recorded: EntryDraft[];
  let recorder: FailureRecorder;
  beforeEach(() => {
    recorded = [];
    recorder = new FailureRecorder({
      writer: {
        append: ({ drafts }) => {
          recorded.push(...drafts);
          return Promise.resolve({ ok: true, value: [] });
        },
      },
      clock: { now: () => '2026-11-22T12:00:00Z' },
    });
  });

  it('are one entry a minute over all addresses, with the count and where most came from', async () => {
    jest.useFakeTimers();
    try {
      for (let index = 0; index < 5_000; index += 1) recorder.note(`10.0.${index % 250}.0`);
      for (let index = 0; index < 100; index += 1) recorder.note('192.0.2.1');
      await jest.advanceTimersByTimeAsync(60_000);
      recorder.note('192.0.2.2');
      await jest.advanceTimersByTimeAsync(59_000);
      expect(recorded).toHaveLength(1);
      await jest.advanceTimersByTimeAsync(1_000);
      expect(recorded).toHaveLength(2);
    } finally {
      jest.useRealTimers();
    }
    const [first] = recorded;
    expect(first?.payload).toMatchObject({
      actor: 'nobody',
      action: 'Authenticate',
      outcome: 'Refused',
      arguments: { count: 5_100 },
    });
    const { addresses } = (first?.payload as { arguments: { addresses: readonly object[] } }).arguments;
    expect(addresses).toHaveLength(10);
    expect(addresses[0]).toEqual({ address: '192.0.2.1', count: 100 });
  });

  it('are none where nothing failed, and are recorded at the end', async () => {
    await recorder.flush();
    expect(recorded).toEqual([]);
    recorder.note('192.0.2.1');
    await recorder.flush();
    expect(recorded).toHaveLength(1);
  });
});
