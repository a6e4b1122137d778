import type { RevisionRecord } from '#git-sync';
import { AdapterError, isJsonObject, type Json } from '#kernel';
import type { SourceOperations } from '../../git-sync/source-operations.ts';

/** What is wrong with a document of a revision, with the line that it is about. */
export interface RevisionDiagnostic {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly hint: string | null;
  /** The line, cut at 400 characters; null: it cannot be read any more. */
  readonly text: string | null;
}

/** Diagnostics of a revision that are answered; the details of the revision have all of them. */
const maximumDiagnostics = 200;

/** The diagnostics of a revision, what rejects it first. A repository that cannot be read leaves their texts out. */
export async function loadDiagnostics(
  sources: Pick<SourceOperations, 'loadLines'>,
  { source, commit, details }: Pick<RevisionRecord, 'source' | 'commit' | 'details'>,
): Promise<readonly RevisionDiagnostic[]> {
  const recorded = Array.isArray(details['diagnostics']) ? details['diagnostics'] : [];
  // Earlier releases recorded them by file and line alone.
  const errorsFirst = recorded.map(diagnosticOf).toSorted((one, other) => rank(one) - rank(other));
  const diagnostics = errorsFirst.slice(0, maximumDiagnostics);
  const lines = await sources.loadLines(source, commit.hash, diagnostics).catch((error: unknown) => {
    if (error instanceof AdapterError) return [];
    throw error;
  });
  return diagnostics.map((diagnostic, index) => ({ ...diagnostic, text: lines[index] ?? null }));
}

function rank({ severity }: Pick<RevisionDiagnostic, 'severity'>): number {
  return severity === 'error' ? 0 : 1;
}

function diagnosticOf(value: Json): Omit<RevisionDiagnostic, 'text'> {
  const { severity, code, message, file, line, column, hint } = isJsonObject(value) ? value : {};
  return {
    ...{ severity: textOf(severity), code: textOf(code), message: textOf(message), file: textOf(file) },
    ...{ line: Number(line) || 1, column: Number(column) || 1 },
    hint: typeof hint === 'string' ? hint : null,
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
