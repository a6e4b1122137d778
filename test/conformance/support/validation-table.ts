import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A value that a field gets, and what must be said about the document then. */
export interface ValidationRow {
  readonly title: string;
  readonly document: Record<string, unknown>;
  /** The field that an error must stand at, or at a parent of; absent: the document is valid. */
  readonly errorAt?: readonly string[];
  /** The server accepts it all the same. */
  readonly isDeparture: boolean;
}

/** One file of the table. */
export interface ValidationTable {
  readonly file: string;
  /** Whether a real API server has this kind. */
  readonly isOnServer: boolean;
  readonly rows: readonly ValidationRow[];
}

interface Case {
  readonly name: string;
  /** JSON Pointer of the field that gets each value. */
  readonly field: string;
  /** JSON Pointer of the error, where it is another. */
  readonly at?: string;
  /** Other fields to set before, by JSON Pointer. */
  readonly with?: Readonly<Record<string, unknown>>;
  readonly valid?: readonly unknown[];
  readonly invalid?: readonly unknown[];
  readonly departure?: readonly unknown[];
  /** Texts of `a` of these lengths. */
  readonly validLengths?: readonly number[];
  readonly invalidLengths?: readonly number[];
}

interface TableFile {
  readonly server: boolean;
  readonly base: Record<string, unknown>;
  readonly cases: readonly Case[];
}

const folder = new URL('../validation/', import.meta.url);

/** Reads the table: a row a value. */
export function readValidationTables(): readonly ValidationTable[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml') && !file.startsWith('text'));
  return files.map((file) => {
    const table = parse(readFileSync(new URL(file, folder), 'utf8')) as TableFile;
    return { file, isOnServer: table.server, rows: table.cases.flatMap((each) => rowsOf(table.base, each)) };
  });
}

function rowsOf(base: Record<string, unknown>, given: Case): readonly ValidationRow[] {
  const texts = (lengths: readonly number[] = []): string[] => lengths.map((length) => 'a'.repeat(length));
  const row = (value: unknown, verdict: 'valid' | 'invalid' | 'departure'): ValidationRow => {
    const shown = JSON.stringify(value);
    return {
      title: `${given.name}: ${shown.length > 90 ? `${shown.slice(0, 90)}… (${shown.length})` : shown} is ${verdict}`,
      document: documentWith(base, { ...given.with, [given.field]: value }),
      ...(verdict !== 'valid' && { errorAt: pointerPath(given.at ?? given.field) }),
      isDeparture: verdict === 'departure',
    };
  };
  return [
    ...[...(given.valid ?? []), ...texts(given.validLengths)].map((value) => row(value, 'valid')),
    ...[...(given.invalid ?? []), ...texts(given.invalidLengths)].map((value) => row(value, 'invalid')),
    ...(given.departure ?? []).map((value) => row(value, 'departure')),
  ];
}

function documentWith(
  base: Record<string, unknown>,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const document = structuredClone(base);
  for (const [pointer, value] of Object.entries(values)) {
    const path = pointerPath(pointer);
    let at = document;
    for (const key of path.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>;
    at[path.at(-1) ?? ''] = structuredClone(value);
  }
  return document;
}

function pointerPath(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
