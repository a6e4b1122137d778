import { styleText } from 'node:util';
import type { Action, Condition, Decision, MetricReport, Step } from '#decision';
import { conditionMessage } from '#decision/condition-message';
import { withRequestUnit } from '#decision/request-unit';
import { namespacedName } from '#kernel';
import type { ExplainedDecision } from './read-decision.ts';

/** Paints text, or leaves it as it is. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** For a terminal, or for a file. */
export const inColour: Paint = (style, text) => styleText(style, text, { validateStream: false });
export const plain: Paint = (_style, text) => text;

/** Pod names that a list shows. */
const maxNames = 8;

/** A decision's waterfall as a person reads it: the verdict, how the count came about, and what it was based on. */
export function explainDecision({ decision, departures }: ExplainedDecision, paint: Paint): string {
  return [
    ...headline(decision, paint),
    '',
    ...waterfall(decision, paint),
    ...departures.map((sentence) => paint('yellow', `  the HPA departs: ${sentence}`)),
    ...metricLines(decision, paint),
    ...conditionLines(decision.conditions, paint),
  ].join('\n');
}

function headline(decision: Decision, paint: Paint): readonly string[] {
  const { policy, time, currentReplicas, desiredReplicas, action, reason, selection } = decision;
  const change =
    currentReplicas === desiredReplicas
      ? countText(currentReplicas)
      : `${countText(currentReplicas)} → ${countText(desiredReplicas)}`;
  const lines = [
    `${paint('bold', namespacedName(policy))}  ${paint('dim', time)}`,
    `${paint('bold', change)} replicas  ${paint(colourOf[action], action)}: ${reason}`,
  ];
  if (selection.fallback !== null) {
    lines.push(
      paint('yellow', `selection fell back to ${selection.effective}: ${selection.fallback.message}`),
    );
  }
  return lines;
}

const colourOf: Readonly<Record<Action, 'green' | 'cyan' | 'dim' | 'yellow'>> = {
  ScaleUp: 'green',
  ScaleDown: 'cyan',
  None: 'dim',
  Hold: 'yellow',
};

/** One line a step: what it changed the count to, and why. */
function waterfall({ steps, currentReplicas, metrics }: Decision, paint: Paint): readonly string[] {
  const width = Math.max(7, ...steps.map(({ rule }) => rule.length));
  const digits = Math.max(1, ...steps.map(({ after }) => countText(after).length));
  const start = `  ${'present'.padEnd(width)}  ${countText(currentReplicas).padStart(digits)}`;
  const lines = steps.map((step) => ({ ...step, because: withRequestUnit(step.because, metrics) }));
  return [start, ...lines.map((step) => stepLine(step, { width, digits, paint }))];
}

function stepLine(
  { rule, before, after, because }: Step,
  { width, digits, paint }: { width: number; digits: number; paint: Paint },
): string {
  const isChange = before !== after;
  const count = countText(after).padStart(digits);
  const arrow = !isChange ? ' ' : (after ?? 0) > (before ?? 0) ? '▲' : '▼';
  const painted = isChange
    ? paint(arrow === '▲' ? 'green' : 'cyan', `${count} ${arrow}`)
    : `${count} ${arrow}`;
  return `  ${paint(isChange ? 'bold' : 'dim', rule.padEnd(width))}  ${painted} ${because}`;
}

function metricLines({ metrics }: Decision, paint: Paint): readonly string[] {
  if (metrics.length === 0) return [];
  return ['', paint('bold', 'Metrics'), ...metrics.flatMap((metric) => metricLine(metric, paint))];
}

/** Messages of upstream's begin with the reason. */
function reasonText({ reason, message }: { readonly reason: string; readonly message: string }): string {
  return message.startsWith(`${reason}: `) ? message : `${reason}: ${message}`;
}

function metricLine(
  { type, name, current, proposedReplicas, error, pods }: MetricReport,
  paint: Paint,
): string[] {
  const { averageUtilization, averageValue, value } = current;
  const values = [
    averageUtilization === undefined ? '' : `${averageUtilization} %`,
    averageValue === undefined ? '' : `${averageValue} on average`,
    value ?? '',
  ].filter((text) => text !== '');
  const verdict =
    error === null ? `proposes ${countText(proposedReplicas)}` : paint('red', reasonText(error));
  const lines = [
    `  ${type} ${paint('bold', name)}  ${values.length === 0 ? 'no value' : values.join(', ')}; ${verdict}`,
  ];
  const groups = [
    ['ready', pods.ready],
    ['unready', pods.unready],
    ['missing', pods.missing],
    ['ignored', pods.ignored],
    ['filtered out', pods.filteredOut.map(({ pod, reason }) => `${pod} (${reason})`)],
  ] as const;
  for (const [group, names] of groups)
    if (names.length > 0) lines.push(paint('dim', `    ${names.length} ${group}: ${namesText(names)}`));
  return lines;
}

function conditionLines(conditions: readonly Condition[], paint: Paint): readonly string[] {
  if (conditions.length === 0) return [];
  const width = Math.max(...conditions.map(({ type }) => type.length));
  return [
    '',
    paint('bold', 'Conditions'),
    ...conditions.map(({ type, status, reason, message }) => {
      const said = message === '' ? '' : paint('dim', `: ${conditionMessage({ reason, message })}`);
      return `  ${type.padEnd(width)}  ${status.padEnd(5)}  ${reason}${said}`;
    }),
  ];
}

function namesText(names: readonly string[]): string {
  const rest = names.length - maxNames;
  return names.slice(0, maxNames).join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}

function countText(count: number | null): string {
  return count === null ? '?' : String(count);
}
