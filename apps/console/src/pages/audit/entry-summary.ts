import { isolated } from '../../components/isolated.ts';
import { plainLook } from '../../components/plain-words.ts';
import { audit } from '../../messages/audit.ts';
import { askedText, changedByText, outcomeText } from '../../messages/entry-words.ts';
import { interventions } from '../../messages/interventions.ts';
import type { TimelineEntryFragment } from './audit.generated.ts';

type EntryNamed<K extends TimelineEntryFragment['__typename']> = Extract<
  TimelineEntryFragment,
  { readonly __typename: K }
>;

/** What an entry says, in a line. */
export function entrySummary(entry: TimelineEntryFragment): string {
  switch (entry.__typename) {
    case 'Decision':
      return decisionLine(entry);
    case 'ScalingEvent':
      return `${entry.from} → ${entry.to} by ${entry.manager ?? entry.origin}: ${entry.scalingReason}`;
    case 'OperatorAction':
      return actionLine(entry);
    case 'PolicyChange':
      return changeLine(entry);
    case 'StrategyChange':
      return `${entry.field}: ${entry.before ?? 'none'} → ${entry.after}`;
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

function actionLine({
  actor,
  operatorAction,
  outcome,
  operatorReason,
  operatorArguments,
  policy,
}: EntryNamed<'OperatorAction'>): string {
  const place = policy === null ? placeOf(operatorArguments) : undefined;
  const what = [askedText(isolated(actor), operatorAction), outcomeText(outcome), place]
    .filter((part) => part !== undefined)
    .join(' · ');
  return operatorReason === null ? what : `${what}: ${isolated(operatorReason)}`;
}

/** Where an action acts that is about no single policy; undefined: it names no place. */
function placeOf(given: unknown): string | undefined {
  const { scope, namespace, source, metricSource } = (given ?? {}) as Readonly<Record<string, unknown>>;
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
