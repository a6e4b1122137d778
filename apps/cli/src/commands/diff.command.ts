import { type Command, Option } from 'commander';
import type { DiffArguments } from '../diff/diff-range.ts';
import { runCommand } from '../run-command.ts';
import { addSourceOptions } from './validate.command.ts';

const help = `
Compares effective values, not YAML lines: defaults are filled in, quantities compared by
value, metrics and schedules by what they are. A moved file, another order or a default
that is now written out is no change. A policy that a changed PolicyDefaults touches is
marked "by defaults".

  BASE..HEAD   between two revisions
  BASE...HEAD  from where HEAD left BASE: what a pull request does
  BASE         from a revision to the work tree

Examples:
  plimsoll diff origin/main...HEAD
  plimsoll diff HEAD~1..HEAD --format json
  plimsoll diff main --exit-code

Exit status:
  0  compared
  1  errors at HEAD: invalid policies could not be compared; with --exit-code: changes, too
  2  could not run: no repository, or no such revision`;

/** Adds `plimsoll diff`. */
export function registerDiffCommand(program: Command): void {
  addSourceOptions(program.command('diff'))
    .description('Show what a change means for each policy, in effective values.')
    .argument('<range>', 'BASE..HEAD, BASE...HEAD or BASE')
    .addOption(new Option('--format <format>', 'how to print').choices(['human', 'json']).default('human'))
    .option('--exit-code', 'end with status 1 where there are changes')
    .addHelpText('after', help)
    .action((range: string, options: DiffArguments) =>
      runCommand(async (terminal) => {
        const { diff } = await import('../diff/diff-range.ts');
        return diff(range, options, terminal);
      }),
    );
}
