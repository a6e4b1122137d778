import { type MarkKind, markKinds, type PlotMark } from '../../components/plot-marks.ts';
import { policy } from '../../messages/policy.ts';
import { links } from '../../navigation/links.ts';
import type { TimelineEntryFragment } from '../audit/audit.generated.ts';
import { entrySummary } from '../audit/entry-summary.ts';

const texts = policy.chart;

/** What marks are made from, beside entries of the ledger: where bounds changed, and where no pass was. */
export interface ChartSteps {
  readonly times: readonly string[];
  readonly minReplicas: readonly (number | null)[];
  readonly maxReplicas: readonly (number | null)[];
  readonly specReplicas: { readonly mean: readonly (number | null)[] };
  /** Marks of schedules and freezes that begin in it. */
  readonly windows?: readonly PlotMark[];
}

/** Marks of a lane within such a part of the time are one, so that each can be pointed at. */
const partsOfSpan = 24;

/** Of steps, or of intervals of the policy: with fewer without a pass, one is due. */
const outageSteps = 5;
const outageIntervals = 3;

/** Steps without a pass that are an outage; over fewer a line goes on. */
export function stepsOfOutage({ times }: Pick<ChartSteps, 'times'>, intervalSeconds: number): number {
  const seconds = secondsOf(times[1] ?? '') - secondsOf(times[0] ?? '');
  return Math.max(outageSteps, Math.ceil((outageIntervals * intervalSeconds) / Math.max(1, seconds || 1)));
}

/** The values, each until the next one that is known, but over no outage: a count is what it is until it is another. */
export function heldOver(values: readonly (number | null)[], outage: number): readonly (number | null)[] {
  let known = -1;
  return values.map((value, index) => {
    if (value !== null) known = index;
    return known === -1 || index - known >= outage ? null : (values[known] ?? null);
  });
}

/** What happened to a policy, as marks on its time axis; what is of other policies is left out. */
export function chartMarks(
  entries: readonly TimelineEntryFragment[],
  steps: ChartSteps,
  of: { readonly namespace: string; readonly name: string; readonly intervalSeconds: number },
): readonly PlotMark[] {
  const own = entries.filter(
    ({ policy: named }) => named === null || (named.namespace === of.namespace && named.name === of.name),
  );
  const marks = [
    ...own.flatMap(markOf),
    ...(steps.windows ?? []),
    ...boundsMarks(steps),
    ...outageMarks(steps, stepsOfOutage(steps, of.intervalSeconds)),
  ];
  const [first = 0, last = 0] = [steps.times[0], steps.times.at(-1)].map((time) => secondsOf(time ?? ''));
  return together(marks, Math.max(1, (last - first) / partsOfSpan));
}

function markOf(entry: TimelineEntryFragment): readonly PlotMark[] {
  const kind = kindOf(entry);
  if (kind === undefined) return [];
  const { id, time } = entry;
  return [{ id, time: secondsOf(time), kind, title: titleOf(entry), path: pathOf(entry) }];
}

function kindOf(entry: TimelineEntryFragment): MarkKind | undefined {
  switch (entry.__typename) {
    case 'ScalingEvent':
      return entry.to > entry.from ? 'up' : 'down';
    case 'PolicyChange':
      return 'policy';
    case 'StrategyChange':
      return 'strategy';
    case 'SyncRun':
      return 'sync';
    case 'OperatorAction':
      return entry.outcome === 'Refused' || isReading(entry.operatorAction) ? undefined : 'operator';
    default:
      return undefined;
  }
}

/** What was only looked at has changed nothing of the policy. */
function isReading(action: string): boolean {
  return ['ExportLedger', 'MakeReport', 'ReadReport', 'Authenticate'].includes(action);
}

function titleOf(entry: TimelineEntryFragment): string {
  const summary = entrySummary(entry);
  if (entry.__typename === 'ScalingEvent') return texts.mark(entry.from, entry.to, entry.scalingReason);
  return `${texts.marks[kindOf(entry) ?? 'policy']}: ${summary}`;
}

function pathOf(entry: TimelineEntryFragment): string {
  if (entry.__typename === 'ScalingEvent' && entry.decisionId !== null)
    return links.decision(entry.decisionId);
  if (entry.__typename === 'PolicyChange' && entry.commit !== null)
    return links.revision(entry.source, entry.commit.hash);
  if (entry.__typename === 'SyncRun' && entry.syncCommit !== null)
    return links.revision(entry.source, entry.syncCommit.hash);
  return auditAround(secondsOf(entry.time), 1, entry.kind);
}

/** The timeline of so many seconds from a time on. */
export function auditAround(time: number, seconds: number, kind = ''): string {
  const [from, until] = [time, time + seconds].map((each) => new Date(each * 1_000).toISOString());
  const search = new URLSearchParams({
    ...(kind === '' ? {} : { kind }),
    from: from ?? '',
    until: until ?? '',
  });
  return `${links.audit}?${search.toString()}`;
}

/** A schedule, an override or a new version has changed them; what did is beside it. */
function boundsMarks({ times, minReplicas, maxReplicas }: ChartSteps): readonly PlotMark[] {
  let before: readonly [number, number] | undefined;
  return times.flatMap((text, index) => {
    const [minimum, maximum] = [minReplicas[index] ?? null, maxReplicas[index] ?? null];
    if (minimum === null || maximum === null) return [];
    const isChanged = before !== undefined && (before[0] !== minimum || before[1] !== maximum);
    before = [minimum, maximum];
    if (!isChanged) return [];
    const time = secondsOf(text);
    const title = texts.boundsMark(minimum, maximum);
    return [{ id: `bounds ${text}`, time, kind: 'bounds' as const, title, path: auditAround(time, 600) }];
  });
}

function outageMarks({ times, specReplicas: { mean } }: ChartSteps, outage: number): readonly PlotMark[] {
  let lastKnown = -1;
  return mean.flatMap((value, index) => {
    if (value === null) return [];
    const gap = lastKnown === -1 ? 0 : index - lastKnown - 1;
    const from = times[lastKnown + 1];
    lastKnown = index;
    if (gap < outage || from === undefined) return [];
    const time = secondsOf(from);
    const seconds = secondsOf(times[index] ?? from) - time;
    const title = texts.outageMark(Math.round(seconds / 60));
    return [{ id: `outage ${from}`, time, kind: 'outage' as const, title, path: auditAround(time, seconds) }];
  });
}

/** What has others in its train: a change of a policy comes by a sync, and brings changes of its strategy. */
const leading: ReadonlySet<MarkKind> = new Set(['policy', 'operator', 'outage']);

/** Those of a lane that are close to each other become one at the newest's time: what leads, which names another. */
function together(marks: readonly PlotMark[], seconds: number): readonly PlotMark[] {
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

function secondsOf(time: string): number {
  return Date.parse(time) / 1_000;
}
