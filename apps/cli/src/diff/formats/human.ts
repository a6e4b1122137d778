import { isJsonObject, shortText } from '#kernel';
import type { FieldChange } from '#policy';
import { inColour, type Paint, plain } from '../../decision/explain-decision.ts';
import type { DiffReport } from '../diff-report.ts';
import type { PolicyDifference } from '../diff-trees.ts';

/** Colours, where the output is a terminal. */
export interface Style {
  readonly isColoured: boolean;
}

const signs = { Added: '+', Removed: '-', Changed: '~', Moved: '>', Invalid: '!' } as const;
const colours = { Added: 'green', Removed: 'red', Changed: 'yellow', Moved: 'cyan', Invalid: 'red' } as const;
/** A longer value is cut: the file has it. */
const valueMaximum = 200;

/** For a person: each policy with what changes for it, and a summary. */
export function formatHuman(report: DiffReport, style: Style): string {
  const paint = style.isColoured ? inColour : plain;
  const lines = report.differences.flatMap((each) => policyLines(each, paint));
  const errors = report.errors.map(
    ({ file, line, column, code, message }) =>
      `${file}:${line}:${column}: ${paint('red', 'error')} ${code}: ${message}`,
  );
  return `${[...lines, ...errors, summary(report)].join('\n')}\n`;
}

function policyLines(difference: PolicyDifference, paint: Paint): readonly string[] {
  const { policy, change, file, line, fields, departures = [] } = difference;
  const place = paint('dim', `${file}:${line}`);
  const title = `${paint(colours[change], signs[change])} ${paint('bold', policy)}`;
  const notes = departures.map((sentence) => paint('yellow', `    the HPA departs: ${sentence}`));
  return [
    `${title}  ${noteOf(difference)}${place}`,
    ...removalLines(difference),
    ...fieldLines(fields, paint),
    ...notes,
  ];
}

function removalLines({ because, hpa }: PolicyDifference): readonly string[] {
  const texts = [because, hpa === undefined ? undefined : hpaTexts[hpa]].filter((text) => text !== undefined);
  return texts.length === 0 ? [] : [`    ${texts.join('; ')}`];
}

const hpaTexts = { Deleted: 'its HPA is deleted', Kept: 'its HPA is kept' } as const;

function noteOf(difference: PolicyDifference): string {
  switch (difference.change) {
    case 'Added':
    case 'Removed':
      return subjectOf(difference);
    case 'Invalid':
      return `not compared: invalid at the ${difference.side ?? 'head'}  `;
    case 'Moved':
    case 'Changed': {
      const { from, isByDefaults } = difference;
      return `${from === undefined ? '' : `moved from ${from}  `}${isByDefaults === true ? 'by defaults  ' : ''}`;
    }
  }
}

function subjectOf({ change, target = '', minReplicas = 1, maxReplicas = 1 }: PolicyDifference): string {
  return `${change.toLowerCase()}: ${target}, ${minReplicas} to ${maxReplicas} replicas  `;
}

function fieldLines(fields: readonly FieldChange[], paint: Paint): readonly string[] {
  const leaves = fields.flatMap(leavesOf);
  const width = Math.max(0, ...leaves.map(({ path }) => path.length));
  return leaves.map(({ path, before, after }) => {
    const values =
      before === undefined
        ? paint('green', `+ ${shown(after)}`)
        : after === undefined
          ? paint('red', `- ${shown(before)}`)
          : `${shown(before)} → ${shown(after)}`;
    return `    ${path.padEnd(width)}  ${values}`;
  });
}

/** What is there as a whole on one side alone, a value each: as one text it would be cut. */
function leavesOf(field: FieldChange): readonly FieldChange[] {
  const side = field.before === undefined ? 'after' : 'before';
  const whole = field[side];
  const isOneSided = field.before === undefined || field.after === undefined;
  if (!isOneSided || !isJsonObject(whole) || isEmpty(whole)) return [field];
  return Object.entries(whole).flatMap(([key, value]) =>
    leavesOf({ path: `${field.path}.${key}`, [side]: value }),
  );
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

function shown(value: unknown): string {
  return shortText(typeof value === 'string' ? value : JSON.stringify(value), valueMaximum);
}

function summary({ differences, unchanged }: DiffReport): string {
  const counts = Map.groupBy(differences, ({ change }) => change.toLowerCase());
  const parts = [...counts].map(([change, each]) => `${each.length} ${change}`);
  return [...parts, `${unchanged} unchanged`].join(', ');
}
