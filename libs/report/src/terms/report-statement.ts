import type { StreamHead } from '#ledger';
import type { Period } from './period.ts';
import type { Price } from './price.ts';

/** What of the ledger a report is about; `null` is everything. A row is in it that all of them select. */
export interface ReportFilter {
  /** Names, or patterns with `*`. */
  readonly namespaces: readonly string[] | null;
  /** `NAMESPACE/NAME` each. */
  readonly policies: readonly string[] | null;
  /** Values of the label {@link teamLabel}. */
  readonly teams: readonly string[] | null;
  /** The label of a policy that names its team. */
  readonly teamLabel: string;
  /** What its reader may view, as {@link namespaces} are named; then what concerns no one namespace is left out, too. */
  readonly visibleNamespaces: readonly string[] | null;
}

/** What a report is asked for with. */
export interface ReportRequest {
  readonly period: Period;
  readonly filter: ReportFilter;
  /** `null`: no cost is computed. */
  readonly price: Price | null;
}

/** What a report says of itself before anything else. */
export interface ReportStatement extends ReportRequest {
  /** When the ledger was read, RFC 3339. */
  readonly madeAt: string;
  /** What was read, in words: a database, or an export and what it leaves out. */
  readonly readFrom: string;
  /** The heads of the streams that were read, by name. */
  readonly heads: readonly StreamHead[];
  /** The last checkpoint that the ledger had; `null`: none. */
  readonly checkpoint: { readonly number: bigint; readonly time: string; readonly origin: string } | null;
}

/** What a report came to. */
export interface ReportResult {
  readonly verification: ReportVerification;
  /** That the filter selects nothing, and what there is instead, in a sentence; `null`: it selects something. */
  readonly nothingMatches: string | null;
}

/** What verification came to, as `plimsoll audit verify` has it. */
export interface ReportVerification {
  /** `Consistent`: every entry follows from the one before it, up to the heads; who made them is not proven. */
  readonly status: 'Proven' | 'Consistent' | 'Broken';
  /** The first thing that is wrong; `null`: nothing is. */
  readonly fault: string | null;
}
