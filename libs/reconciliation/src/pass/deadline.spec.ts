import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../ports/clock.fake.ts';
import { Deadline, DeadlineExceeded } from './deadline.ts';
import { Slots } from './slots.ts';

const never = new Promise<never>(() => undefined);

describe('Deadline', () => {
  it('gives what comes in time', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    expect(await deadline.race(Promise.resolve(7))).toBe(7);
    deadline.clear();
    expect(clock.pending).toBe(0);
  });

  it('ends the wait on what never answers, and aborts it', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    const waiting = deadline.race(never);
    clock.advance(99);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    await expect(waiting).rejects.toThrow(DeadlineExceeded);
    expect(deadline.signal.aborted).toBe(true);
  });

  it('lets nothing start after it', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    clock.advance(100);
    await expect(deadline.race(Promise.resolve(7))).rejects.toThrow('no end within 100 ms');
  });
});

describe('Slots', () => {
  it('runs so many at a time, in order, whatever becomes of them', async () => {
    const slots = new Slots(2);
    const log: string[] = [];
    const gates = [0, 1, 2].map(() => Promise.withResolvers<undefined>());
    const runs = gates.map(({ promise }, index) =>
      slots.run(async () => {
        log.push(`start ${index}`);
        await promise;
        if (index === 0) throw new Error('broken');
        return index;
      }),
    );
    const settled = Promise.allSettled(runs);
    await Promise.resolve();
    expect(log).toEqual(['start 0', 'start 1']);
    for (const { resolve } of gates) resolve(undefined);
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(log).toEqual(['start 0', 'start 1', 'start 2']);
  });
});
