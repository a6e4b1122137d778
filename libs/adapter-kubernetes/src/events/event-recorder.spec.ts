import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { FakeTiming } from '../time/timing.fake.ts';
import { EventRecorder } from './event-recorder.ts';

describe('Events that come at once', () => {
  it('are written one after another, with a pause after each', async () => {
    const pauses = new HeldPauses();
    const written: unknown[] = [];
    const recorder = recorderOf(pauses, (path) => written.push(path));
    for (const name of ['a', 'b', 'c']) recorder.emit(eventOf(name));
    for (const name of ['a', 'b', 'c']) {
      await nextTurn();
      expect(written).toHaveLength(name.charCodeAt(0) - 96);
      pauses.endOne();
    }
    await nextTurn();
    expect({ pauses: pauses.waits, ...recorder.counts }).toEqual({
      pauses: [10, 10, 10],
      delivered: 3,
      dropped: 0,
      refusedSince: undefined,
    });
  });

  it('wait, as many as a first start of 10,000 policies has, and beyond them the newest are dropped', async () => {
    const recorder = recorderOf(new HeldPauses(), () => undefined);
    recorder.emit(eventOf('under-way'));
    for (let index = 0; index < 10_002; index += 1) recorder.emit(eventOf(`p${index}`));
    await nextTurn();
    expect(recorder.counts).toMatchObject({ delivered: 1, dropped: 2 });
  });
});

it.each(['-', '.', '.-'])('has a name that the API server takes where one is cut behind %s', async (end) => {
  const names: unknown[] = [];
  const recorder = recorderOf(new FakeTiming(), (_, body) => names.push(body));
  const cut = 'q'.repeat(200 - end.length);
  recorder.emit(eventOf(`${cut}${end}${'r'.repeat(53)}`));
  await nextTurn();
  expect(names).toEqual([
    expect.objectContaining({
      metadata: { namespace: 'shop', name: expect.stringMatching(new RegExp(`^${cut}\\.[0-9a-f]+$`)) },
    }),
  ]);
});

it('has no half of a character where its message is cut', async () => {
  const bodies: unknown[] = [];
  const recorder = recorderOf(new FakeTiming(), (_, body) => bodies.push(body));
  recorder.emit({ ...eventOf('a'), message: `${'m'.repeat(1_023)}😀` });
  await nextTurn();
  expect(bodies).toEqual([expect.objectContaining({ message: 'm'.repeat(1_023) })]);
});

/** Pauses that last until a test ends them. */
class HeldPauses extends FakeTiming {
  readonly #ends: (() => void)[] = [];

  override readonly wait = (ms: number): Promise<void> => {
    this.waits.push(ms);
    return new Promise((resolve) => this.#ends.push(resolve));
  };

  endOne(): void {
    this.#ends.shift()?.();
  }
}

function recorderOf(timing: FakeTiming, onWrite: (path: string, body: unknown) => void): EventRecorder {
  return new EventRecorder({
    client: {
      json: ({ path, body }) => {
        onWrite(path, body);
        return Promise.resolve({});
      },
    },
    access: { isReadOnly: false, namespaces: { all: true } },
    timing,
    log: { write: () => undefined },
    component: 'plimsoll',
  });
}

function eventOf(name: string) {
  return {
    subject: { apiVersion: 'plimsoll.dev/v1alpha1', kind: 'AutoscalingPolicy', namespace: 'shop', name },
    type: 'Normal',
    reason: 'SelectionStrategyActive',
    message: 'pods are counted by their owners',
    time: '2026-11-20T12:00:00.000Z',
  } as const;
}
