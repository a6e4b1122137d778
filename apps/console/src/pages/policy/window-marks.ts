import type { Json, NamespacedName } from '#kernel';
import { CronWindows, readPolicy, type WindowInForce } from '#policy';
import type { PlotMark } from '../../components/charts/plot-marks.ts';
import { auditAround } from '../../navigation/audit-around.ts';
import { describeWindow } from './describe-window.ts';

/** A cron of every minute, over a week, is no chart any more. */
const maximumChanges = 500;

/** The schedules and freezes of a policy that begin, or are there, in a time: by the policy as it is now. */
export function windowMarks(document: Json, from: string, until: string): readonly PlotMark[] {
  const { policy } = readPolicy(document);
  if (policy === undefined) return [];
  const windows = new CronWindows();
  const marks = new Map<string, PlotMark>();
  let time = from;
  for (let change = 0; change < maximumChanges && time < until; change += 1) {
    for (const window of windows.windowsInForce(policy, time)) {
      const mark = markOf(window, from, policy);
      marks.set(mark.id, mark);
    }
    const wait = windows.untilNextChange(policy, time);
    if (wait === null) break;
    time = new Date(Date.parse(time) + Math.max(1, wait)).toISOString();
  }
  return [...marks.values()];
}

/** One that began before is marked at the beginning of what is shown. */
function markOf(window: WindowInForce, from: string, policy: NamespacedName): PlotMark {
  const { since, until, name } = window;
  const start = since < from ? from : since;
  const time = Date.parse(start) / 1_000;
  const path = auditAround(time, Math.max(1, (Date.parse(until) - Date.parse(start)) / 1_000), { policy });
  const kind = window.kind === 'Freeze' ? 'freeze' : 'schedule';
  return { id: `${kind} ${name} ${since}`, time, kind, title: describeWindow(window), path };
}
