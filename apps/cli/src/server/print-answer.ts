import { escapeControls } from '#kernel';
import { printableLines } from '../printable.ts';
import { UnusableError } from '../unusable-error.ts';
import { onOneLine } from './one-line.ts';

/**
 * A column of a table: its heading, and what a row has there. A column of words is one of sentences, which a screen may
 * cut, unless it is `Whole`: it has names.
 */
export type Column<T> = readonly [heading: string, cell: (row: T) => string | number | null, width?: 'Whole'];

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
 *   commands take them. Undefined: whoever reads it wants everything.
 */
export function table<T>(rows: readonly T[], columns: readonly Column<T>[], width?: number): string {
  const body = rows.map((row) =>
    columns.map(([, cell]) => printableLines(String(cell(row) ?? '-').replaceAll(/\s+/g, ' '))),
  );
  const cells = [columns.map(([heading]) => heading), ...body];
  const natural = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const widths = width === undefined ? natural : fittingWidths(natural, { body, columns }, width);
  return cells
    .map((line) =>
      line
        .map((cell, at) => cut(cell, widths[at] ?? 0))
        .map((cell, at) => (at === line.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
        .join(gap)
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Between two columns. */
const gap = '  ';

/** Less says nothing any more. */
const narrowest = 16;

/** Takes from the widest column of sentences, one character after another, until a row fits or none can give more. */
function fittingWidths(
  natural: readonly number[],
  {
    body,
    columns,
  }: { readonly body: readonly (readonly string[])[]; readonly columns: readonly (readonly unknown[])[] },
  width: number,
): readonly number[] {
  const isProse = columns.map(
    ([, , kept], at) => kept !== 'Whole' && body.some((line) => line[at]?.includes(' ')),
  );
  const widths = [...natural];
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
