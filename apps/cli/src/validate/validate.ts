import { printableLines } from '../printable.ts';
import { withParser } from '../repository/with-parser.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { formatGithub } from './formats/github.ts';
import { formatHuman } from './formats/human.ts';
import { formatJson } from './formats/json.ts';
import { formatSarif } from './formats/sarif.ts';
import { Progress } from './progress.ts';
import { type ValidateOptions, validatePaths } from './validate-paths.ts';
import { countOf, type ValidationReport } from './validation-report.ts';

/** How the report is written. */
export const validateFormats = ['human', 'json', 'sarif', 'github'] as const;

/** What the command line holds, beside the paths. */
export interface ValidateArguments extends ValidateOptions {
  readonly format: (typeof validateFormats)[number];
  /** Of this program. */
  readonly version: string;
}

/** Validates what the paths lie in and prints the report; the status is 1 where there are errors, or no file. */
export async function validate(
  paths: readonly string[],
  options: ValidateArguments,
  terminal: Terminal,
): Promise<ExitStatus> {
  const progress = new Progress(terminal.isFollowed ? terminal.messages : undefined);
  const { environment } = terminal;
  // Annotations and code scanning find a file from the top of the repository, wherever the command was started.
  const isForCode = options.format === 'github' || options.format === 'sarif';
  const pathsFrom = isForCode ? 'Repository' : 'CurrentFolder';
  const selected = paths.length === 0 ? ['.'] : paths;
  const report = await withParser((parser) =>
    validatePaths(selected, { ...options, pathsFrom }, { progress, environment, parser }),
  );
  terminal.output.write(formatted(report, options, terminal));
  if (report.nothing !== undefined) {
    terminal.messages.write(`plimsoll: no file was looked at: ${report.nothing}\n`);
    if (options.allowEmpty !== true) return 1;
  }
  return countOf(report, 'error') === 0 ? 0 : 1;
}

function formatted(
  report: ValidationReport,
  { format, version }: ValidateArguments,
  style: Terminal,
): string {
  switch (format) {
    case 'human':
      return printableLines(formatHuman(report, style));
    case 'json':
      return formatJson(report);
    case 'sarif':
      return formatSarif(report, version);
    case 'github':
      return formatGithub(report);
  }
}
