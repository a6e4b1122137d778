import type { Problem, Severity } from '../diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../diagnostics/diagnostic-code.ts';

/** A problem of a value, without its place. */
export interface Finding {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint?: string;
  /** What most likely was to stand there instead, of which the hint tells. */
  readonly meant?: string;
  /** `error` where absent. */
  readonly severity?: Severity;
}

/** Where problems go. */
export interface ProblemSink {
  readonly add: (problem: Problem) => void;
  /** Whether so many were found that a search for what was meant no longer helps. */
  readonly isLong: boolean;
}

/**
 * Where in a document a reader stands: its path is put together only when something is wrong there, which keeps
 * reading a valid document cheap.
 */
export class Place {
  readonly sink: ProblemSink;
  readonly parent: Place | undefined;
  readonly key: string | number;

  constructor(sink: ProblemSink, key: string | number = '', parent?: Place) {
    this.sink = sink;
    this.key = key;
    this.parent = parent;
  }

  child(key: string | number): Place {
    return new Place(this.sink, key, this);
  }

  /** The same place, its problems going elsewhere. */
  reportingTo(sink: ProblemSink): Place {
    return new Place(sink, this.key, this.parent);
  }

  /** Keys and indexes from the document's root. */
  path(): (string | number)[] {
    return this.parent === undefined ? [] : [...this.parent.path(), this.key];
  }

  report(finding: Finding): void {
    const { severity = 'error', ...said } = finding;
    this.sink.add({ severity, ...said, path: this.path() });
  }
}

/** Codes that a wrong shape gives; the rest are about values. */
const structural: ReadonlySet<string> = new Set<DiagnosticCode>(['InvalidType', 'UnknownField', 'NullItem']);

/** Passes on only what is wrong with shapes: for a section that must not be there. */
export function structureOnly(sink: ProblemSink): ProblemSink {
  return filtered(sink, ({ code }) => structural.has(code));
}

/** Passes on what a custom resource's schema finds in a section that nothing reads: shapes, and a selector's fields. */
export function schemaOnly(sink: ProblemSink): ProblemSink {
  return filtered(sink, ({ code, path }) => {
    const field = path.at(-1);
    const isSchemaField = field === 'key' || field === 'operator';
    // A placeholder where a map or a list should be is a wrong type under another name.
    const isShape = structural.has(code) || code === 'Placeholder';
    return isShape || (code === 'Required' && isSchemaField);
  });
}

function filtered(sink: ProblemSink, passes: (problem: Problem) => boolean): ProblemSink {
  return {
    add: (problem) => {
      if (passes(problem)) sink.add(problem);
    },
    get isLong() {
      return sink.isLong;
    },
  };
}

/** `spec.metrics[0].resource`; a key with other characters is quoted: `metadata.labels["a.b"]`. */
export function pathText(path: readonly (string | number)[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(key)) text += text === '' ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}
