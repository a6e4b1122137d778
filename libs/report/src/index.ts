export { localText, parsePeriod, type Period } from './terms/period.ts';
export { parsePrice, type Price } from './terms/price.ts';
export type {
  ReportFilter,
  ReportRequest,
  ReportResult,
  ReportVerification,
} from './terms/report-statement.ts';
export { databaseSource } from './verified-entries.ts';
export { type ReportFormat, reportFormats, type ReportSource, writeReport } from './write-report.ts';
