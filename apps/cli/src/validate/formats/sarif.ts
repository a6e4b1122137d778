import type { ReportedDiagnostic, ValidationReport } from '../validation-report.ts';

const schema = 'https://json.schemastore.org/sarif-2.1.0.json';
/** What code scanning takes for the top of the repository. */
const base = '%SRCROOT%';
const home = 'https://plimsoll.dev';

/** SARIF 2.1.0: one result a diagnostic; URIs are relative to the repository's top. */
export function formatSarif(report: ValidationReport, version: string): string {
  const codes = [...new Set(report.diagnostics.map(({ code }) => code))].sort();
  const rules = codes.map((id) => ({ id, name: id, shortDescription: { text: id } }));
  const run = {
    tool: { driver: { name: 'plimsoll', version, informationUri: home, rules } },
    originalUriBaseIds: { [base]: { description: { text: "The repository's top." } } },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: true,
        toolExecutionNotifications: report.notes.map((text) => ({ level: 'note', message: { text } })),
      },
    ],
    results: report.diagnostics.map((each) => result(each, codes.indexOf(each.code))),
  };
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function result(diagnostic: ReportedDiagnostic, ruleIndex: number): object {
  const { code, severity, message, hint, file, line, column, path } = diagnostic;
  const text = hint === undefined ? message : `${message} (${hint})`;
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file), uriBaseId: base },
          region: { startLine: line, startColumn: column },
        },
        ...(path !== '' && { logicalLocations: [{ fullyQualifiedName: path }] }),
      },
    ],
  };
}

function uriOf(file: string): string {
  return file.split(/[/\\]/).map(encodeURIComponent).join('/');
}
