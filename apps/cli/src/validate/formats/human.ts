import { printable } from '../../printable.ts';
import { comingsLines } from '../find-comings.ts';
import { countOf, type ReportedDiagnostic, type ValidationReport } from '../validation-report.ts';

/** Colours, where the output is a terminal. */
export interface Style {
  readonly isColoured: boolean;
}

const codes = { error: 31, warning: 33, note: 36, dim: 2, bold: 1 } as const;
/** A longer line does not fit a terminal, and its caret would be elsewhere. */
const excerptMaximum = 160;

/** A repository that deploys with overlays has hundreds of one kind of warning; ten of them show what it is about. */
const warningsMaximum = 10;

/**
 * For a person: each diagnostic with its line and a caret, and a summary. Errors are all there; of one kind of warning
 * or note the first ten, and how many more.
 */
export function formatHuman(report: ValidationReport, style: Style): string {
  const { shown, folded } = foldWarnings(report.diagnostics);
  const parts = shown.map((each) => diagnosticText(each, report, style));
  for (const [code, more] of folded)
    parts.push(`${paint(`… and ${more} more ${code}`, 'warning', style)} (--format json has them all)`);
  if (report.listsFiles) parts.push(filesText(report));
  parts.push(summary(report, style));
  return `${parts.join('\n')}\n`;
}

function foldWarnings(diagnostics: readonly ReportedDiagnostic[]): {
  readonly shown: readonly ReportedDiagnostic[];
  readonly folded: ReadonlyMap<string, number>;
} {
  const counts = new Map<string, number>();
  const shown = diagnostics.filter(({ severity, code }) => {
    if (severity === 'error') return true;
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    return count <= warningsMaximum;
  });
  const folded = [...counts].flatMap(([code, count]): [string, number][] =>
    count > warningsMaximum ? [[code, count - warningsMaximum]] : [],
  );
  return { shown, folded: new Map(folded) };
}

function diagnosticText(diagnostic: ReportedDiagnostic, report: ValidationReport, style: Style): string {
  const { file, line, column, severity, code, message, hint, path } = diagnostic;
  const place = paint(`${file}:${line}:${column}`, 'bold', style);
  const lines = [`${place}: ${paint(severity, severity, style)} ${code}: ${message}`];
  if (path !== '') lines.push(`  at ${path}`);
  lines.push(...excerpt(diagnostic, report, style));
  if (hint !== undefined) {
    lines.push(
      ...hint
        .trimEnd()
        .split('\n')
        .map((each, index) => (index === 0 ? `  hint: ${each}` : `  ${each}`)),
    );
  }
  return lines.join('\n');
}

function excerpt(
  { file, line, column }: ReportedDiagnostic,
  report: ValidationReport,
  style: Style,
): readonly string[] {
  const text = report.lineOf(file, line);
  if (text === undefined || text.trim() === '' || text.length > excerptMaximum || isWide(text)) return [];
  const number = String(line);
  const margin = ' '.repeat(number.length);
  const before = printable(text.slice(0, column - 1)).replace(/[^\t]/g, ' ');
  return [paint(`  ${number} | ${text}`, 'dim', style), paint(`  ${margin} | ${before}^`, 'dim', style)];
}

/** UTF-16 or UTF-32, of which the console would show every other character as an escape. */
function isWide(text: string): boolean {
  return text.includes('\0');
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
  const found = `${count(errors, 'error')}, ${count(warnings, 'warning')}`;
  const lines = [
    `${result(report, style)}: ${count(report.policies, 'policy', 'policies')} in ${count(read, 'file')}, ${found}`,
  ];
  return [
    ...report.notes.map((note) => paint(`note: ${note}`, 'dim', style)),
    ...causes(report.diagnostics, 'error'),
    ...causes(report.diagnostics, 'warning'),
    ...notTaken(report),
    ...comingsLines(report.comings),
    ...lines,
  ].join('\n');
}

function result(report: ValidationReport, style: Style): string {
  if (countOf(report, 'error') > 0) return paint('invalid', 'error', style);
  return paint(report.nothing === undefined ? 'valid' : 'nothing looked at', 'bold', style);
}

/** A repository of overlays has most of its policies behind them: a small number of policies is then no surprise. */
function notTaken(report: ValidationReport): readonly string[] {
  const found = Object.entries(report.notTaken).map(([reason, number]) => `${number} ${reason}`);
  return found.length === 0 ? [] : [`not taken: ${found.join(', ')}`];
}

/** How many of each kind, where there is more than a screen shows at once. */
function causes(
  diagnostics: readonly ReportedDiagnostic[],
  severity: 'error' | 'warning',
): readonly string[] {
  const found = diagnostics.filter((each) => each.severity === severity);
  if (found.length <= warningsMaximum) return [];
  const kinds = [...Map.groupBy(found, ({ code }) => code)].sort(([, a], [, b]) => b.length - a.length);
  const texts = kinds.map(([code, each]) => {
    const files = new Set(each.map(({ file }) => file)).size;
    return `${each.length} ${code}${files === each.length ? '' : ` in ${count(files, 'file')}`}`;
  });
  return [`${severity}s: ${texts.join(', ')}`];
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function paint(text: string, code: keyof typeof codes, { isColoured }: Style): string {
  return isColoured ? `\u001b[${codes[code]}m${text}\u001b[0m` : text;
}
