import { escapeControls } from '#kernel';
import { printableLines } from '../printable.ts';
import { UnusableError } from '../unusable-error.ts';
import { onOneLine } from './one-line.ts';

/** A column of a table: its heading, and what a row has there. */
export type Column<T> = readonly [heading: string, cell: (row: T) => string | number | null];

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

/** Rows below their headings, aligned. What is null is a dash. */
export function table<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  const cells = [
    columns.map(([heading]) => heading),
    ...rows.map((row) =>
      columns.map(([, cell]) => printableLines(String(cell(row) ?? '-').replaceAll(/\s+/g, ' '))),
    ),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, at) => (at === line.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
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
