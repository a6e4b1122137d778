import { UnusableError } from '../unusable-error.ts';

/** A column of a table: its heading, and what a row has there. */
export type Column<T> = readonly [heading: string, cell: (row: T) => string | number | null];

/** The text of an answer for scripts; null: it is for a person. @throws UnusableError */
export async function textForScripts(value: unknown, format: string | undefined): Promise<string | null> {
  if (format === undefined) return null;
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  if (format === 'yaml') return (await import('yaml')).stringify(value);
  throw new UnusableError(`-o ${JSON.stringify(format)} is none of json and yaml`);
}

/** Rows below their headings, aligned. What is null is a dash. */
export function table<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  const cells = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, cell]) => String(cell(row) ?? '-').replaceAll(/\s+/g, ' '))),
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
