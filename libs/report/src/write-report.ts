import type { UnverifiedEntry } from '#ledger';
import { CsvReport } from './forms/csv-report.ts';
import { HtmlReport } from './forms/html-report.ts';
import { JsonReport, LinesReport } from './forms/json-report.ts';
import type { ReportForm } from './forms/report-form.ts';
import { EarlyEnds } from './rows/early-ends.ts';
import { FilterMatch } from './terms/filter-match.ts';
import type {
  ReportRequest,
  ReportResult,
  ReportStatement,
  ReportVerification,
} from './terms/report-statement.ts';
import { ReportFold } from './totals/report-fold.ts';

/** The forms of a report. */
export const reportFormats = ['json', 'ndjson', 'csv', 'html'] as const;
/** One of those forms. */
export type ReportFormat = (typeof reportFormats)[number];

/** Rows that wait for the end of an intervention: more than are recorded within most, and some MB. */
const maximumWaitingRows = 10_000;

/** What a report is made from. */
export interface ReportSource {
  readonly about: Pick<ReportStatement, 'madeAt' | 'readFrom' | 'heads' | 'checkpoint'>;
  /** The names of all streams, also of those that the filter leaves out. */
  readonly streams: readonly string[];
  /** Those of the heads' streams, stream by stream, each in its order. */
  readonly entries: AsyncIterable<readonly UnverifiedEntry[]>;
  /** Asked for when all entries have been read. */
  readonly verification: () => Promise<ReportVerification>;
}

const forms: Readonly<Record<ReportFormat, () => ReportForm>> = {
  json: () => new JsonReport(),
  ndjson: () => new LinesReport(),
  csv: () => new CsvReport(),
  html: () => new HtmlReport(),
};

/**
 * A report as text, in portions, each made when it is asked for.
 *
 * @returns what it came to
 */
export async function* writeReport(
  request: ReportRequest,
  source: ReportSource,
  format: ReportFormat,
): AsyncGenerator<string, ReportResult> {
  const form = forms[format]();
  const match = new FilterMatch(request.filter, source.streams);
  const fold = new ReportFold(request, match);
  const ends = new EarlyEnds(maximumWaitingRows);
  yield form.begin({ ...request, ...source.about });
  for await (const entries of source.entries) {
    let text = '';
    for (const entry of entries) {
      const rows = ends.take(entry, fold.take(entry));
      for (const row of rows) text += form.row(row);
    }
    if (text !== '') yield text;
  }
  for (const row of ends.rest()) yield form.row(row);
  fold.end();
  const { rows, policies } = fold.totals;
  const result: ReportResult = {
    verification: await source.verification(),
    nothingMatches: rows > 0 || policies.length > 0 ? null : match.nothingMatches(),
  };
  yield form.end(fold.totals, result);
  return result;
}
