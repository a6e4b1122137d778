import { actorName, type Json } from '#kernel';
import { formatTime } from '../../components/time/format-time.ts';
import { isolated } from '../../components/words/isolated.ts';
import { plainLook } from '../../components/words/plain-words.ts';
import { audit } from '../../messages/audit.ts';
import { askedText, changedByText, outcomeText } from '../../messages/entry-words.ts';
import { interventions } from '../../messages/interventions.ts';
import type { TimeZoneChoice } from '../../state/preferences.ts';
import { isEnd } from '../entry/ended-intervention.ts';
import { jsonChanges, jsonText } from '../entry/json-changes.ts';
import { interventionTerms } from '../interventions/intervention-terms.ts';
import type { TimelineEntryFragment } from './audit.generated.ts';

type EntryNamed<K extends TimelineEntryFragment['__typename']> = Extract<
  TimelineEntryFragment,
  { readonly __typename: K }
>;

/** Of the settings that changed, as many as a line has room for. */
const maximumSettings = 3;

/** What an entry says, in a line; the times in it are of the zone. */
export function entrySummary(entry: TimelineEntryFragment, zone: TimeZoneChoice): string {
  switch (entry.__typename) {
    case 'Decision':
      return decisionLine(entry);
    case 'ScalingEvent':
      return `${entry.from} → ${entry.to} by ${actorName(entry.manager ?? entry.origin)}: ${entry.scalingReason}`;
    case 'OperatorAction':
      return actionLine(entry, zone);
    case 'PolicyChange':
      return changeLine(entry);
    case 'StrategyChange':
      return strategyLine(entry);
    case 'SettingsChange':
      return settingsLine(entry);
    case 'SyncRun':
      return `${entry.source} ${entry.syncOutcome}: ${plainLook(entry.syncOutcome, entry.message)}`;
    default:
      return audit.otherKinds[entry.kind] ?? '';
  }
}

function decisionLine(entry: EntryNamed<'Decision'>): string {
  const { decided, currentReplicas, desiredReplicas, decisionReason } = entry;
  if (decided === 'Hold') return `keeps the count: ${decisionReason}`;
  if (decided === 'None') return `stays at ${currentReplicas ?? '?'}: ${decisionReason}`;
  return `${currentReplicas ?? '?'} → ${desiredReplicas ?? '?'}: ${decisionReason}`;
}

function actionLine(
  {
    actor,
    operatorAction,
    outcome,
    operatorReason,
    givenReason,
    operatorArguments,
    end,
    policy,
  }: EntryNamed<'OperatorAction'>,
  zone: TimeZoneChoice,
): string {
  const given = (operatorArguments ?? {}) as Readonly<Record<string, unknown>>;
  const place = policy === null ? placeOf(given) : undefined;
  const what = [
    askedText(isolated(actorName(actor)), operatorAction, given),
    outcomeText(outcome),
    place,
    ...termsOf(given),
    ...(isEnd(operatorAction) ? [] : endOf(given, end, zone)),
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
  const why = operatorReason === null ? what : `${what}: ${isolated(operatorReason)}`;
  return givenReason === null ? why : `${why} · ${audit.givenReason(isolated(givenReason))}`;
}

/** In which direction and within which bounds an action was asked for; a field of another release is none. */
function termsOf(given: Readonly<Record<string, unknown>>): readonly string[] {
  const { direction } = given;
  const isKnown = direction === 'Both' || direction === 'Up' || direction === 'Down';
  const terms = interventionTerms({
    direction: isKnown ? direction : null,
    minReplicas: countOf(given['minReplicas']),
    maxReplicas: countOf(given['maxReplicas']),
    replicas: countOf(given['replicas']),
  });
  return terms === '' ? [] : [terms];
}

/** Until when an action was asked for, and when and by whom it was ended before that. */
function endOf(
  { expires }: Readonly<Record<string, unknown>>,
  end: EntryNamed<'OperatorAction'>['end'],
  zone: TimeZoneChoice,
): readonly string[] {
  if (typeof expires !== 'string') return [];
  const expiry = formatTime(expires, zone);
  return end === null || Date.parse(end.time) >= Date.parse(expires)
    ? [`${interventions.until} ${expiry}`]
    : [audit.endedEarly(formatTime(end.time, zone), isolated(end.actor), expiry)];
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function strategyLine({ field, before, after }: EntryNamed<'StrategyChange'>): string {
  return `${field}: ${before ?? 'none'} → ${after}`;
}

/** `mode: Observe → Act`; of the first that are recorded, that they are. */
function settingsLine({ settingsBefore, settingsAfter }: EntryNamed<'SettingsChange'>): string {
  if (settingsBefore === null) return audit.firstSettings;
  const changes = jsonChanges(settingsBefore as Json, settingsAfter as Json);
  const shown = changes
    .slice(0, maximumSettings)
    .map(({ path, before: from, after: to }) => `${path}: ${settingText(from)} → ${settingText(to)}`);
  const others = changes.length - shown.length;
  return [...shown, ...(others > 0 ? [audit.moreSettings(others)] : [])].join(', ');
}

function settingText(value: unknown): string {
  return value === undefined ? audit.noSetting : isolated(jsonText(value));
}

/** Where an action acts that is about no single policy; undefined: it names no place. */
function placeOf({
  scope,
  namespace,
  source,
  metricSource,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (scope === 'Cluster') return interventions.places.cluster;
  if (typeof namespace === 'string') return interventions.places.namespace(isolated(namespace));
  if (typeof metricSource === 'string') return interventions.places.metricSource(isolated(metricSource));
  return typeof source === 'string' ? interventions.places.source(isolated(source)) : undefined;
}

/** Who did it: the operator, where one did in place of the commit's author. */
function changeLine({ source, commit, changeOperator }: EntryNamed<'PolicyChange'>): string {
  if (changeOperator !== null) {
    const { action, by, reason } = changeOperator;
    return `${source} ${changedByText(action, isolated(by))}: ${isolated(reason)}`;
  }
  if (commit === null) return source;
  const { hash, subject, author } = commit;
  return `${source} ${hash.slice(0, 7)} ${isolated(subject)} (${isolated(author)})`;
}
