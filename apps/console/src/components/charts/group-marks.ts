import { policy } from '../../messages/policy.ts';
import { type MarkKind, markKinds, type PlotMark } from './plot-marks.ts';

const texts = policy.chart;

/** What has others in its train: a change of a policy comes by a sync, and brings changes of its strategy. */
const leading: ReadonlySet<MarkKind> = new Set([
  'policy',
  'begun',
  'ended',
  'operator',
  'outage',
  'upByOthers',
  'downByOthers',
]);

/**
 * Those of a lane that are within so many seconds of each other become one, so that each can be pointed at: at the newest's
 * time, what leads, which names another.
 */
export function groupMarks(marks: readonly PlotMark[], seconds: number): readonly PlotMark[] {
  const groups: PlotMark[][] = [];
  const current = new Map<number, PlotMark[]>();
  for (const mark of marks.toSorted((one, other) => other.time - one.time)) {
    const { lane } = markKinds[mark.kind];
    const group = current.get(lane);
    if (group?.[0] !== undefined && mark.time > group[0].time - seconds) {
      group.push(mark);
    } else {
      const fresh = [mark];
      current.set(lane, fresh);
      groups.push(fresh);
    }
  }
  return groups.flatMap((group) => {
    const [lead, ...others] = group.toSorted((one, other) => rankOf(other) - rankOf(one));
    const [newest] = group;
    if (lead === undefined || newest === undefined) return [];
    if (others.length === 0) return lead;
    return {
      ...lead,
      time: newest.time,
      title: texts.several(lead.title, others.length, others[0]?.title ?? ''),
    };
  });
}

function rankOf({ kind }: PlotMark): number {
  return leading.has(kind) ? 1 : 0;
}
