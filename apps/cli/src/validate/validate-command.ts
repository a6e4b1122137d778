import { UnusableError } from '../repository/unusable-error.ts';
import { formatGithub } from './formats/github.ts';
import { formatHuman } from './formats/human.ts';
import { formatJson } from './formats/json.ts';
import { formatSarif } from './formats/sarif.ts';
import { Progress } from './progress.ts';
import { countOf, type ValidationReport } from './report.ts';
import { type ValidateOptions, validatePaths } from './run-validate.ts';

/** How the report is written. */
export const validateFormats = ['human', 'json', 'sarif', 'github'] as const;

/** What the command line holds, beside the paths. */
export interface ValidateArguments extends ValidateOptions {
  readonly format: (typeof validateFormats)[number];
}

/** Runs `plimsoll validate`, prints the report and sets the exit status: 0 no error, 1 errors, 2 could not run. */
export function runValidate(paths: readonly string[], options: ValidateArguments, version: string): void {
  // The YAML parser looks into the environment at every token, which is slow through Node's live object.
  process.env = { ...process.env };
  try {
    const progress = new Progress(process.stderr.isTTY);
    const report = validatePaths(paths.length === 0 ? ['.'] : paths, options, progress);
    process.stdout.write(formatted(report, options.format, version));
    process.exitCode = countOf(report, 'error') === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UnusableError)) throw error;
    for (const line of error.message.split('\n')) process.stderr.write(`plimsoll: ${line}\n`);
    process.exitCode = 2;
  }
}

function formatted(report: ValidationReport, format: ValidateArguments['format'], version: string): string {
  switch (format) {
    case 'human':
      return formatHuman(report, {
        isColoured: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
      });
    case 'json':
      return formatJson(report);
    case 'sarif':
      return formatSarif(report, version);
    case 'github':
      return formatGithub(report);
  }
}
