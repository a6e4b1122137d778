import { expect, it } from '@jest/globals';
import { LoopActivities } from '../logging/loop-activities.ts';
import { EventLoopMonitor } from './event-loop-monitor.ts';

it('measures how late the loop is, and logs a long hold once with what was begun', () => {
  let now = 0;
  const seconds: number[] = [];
  const held: string[] = [];
  const activities = new LoopActivities();
  const logged: object[] = [];
  const monitor = new EventLoopMonitor({
    logger: { info: (fields: object) => void logged.push(fields) } as never,
    activities,
    observe: (late, begun) => {
      seconds.push(late);
      held.push(...begun);
    },
    now: () => now,
  });
  void activities.during('sync of policies', () => new Promise(() => undefined));
  for (const step of [20, 70, 320, 520, 20]) {
    activities.note(`work of ${step}`);
    now += step;
    monitor.tick();
  }
  expect(seconds).toEqual([0, 0.05, 0.3, 0.5, 0]);
  expect(logged).toEqual([{ milliseconds: 300, begun: ['work of 320'], underWay: ['sync of policies'] }]);
  expect(held).toEqual(['work of 320', 'work of 520']);
});

it('forgets what is no longer under way', async () => {
  const activities = new LoopActivities();
  await activities.during('sync of policies', () => Promise.resolve());
  activities.note('sweep');
  expect(activities.take()).toEqual({ begun: ['sweep'], underWay: [] });
  expect(activities.take()).toEqual({ begun: [], underWay: [] });
});
