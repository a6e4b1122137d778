import { escapeControls } from '#kernel';
import { printableLines } from '../printable.ts';
import { onOneLine } from '../server/one-line.ts';
import { UnusableError } from '../unusable-error.ts';

/**
 * A column of a table: its heading, and what a row has there. A column of words is one of sentences, which a screen may
 * cut, unless it is `Whole`: it has names; or `Below`: it is what the row is about, and stands whole in a line of its own
 * below the row where there is no room for it. A `Spare` column, which no command takes anything from, is left out on a screen
 * without room for it.
 */
export type Column<T> = readonly [
  heading: string,
  cell: (row: T) => string | number | null,
  width?: 'Whole' | 'Spare' | 'Below',
];

/** The text of an answer for scripts; null: it is for a person. @throws UnusableError */
export async function textForScripts(value: unknown, format: string | undefined): Promise<string | null> {
  if (format === undefined) return null;
  if (format === 'json') return `${jsonText(value, 2)}\n`;
  if (format === 'yaml') return yamlText(value);
  throw new UnusableError(`-o ${JSON.stringify(format)} is none of json and yaml`);
}

/** JSON that a terminal shows as it is, too: what reorders text, and what JSON allows of controls, is escaped. */
export function jsonText(value: unknown, indentation?: number): string {
  return shownText(JSON.stringify(value, null, indentation));
}

/** YAML likewise: texts with such characters are in double quotes, where they can be escaped. */
async function yamlText(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(value);
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && shownText(scalar.value) !== scalar.value)
        scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return shownText(document.toString());
}

function shownText(text: string): string {
  return text.replaceAll(/[^\n]+/g, escapeControls);
}

/**
 * Rows below their headings, aligned. What is null is a dash.
 *
 * @param width of a screen, in characters: sentences are cut with … so that rows fit, names and ids never, since other
 *   commands take them. Where that is not enough, columns without any value are left out, then spare ones, the last first,
 *   and then the sentences of a row stand in a line of their own below it. Undefined: whoever reads it wants everything.
 */
export function table<T>(rows: readonly T[], columns: readonly Column<T>[], width?: number): string {
  const parts = columns.map(([heading, cell, kept]): Part => {
    const values = rows.map(cell);
    const body = values.map((value) => printableLines(String(value ?? noValue).replaceAll(/\s+/g, ' ')));
    const natural = Math.max(heading.length, ...body.map(({ length }) => length));
    const isBelow = kept === 'Below';
    const isProse = !isBelow && kept !== 'Whole' && body.some((text) => text.includes(' '));
    const whenEmpty = values.every((value) => value === null) ? 'Empty' : 'Never';
    const leftOut = kept === 'Spare' ? 'Spare' : whenEmpty;
    return { cells: [heading, ...body], natural, isProse, isBelow, leftOut };
  });
  const lines = width === undefined ? [parts] : fittingLines(parts, width);
  return textOf(lines, rows.length + 1, width);
}

/** A column as it is printed. */
interface Part {
  /** The heading first. */
  readonly cells: readonly string[];
  readonly natural: number;
  readonly isProse: boolean;
  /** It is never cut, and has a line of its own where there is no room. */
  readonly isBelow: boolean;
  /** As what it may be left out. */
  readonly leftOut: 'Never' | 'Spare' | 'Empty';
}

/** The columns that there is room for; a second line has the sentences, where they have no room beside the names. */
function fittingLines(parts: readonly Part[], width: number): readonly (readonly Part[])[] {
  const kept = withoutSpare(parts, width);
  const prose = kept.filter(({ isProse }) => isProse);
  if (leastWidth(kept) <= width) return [kept];
  const below = parts.filter(({ isBelow }) => isBelow);
  if (below.length > 0) {
    const others = parts.filter(({ isBelow }) => !isBelow);
    return others.length === 0 ? [below] : [...fittingLines(others, width), below];
  }
  if (prose.length === 0 || prose.length === kept.length) return [kept];
  return [kept.filter(({ isProse }) => !isProse), prose];
}

/** As many of the columns that may be left out as have to be. */
function withoutSpare(parts: readonly Part[], width: number): readonly Part[] {
  let kept = parts;
  for (const kind of ['Empty', 'Spare'] as const) {
    while (leastWidth(kept) > width) {
      const spare = kept.findLast(({ leftOut }) => leftOut === kind);
      if (spare === undefined || kept.length === 1) break;
      kept = kept.filter((part) => part !== spare);
    }
  }
  return kept;
}

/** With all sentences cut to their least. */
function leastWidth(parts: readonly Part[]): number {
  const widths = parts.map(({ natural, isProse }) => (isProse ? Math.min(natural, narrowest) : natural));
  return widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1));
}

function textOf(lines: readonly (readonly Part[])[], rows: number, width: number | undefined): string {
  const printed = lines.map((parts, at) => {
    const indent = at === 0 ? '' : gap.repeat(2);
    const widths =
      width === undefined ? parts.map(({ natural }) => natural) : fittingWidths(parts, width - indent.length);
    return (row: number): string => {
      if (row > 0 && parts.every(({ isBelow, cells }) => isBelow && cells[row] === noValue)) return '';
      const cells = parts.map((part, column) => cut(part.cells[row] ?? '', widths[column] ?? 0));
      const padded = cells.map((cell, column) =>
        column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0),
      );
      return `${`${indent}${padded.join(gap)}`.trimEnd()}\n`;
    };
  });
  return Array.from({ length: rows }, (_, row) => printed.map((line) => line(row)).join('')).join('');
}

/** Of a cell without a value. */
const noValue = '-';

/** Between two columns. */
const gap = '  ';

/** Less says nothing any more. */
const narrowest = 16;

/** Takes from the widest column of sentences, one character after another, until a row fits or none can give more. */
function fittingWidths(parts: readonly Part[], width: number): readonly number[] {
  const isProse = parts.map((part) => part.isProse);
  const widths = parts.map(({ natural }) => natural);
  let excess = widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1)) - width;
  for (; excess > 0; excess -= 1) {
    const most = Math.max(...widths.filter((_, at) => isProse[at] === true));
    if (most <= narrowest) return widths;
    widths[widths.findLastIndex((each, at) => isProse[at] === true && each === most)] = most - 1;
  }
  return widths;
}

function cut(cell: string, width: number): string {
  return cell.length <= width ? cell : `${cell.slice(0, width - 1).trimEnd()}…`;
}

/** What an answer must have. @throws TypeError, which {@link understood} explains */
export function requiredText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError('a text is missing');
}

/** Reads an answer. @throws UnusableError where it has another form than this version expects */
export async function understood<T>(server: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnusableError(
      `${server} does not answer as this version of Plimsoll's API: ${onOneLine(error.message)}`,
    );
  }
}
