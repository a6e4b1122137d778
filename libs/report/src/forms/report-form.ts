import type { ReportRow } from '../rows/report-row.ts';
import type { ReportResult, ReportStatement } from '../terms/report-statement.ts';
import type { ReportTotals } from '../totals/report-totals.ts';

/** A form: texts that follow each other. */
export interface ReportForm {
  begin(statement: ReportStatement): string;
  row(row: ReportRow): string;
  end(totals: ReportTotals, result: ReportResult): string;
}
