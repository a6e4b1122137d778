import type { DiagnosticCode } from './diagnostic-code.ts';

/** What a diagnostic does to its document: an error rejects it, a warning and a note never do. */
export type Severity = 'error' | 'warning' | 'note';

/**
 * One thing that is wrong with a value, by path; positions are added where there is a file.
 * `message` names the field, the bound and the value given.
 */
export interface Problem {
  readonly severity: Severity;
  /** Closed set, stable: tools key on it. */
  readonly code: DiagnosticCode;
  readonly message: string;
  /** Keys and list indexes from the document's root: `['spec', 'metrics', 0, 'resource']`. */
  readonly path: readonly (string | number)[];
  readonly hint?: string;
  /** What most likely was to stand there instead, of which the hint tells. */
  readonly meant?: string;
}

/** A place in a file. Line and column count from 1. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A problem at its place in a file. */
export interface Diagnostic extends Problem, FilePlace {
  /** Other places of the same cause, which the message names. */
  readonly related?: readonly RelatedPlace[];
}

/** Another place of a problem; `path` is the field there, where it is another one. */
export interface RelatedPlace extends FilePlace {
  readonly path?: Problem['path'];
}

/** Orders diagnostics by file, line and column. */
export function byPosition(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** What is wrong, and what was most likely meant: other hints are for whoever has the file at hand. */
export function sentenceOf({ message, hint, meant }: Pick<Diagnostic, 'message' | 'hint' | 'meant'>): string {
  return meant === undefined || hint === undefined ? message : `${message}; ${hint}`;
}
