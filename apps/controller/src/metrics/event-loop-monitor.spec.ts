import { expect, it } from '@jest/globals';
import { EventLoopMonitor } from './event-loop-monitor.ts';

it('measures how late the loop is, and logs a long hold once with what was begun', () => {
  let now = 0;
  const seconds: number[] = [];
  const logged: object[] = [];
  const monitor = new EventLoopMonitor({
    logger: { info: (fields: object) => void logged.push(fields) } as never,
    observe: (late) => void seconds.push(late),
    now: () => now,
  });
  for (const step of [20, 70, 320, 520, 20]) {
    monitor.note(`work of ${step}`);
    now += step;
    monitor.tick();
  }
  expect(seconds).toEqual([0, 0.05, 0.3, 0.5, 0]);
  expect(logged).toEqual([{ milliseconds: 300, begun: ['work of 320'] }]);
});
