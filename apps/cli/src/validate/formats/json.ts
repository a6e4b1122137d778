import { countOf, type ValidationReport } from '../validation-report.ts';

/** For programs: one JSON object. */
export function formatJson(report: ValidationReport): string {
  const { diagnostics, files, lookedAt, notes, policies, notTaken, listsFiles, comings } = report;
  const summary = {
    policies,
    notTaken,
    files: files.filter(({ isRead }) => isRead).length,
    lookedAt,
    errors: countOf(report, 'error'),
    warnings: countOf(report, 'warning'),
    ...comings,
  };
  const listed = files.map(({ file, isRead, reason }) => ({
    file,
    read: isRead,
    ...(!isRead && { reason }),
  }));
  return `${JSON.stringify({ version: 1, summary, diagnostics, notes, ...(listsFiles && { files: listed }) }, null, 2)}\n`;
}
