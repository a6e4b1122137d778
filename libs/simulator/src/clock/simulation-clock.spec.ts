import { describe, expect, it } from '@jest/globals';
import { SimulationClock } from './simulation-clock.ts';

describe('a manual clock', () => {
  it('runs what falls due in order, at its own time, timers made on the way included', () => {
    const clock = SimulationClock.manual(1000);
    const log: string[] = [];
    const note = (name: string) => () => log.push(`${name} ${clock.now()}`);
    clock.schedule(30, note('late'));
    clock.schedule(10, () => {
      note('first')();
      clock.schedule(10, note('made on the way'));
    });
    clock.schedule(10, note('second'));
    clock.advance(25);
    expect(log).toEqual(['first 1010', 'second 1010', 'made on the way 1020']);
    expect(clock.now()).toBe(1025);
  });

  it('runs nothing that was taken back', () => {
    const clock = SimulationClock.manual(0);
    const log: string[] = [];
    const cancel = clock.schedule(1, () => log.push('cancelled'));
    cancel();
    clock.advance(10);
    expect(log).toEqual([]);
  });

  it('calls its listeners once per instant', () => {
    const clock = SimulationClock.manual(0);
    const seen: number[] = [];
    clock.onTimer(() => seen.push(clock.now()));
    for (const delay of [5, 5, 5, 7]) clock.schedule(delay, () => undefined);
    clock.advance(10);
    expect(seen).toEqual([5, 7]);
  });

  it('follows the wall from then on, and catches up', async () => {
    const clock = SimulationClock.manual(Date.now() - 3_600_000);
    const caughtUp = new Promise<number>((resolve) => clock.schedule(1000, () => resolve(clock.now())));
    clock.followWall();
    expect(Math.abs((await caughtUp) - Date.now())).toBeLessThan(5000);
    expect(() => clock.advance(1)).toThrow('cannot be advanced');
    clock.stop();
  });
});
