import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A value that a field gets, and what must then be reported about the document. */
export interface ValidationRow {
  readonly title: string;
  readonly document: Record<string, unknown>;
  /** The field that an error must stand at, or at a parent of; absent: the document is valid. */
  readonly errorAt?: readonly string[];
  /** What a real API server makes of it: of a custom resource by its schema alone. */
  readonly isAcceptedByServer: boolean;
}

/** One file of the table. */
export interface ValidationTable {
  readonly file: string;
  /** The resource that a real API server has for this kind; absent: none. */
  readonly resource?: string;
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
  /** The server accepts these, Plimsoll does not. */
  readonly departure?: readonly unknown[];
  /** Plimsoll accepts these, the server does not. */
  readonly lenient?: readonly unknown[];
  /** Texts of `a` of these lengths. */
  readonly validLengths?: readonly number[];
  readonly invalidLengths?: readonly number[];
}

interface TableFile {
  readonly resource?: string;
  readonly base: Record<string, unknown>;
  readonly cases: readonly Case[];
}

type Verdict = 'valid' | 'invalid' | 'departure' | 'lenient';

const folder = new URL('../validation/', import.meta.url);

/** Reads the table: a row a value. */
export function readValidationTables(): readonly ValidationTable[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml') && !file.startsWith('text'));
  return files.map((file) => {
    const table = parse(readFileSync(new URL(file, folder), 'utf8')) as TableFile;
    const rows = table.cases.flatMap((each) => rowsOf(table.base, each));
    return { file, rows, ...(table.resource !== undefined && { resource: table.resource }) };
  });
}

function rowsOf(base: Record<string, unknown>, given: Case): readonly ValidationRow[] {
  const texts = (lengths: readonly number[] = []): string[] => lengths.map((length) => 'a'.repeat(length));
  const row = (value: unknown, verdict: Verdict): ValidationRow => {
    const shown = JSON.stringify(value);
    return {
      title: `${given.name}: ${shown.length > 90 ? `${shown.slice(0, 90)}… (${shown.length})` : shown} is ${verdict}`,
      document: documentWith(base, { ...given.with, [given.field]: value }),
      ...((verdict === 'invalid' || verdict === 'departure') && {
        errorAt: pointerPath(given.at ?? given.field),
      }),
      isAcceptedByServer: verdict === 'valid' || verdict === 'departure',
    };
  };
  return [
    ...[...(given.valid ?? []), ...texts(given.validLengths)].map((value) => row(value, 'valid')),
    ...[...(given.invalid ?? []), ...texts(given.invalidLengths)].map((value) => row(value, 'invalid')),
    ...(given.departure ?? []).map((value) => row(value, 'departure')),
    ...(given.lenient ?? []).map((value) => row(value, 'lenient')),
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
