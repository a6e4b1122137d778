import { describe, expect, it } from '@jest/globals';
import { Semaphore } from '#kernel';
import { FakeClock } from '../ports/clock.fake.ts';
import { flushMicrotasks } from '../testing/a-world.ts';
import { callKubernetes } from './call-kubernetes.ts';
import { Deadline, DeadlineExceeded } from './deadline.ts';

const never = new Promise<never>(() => undefined);

describe('Deadline', () => {
  it('gives what comes in time', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    expect(await deadline.race(Promise.resolve(7), 'an answer')).toBe(7);
    deadline.clear();
    expect(clock.pending).toBe(0);
  });

  it('ends the wait on what never answers, and aborts it', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    const waiting = deadline.race(never, 'an answer');
    clock.advance(99);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    await expect(waiting).rejects.toThrow(DeadlineExceeded);
    expect(deadline.signal.aborted).toBe(true);
  });

  it('says what is waited for then, and for how long, and nothing of what came in time', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 30_000);
    await deadline.race(Promise.resolve(7), 'what came');
    clock.advance(10_000);
    const waits = ['the watch', 'the recommender'].map((call) => deadline.race(never, call));
    clock.advance(20_000);
    for (const wait of waits) {
      await expect(wait).rejects.toThrow(
        'no end within 30000 ms, after 20 s for the watch and 20 s for the recommender',
      );
    }
  });

  it('can be brought forward, and not put off', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    const waiting = deadline.race(never, 'an answer');
    deadline.shorten(200, 'later');
    clock.advance(20);
    deadline.shorten(50, 'the process is ending');
    clock.advance(49);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    await expect(waiting).rejects.toThrow('the process is ending');
    expect(clock.pending).toBe(0);
  });

  it('can come at once for work that has changed nothing, which is told from taking too long', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    const { signal } = deadline;
    const waiting = deadline.race(never, 'an answer');
    deadline.abandon('the shard is given up');
    await expect(waiting).rejects.toThrow('the shard is given up');
    expect([signal.aborted, deadline.isAbandoned, clock.pending]).toEqual([true, true, 0]);
    const late = new Deadline(clock, 100);
    clock.advance(100);
    late.abandon('the shard is given up');
    expect(late.isAbandoned).toBe(false);
  });

  it('lets nothing start after it', async () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    clock.advance(100);
    await expect(deadline.race(Promise.resolve(7), 'an answer')).rejects.toThrow('no end within 100 ms');
  });
});

describe('callKubernetes', () => {
  it('says whether a call was sent, or had no place', async () => {
    const clock = new FakeClock();
    const semaphore = new Semaphore(1);
    const deadline = new Deadline(clock, 30_000);
    const pass = { semaphore, deadline };
    const hanging = callKubernetes(pass, 'GET of one', () => never);
    const waiting = callKubernetes(pass, 'GET of another', () => never);
    await flushMicrotasks();
    clock.advance(30_000);
    for (const call of [hanging, waiting]) {
      await expect(call).rejects.toThrow(
        'no end within 30000 ms, after 30 s for the GET of one and 30 s for a place among the calls to the API server (reconcile.concurrency), for the GET of another',
      );
    }
  });

  it('frees the place of a call that never answers, at the deadline', async () => {
    const clock = new FakeClock();
    const semaphore = new Semaphore(1);
    const hanging = callKubernetes(
      { semaphore, deadline: new Deadline(clock, 100) },
      'GET of one',
      () => never,
    );
    const next = callKubernetes({ semaphore, deadline: new Deadline(clock, 200) }, 'GET of another', () =>
      Promise.resolve(7),
    );
    clock.advance(100);
    await expect(hanging).rejects.toThrow(DeadlineExceeded);
    expect(await next).toBe(7);
  });
});
