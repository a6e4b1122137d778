import { comingsLines } from '../find-comings.ts';
import type { ReportedDiagnostic, ValidationReport } from '../validation-report.ts';

const commands = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** Workflow commands of GitHub Actions: annotations on the lines of a pull request, by paths from the repository's top. */
export function formatGithub(report: ValidationReport): string {
  const lines = report.diagnostics.map(annotation);
  const notes = report.notes.map((note) => `::notice title=plimsoll::${escapeData(note)}`);
  const changes = comingsLines(report.comings).map((line) => `::notice title=plimsoll::${escapeData(line)}`);
  return [...lines, ...notes, ...changes].map((line) => `${line}\n`).join('');
}

function annotation({ severity, code, message, hint, file, line, column }: ReportedDiagnostic): string {
  const text = hint === undefined ? message : `${message}\n${hint}`;
  const place = `file=${escapeProperty(file)},line=${line},col=${column},title=${escapeProperty(code)}`;
  return `::${commands[severity]} ${place}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
