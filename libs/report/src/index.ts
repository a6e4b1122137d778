export { localText, parsePeriod, type Period } from './period.ts';
export { parsePrice, type Price } from './price.ts';
export type { ReportFilter, ReportRequest, ReportResult, ReportVerification } from './report-statement.ts';
export { databaseSource } from './verified-entries.ts';
export { type ReportFormat, reportFormats, type ReportSource, writeReport } from './write-report.ts';
