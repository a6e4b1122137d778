import type { Severity } from '#policy';

/** A diagnostic as it is printed: its file is relative to the folder that the command was started in, or to the repository's top. */
export interface ReportedDiagnostic {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The field, as `spec.metrics[0].type`; empty where it is about no field. */
  readonly path: string;
  readonly tenant: string;
}

/** What became of a file. */
export interface ReportedFile {
  readonly file: string;
  /** Whether it is read; else `reason` says why not. */
  readonly isRead: boolean;
  readonly reason: string;
}

/** Which policies would come and go, each named as `shop/checkout`, by name. */
export interface PolicyComings {
  readonly new: readonly string[];
  readonly leaving: readonly LeavingPolicy[];
}

/** A policy of the base revision that would not be in force any more. */
export interface LeavingPolicy {
  readonly policy: string;
  /** What becomes of the HPA that it is rendered into; `None`: it is rendered into none. */
  readonly hpa: 'Deleted' | 'Kept' | 'None';
}

/** Everything that `plimsoll validate` has to say. */
export interface ValidationReport {
  readonly diagnostics: readonly ReportedDiagnostic[];
  readonly files: readonly ReportedFile[];
  /** What was not checked, and why. */
  readonly notes: readonly string[];
  readonly policies: number;
  /** What the tree would change of the policies of the base revision; absent: there is none to compare with. */
  readonly comings?: PolicyComings;
  /** Files whose bytes were looked at, at least for the names of our kinds. */
  readonly lookedAt: number;
  /** Why no file was looked at; absent where one was. */
  readonly nothing?: string;
  /** Documents of ours that are not taken, by reason: `Patch`, `NotListed`, `NeedsRendering`, `Unreadable`. */
  readonly notTaken: Readonly<Record<string, number>>;
  /** The line of a file, for a person to see; `undefined` where it cannot be read. */
  readonly lineOf: (file: string, line: number) => string | undefined;
  /** Whether files were asked for. */
  readonly listsFiles: boolean;
}

/** How many diagnostics of a severity there are. */
export function countOf(report: ValidationReport, severity: Severity): number {
  return report.diagnostics.filter((each) => each.severity === severity).length;
}
