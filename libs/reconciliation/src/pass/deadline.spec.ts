import { describe, expect, it } from '@jest/globals';
import { Semaphore } from '#kernel';
import { FakeClock } from '../ports/clock.fake.ts';
import { callKubernetes } from './call-kubernetes.ts';
import { Deadline, DeadlineExceeded } from './deadline.ts';

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

  it('can be brought forward, and not put off', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    const waiting = deadline.race(never);
    deadline.shorten(200, 'later');
    clock.advance(20);
    deadline.shorten(50, 'the process is ending');
    clock.advance(49);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    await expect(waiting).rejects.toThrow('the process is ending');
    expect(clock.pending).toBe(0);
  });

  it('lets nothing start after it', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    clock.advance(100);
    await expect(deadline.race(Promise.resolve(7))).rejects.toThrow('no end within 100 ms');
  });
});

describe('callKubernetes', () => {
  it('frees the place of a call that never answers, at the deadline', async () => {
    const clock = new FakeClock();
    const semaphore = new Semaphore(1);
    const hanging = callKubernetes({ semaphore, deadline: new Deadline(clock, 100) }, () => never);
    const next = callKubernetes({ semaphore, deadline: new Deadline(clock, 200) }, () => Promise.resolve(7));
    clock.advance(100);
    await expect(hanging).rejects.toThrow(DeadlineExceeded);
    expect(await next).toBe(7);
  });
});
