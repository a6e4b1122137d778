import { countOf, type ReportedDiagnostic, type ValidationReport } from '../report.ts';

/** Colours, where the output is a terminal. */
export interface Style {
  readonly isColoured: boolean;
}

const codes = { error: 31, warning: 33, note: 36, dim: 2, bold: 1 } as const;
/** A longer line does not fit a terminal, and its caret would be elsewhere. */
const excerptMaximum = 160;

/** For a person: each diagnostic with its line and a caret, and a summary. */
export function formatHuman(report: ValidationReport, style: Style): string {
  const parts = report.diagnostics.map((each) => diagnosticText(each, report, style));
  if (report.listsFiles) parts.push(filesText(report));
  parts.push(summary(report, style));
  return `${parts.join('\n')}\n`;
}

function diagnosticText(diagnostic: ReportedDiagnostic, report: ValidationReport, style: Style): string {
  const { file, line, column, severity, code, message, hint, path } = diagnostic;
  const place = paint(`${file}:${line}:${column}`, 'bold', style);
  const lines = [`${place}: ${paint(severity, severity, style)} ${code}: ${message}`];
  if (path !== '') lines.push(`  at ${path}`);
  lines.push(...excerpt(diagnostic, report, style));
  if (hint !== undefined)
    lines.push(
      ...hint
        .trimEnd()
        .split('\n')
        .map((each, index) => (index === 0 ? `  hint: ${each}` : `  ${each}`)),
    );
  return lines.join('\n');
}

function excerpt(
  { file, line, column }: ReportedDiagnostic,
  report: ValidationReport,
  style: Style,
): readonly string[] {
  const text = report.lineOf(file, line);
  if (text === undefined || text.trim() === '' || text.length > excerptMaximum) return [];
  const number = String(line);
  const margin = ' '.repeat(number.length);
  const before = text.slice(0, column - 1).replace(/[^\t]/g, ' ');
  return [paint(`  ${number} | ${text}`, 'dim', style), paint(`  ${margin} | ${before}^`, 'dim', style)];
}

function filesText(report: ValidationReport): string {
  return report.files
    .map(({ file, isRead, reason }) => (isRead ? `read      ${file}` : `left out  ${file}: ${reason}`))
    .join('\n');
}

function summary(report: ValidationReport, style: Style): string {
  const errors = countOf(report, 'error');
  const warnings = countOf(report, 'warning');
  const read = report.files.filter(({ isRead }) => isRead).length;
  const verdict = errors === 0 ? paint('valid', 'bold', style) : paint('invalid', 'error', style);
  const found = `${count(errors, 'error')}, ${count(warnings, 'warning')}`;
  const lines = [
    `${verdict}: ${count(report.policies, 'policy', 'policies')} in ${count(read, 'file')}, ${found}`,
  ];
  return [...report.notes.map((note) => paint(`note: ${note}`, 'dim', style)), ...lines].join('\n');
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function paint(text: string, code: keyof typeof codes, { isColoured }: Style): string {
  return isColoured ? `\u001b[${codes[code]}m${text}\u001b[0m` : text;
}
