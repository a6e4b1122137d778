import type { ReportRow } from './report-row.ts';
import type { ReportResult, ReportStatement } from './report-statement.ts';
import type { ReportTotals } from './report-totals.ts';

/** A form: texts that follow each other. */
export interface ReportForm {
  begin(statement: ReportStatement): string;
  row(row: ReportRow): string;
  end(totals: ReportTotals, result: ReportResult): string;
}
