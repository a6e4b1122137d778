import type { NamespacedName } from '#kernel';
import type { MarkKind, PlotMark } from '../../components/charts/plot-marks.ts';
import { formatTime } from '../../components/time/format-time.ts';
import { isolated } from '../../components/words/isolated.ts';
import { interventions as interventionTexts } from '../../messages/interventions.ts';
import { policy } from '../../messages/policy.ts';
import { auditAround } from '../../navigation/audit-around.ts';
import { links } from '../../navigation/links.ts';
import { timeZone } from '../../state/preferences.ts';
import type { TimelineEntryFragment } from '../audit/audit.generated.ts';
import { entrySummary } from '../audit/entry-summary.ts';
import { scopeText } from '../interventions/intervention-scope.ts';
import { interventionTerms } from '../interventions/intervention-terms.ts';
import type { PolicyChartMarksQuery } from './policy-chart.generated.ts';

const texts = policy.chart;

/** What marks are made from, beside entries of the ledger: where bounds changed, and where no pass was. */
export interface ChartSteps {
  readonly times: readonly string[];
  readonly minReplicas: readonly (number | null)[];
  readonly maxReplicas: readonly (number | null)[];
  readonly specReplicas: { readonly mean: readonly (number | null)[] };
  /** Those that acted on the policy in it, whatever their scope. */
  readonly interventions?: readonly PastIntervention[];
  /** Marks of schedules and freezes that begin in it. */
  readonly windows?: readonly PlotMark[];
}

type PastIntervention = NonNullable<
  NonNullable<PolicyChartMarksQuery['policy']>['period']
>['interventions'][number];

/** Of steps, or of intervals of the policy: with fewer without a pass, one is due. */
const outageSteps = 5;
const outageIntervals = 3;

/** Steps without a pass that are an outage; over fewer a line goes on. */
export function stepsOfOutage({ times }: Pick<ChartSteps, 'times'>, intervalSeconds: number): number {
  const between = secondsOf(times[1] ?? '') - secondsOf(times[0] ?? '');
  const seconds = between > 0 ? between : 1;
  return Math.max(outageSteps, Math.ceil((outageIntervals * intervalSeconds) / seconds));
}

/** The values, each until the next one that is known, but over no outage: a count is what it is until it is another. */
export function heldOver(values: readonly (number | null)[], outage: number): readonly (number | null)[] {
  let known = -1;
  return values.map((value, index) => {
    if (value !== null) known = index;
    return known === -1 || index - known >= outage ? null : (values[known] ?? null);
  });
}

/** What happened to a policy, as marks on its time axis, newest first; what is of other policies is left out. */
export function chartMarks(
  entries: readonly TimelineEntryFragment[],
  steps: ChartSteps,
  of: { readonly namespace: string; readonly name: string; readonly intervalSeconds: number },
): readonly PlotMark[] {
  const own = entries.filter(
    ({ policy: named }) => named === null || (named.namespace === of.namespace && named.name === of.name),
  );
  return [
    ...own.flatMap(markOf),
    ...(steps.interventions ?? []).flatMap((each) => interventionMarks(each, steps.times[0] ?? '')),
    ...(steps.windows ?? []),
    ...boundsMarks(steps, of),
    ...outageMarks(steps, stepsOfOutage(steps, of.intervalSeconds), of),
  ].toSorted((one, other) => other.time - one.time);
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
      return scalingKind(entry);
    case 'PolicyChange':
      return 'policy';
    case 'StrategyChange':
      return 'strategy';
    case 'SyncRun':
      return 'sync';
    case 'OperatorAction':
      return entry.outcome === 'Refused' || isOtherwise(entry.operatorAction) ? undefined : 'operator';
    default:
      return undefined;
  }
}

function scalingKind({
  from,
  to,
  origin,
}: Extract<TimelineEntryFragment, { __typename: 'ScalingEvent' }>): MarkKind {
  if (origin !== 'External') return to > from ? 'up' : 'down';
  return to > from ? 'upByOthers' : 'downByOthers';
}

/** What was only looked at has changed nothing of the policy, and interventions have marks of their own. */
function isOtherwise(action: string): boolean {
  return otherwise.has(action);
}

const otherwise: ReadonlySet<string> = new Set([
  'ExportLedger',
  'MakeReport',
  'ReadReport',
  'Authenticate',
  'SuspendScaling',
  'EndSuspension',
  'OverrideReplicas',
  'EndOverride',
  'StartDryRun',
  'EndDryRun',
]);

/** Where it begins, or at the edge where it began before, and where it ends. */
function interventionMarks({ intervention, end }: PastIntervention, first: string): readonly PlotMark[] {
  const { id, kind, scope, actor, reason, since, expires } = intervention;
  const terms = interventionTerms(intervention);
  const kindText = interventionTexts.kinds[kind];
  const what = `${terms === '' ? kindText : `${kindText} (${terms})`}, ${isolated(scopeText(scope))}`;
  const until = formatTime(end?.time ?? expires, timeZone.get());
  const begin: PlotMark = {
    id: `begun ${id}`,
    time: Math.max(secondsOf(since), secondsOf(first)),
    kind: 'begun',
    title: texts.begun(what, texts.endedBy(isolated(actor), isolated(reason)), until),
    path: actionsAround(secondsOf(since), 1, scope),
  };
  if (end === null) return [begin];
  const time = secondsOf(end.time);
  const isExpired = time >= secondsOf(expires);
  const by = isExpired ? texts.expired : texts.endedBy(isolated(end.actor), end.reason);
  // That it has expired is recorded within a minute or two.
  const path = actionsAround(time, isExpired ? 120 : 1, scope);
  return [begin, { id: `ended ${id}`, time, kind: 'ended', title: texts.ended(what, by), path }];
}

/** What operators did in so many seconds, in the namespace that an intervention is in; one of several has none. */
function actionsAround(
  time: number,
  seconds: number,
  scope: PastIntervention['intervention']['scope'],
): string {
  const { namespace } = scope;
  return auditAround(time, seconds, { kind: 'OperatorAction', ...(namespace === null ? {} : { namespace }) });
}

function titleOf(entry: TimelineEntryFragment): string {
  const summary = entrySummary(entry, timeZone.get());
  if (entry.__typename === 'ScalingEvent') {
    const { from, to, origin, manager, scalingReason } = entry;
    if (origin !== 'External') return texts.mark(from, to, scalingReason);
    return `${from} → ${to} ${texts.byOthers(isolated(manager ?? policy.scalings.others), scalingReason)}`;
  }
  return `${texts.marks[kindOf(entry) ?? 'policy']}: ${summary}`;
}

function pathOf(entry: TimelineEntryFragment): string {
  if (entry.__typename === 'ScalingEvent' && entry.decisionId !== null)
    return links.decision(entry.decisionId);
  if (entry.__typename === 'PolicyChange' && entry.commit !== null)
    return links.revision(entry.source, entry.commit.hash);
  if (entry.__typename === 'SyncRun' && entry.syncCommit !== null)
    return links.revision(entry.source, entry.syncCommit.hash);
  return links.entry(entry.id);
}

/** A schedule, an override or a new version has changed them; what did is beside it. */
function boundsMarks(
  { times, minReplicas, maxReplicas }: ChartSteps,
  policy: NamespacedName,
): readonly PlotMark[] {
  let before: readonly [number, number] | undefined;
  return times.flatMap((text, index) => {
    const [minimum, maximum] = [minReplicas[index] ?? null, maxReplicas[index] ?? null];
    if (minimum === null || maximum === null) return [];
    const isChanged = before !== undefined && (before[0] !== minimum || before[1] !== maximum);
    before = [minimum, maximum];
    if (!isChanged) return [];
    const time = secondsOf(text);
    const title = texts.boundsMark(minimum, maximum);
    return [
      {
        id: `bounds ${text}`,
        time,
        kind: 'bounds' as const,
        title,
        path: auditAround(time, 600, { policy }),
      },
    ];
  });
}

function outageMarks(
  { times, specReplicas: { mean } }: ChartSteps,
  outage: number,
  policy: NamespacedName,
): readonly PlotMark[] {
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
    return [
      {
        id: `outage ${from}`,
        time,
        kind: 'outage' as const,
        title,
        path: auditAround(time, seconds, { policy }),
      },
    ];
  });
}

function secondsOf(time: string): number {
  return Date.parse(time) / 1_000;
}
