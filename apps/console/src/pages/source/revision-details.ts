/** A problem of a document, as the revision's record has it. */
export interface RevisionDiagnostic {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly hint: string | null;
}

/** What the record of a revision says beyond its fields. */
export interface RevisionDetails {
  readonly message: string;
  readonly parents: readonly string[];
  readonly diagnostics: readonly RevisionDiagnostic[];
}

/** Reads the JSON that the API has of a revision: what is missing or of another form is left out. */
export function readRevisionDetails(details: unknown): RevisionDetails {
  const { message, parents, diagnostics } = recordOf(details);
  return {
    message: typeof message === 'string' ? message : '',
    parents: listOf(parents).filter((parent) => typeof parent === 'string'),
    diagnostics: listOf(diagnostics).map(diagnosticOf),
  };
}

function diagnosticOf(value: unknown): RevisionDiagnostic {
  const { severity, code, message, file, line, column, hint } = recordOf(value);
  return {
    severity: textOf(severity),
    code: textOf(code),
    message: textOf(message),
    file: textOf(file),
    line: Number(line),
    column: Number(column),
    hint: typeof hint === 'string' ? hint : null,
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
