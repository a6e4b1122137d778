export { localText, parsePeriod, type Period, type PeriodRequest } from './period.ts';
export { parsePrice, type Price } from './price.ts';
export { isReportedStream } from './report-fold.ts';
export type { ReportFilter, ReportRequest, ReportVerification } from './report-statement.ts';
export { databaseSource } from './verified-entries.ts';
export { type ReportFormat, reportFormats, type ReportSource, writeReport } from './write-report.ts';
