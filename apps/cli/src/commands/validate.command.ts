import { type Command, Option } from 'commander';
import { runCommand } from '../run-command.ts';
import type { ValidateArguments } from '../validate/validate.ts';

const help = `
Reads from the top of PATH's Git work tree (or --root; PATH itself outside Git) what a
source would read: ignore files, kustomizations, tenants, defaults and guardrails count.
PATH only selects what is reported. No server is needed.

Examples:
  plimsoll validate
  plimsoll validate --format github --base origin/main policies/
  plimsoll validate --files --format json

Exit status:
  0  no error (warnings do not count)
  1  errors, or no file was looked at (unless --allow-empty)
  2  could not run: unusable arguments, or a path that does not exist`;

/** Adds `plimsoll validate`. */
export function registerValidateCommand(program: Command): void {
  addSourceOptions(program.command('validate'))
    .description('Check the policies of a repository: every error at once, at its line.')
    .argument('[path...]', 'files or folders to report on (default: the current folder)')
    .addOption(
      new Option('--format <format>', 'how to print')
        .choices(['human', 'json', 'sarif', 'github'])
        .default('human'),
    )
    .option('--files', 'list what is read, and each file left out with its reason')
    .option('--allow-empty', 'a run that looks at no file is no error')
    .option('--base <revision>', 'take the policies of this revision as those in force')
    .addHelpText('after', help)
    .action((paths: string[], options: Omit<ValidateArguments, 'version'>) =>
      runCommand(async (terminal) => {
        const { validate } = await import('../validate/validate.ts');
        return validate(paths, { ...options, version: program.version() ?? '' }, terminal);
      }),
    );
}

/** The options that say how a repository is read, as a source's. */
export function addSourceOptions(command: Command): Command {
  return command
    .option('--root <folder>', 'the top of the tree, where it is not in Git')
    .option('--path <folder>', 'read below this folder of the tree only')
    .option('--include <glob>', 'read these files only (may be repeated)', collect)
    .option('--exclude <glob>', 'never read these files (may be repeated)', collect)
    .option('--namespace <name>', 'where neither a kustomization, the document nor its tenant names one')
    .option('--tenants <yaml>', 'a list of tenants (name, path, namespaces, ...), or the file that holds it')
    .option('--config <file>', "the controller's configuration, for the source, servers and recommenders")
    .option('--source <name>', 'which source of the configuration');
}

/** Gathers the values of an option that may be repeated: one value each, so that it takes no argument of the command. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
