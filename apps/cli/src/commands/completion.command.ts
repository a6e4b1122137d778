import { Argument, type Command, Option } from 'commander';
import { type ExitStatus, runCommand } from '../run-command.ts';
import { type NamedKind, namedKinds } from '../server/named-kinds.ts';
import { UnusableError } from '../unusable-error.ts';
import type { Shell } from './completion-script.ts';

/** Adds what has a shell complete the command line. */
export function registerCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description(
      'Print a script that has a shell complete commands, options, files, and names that a controller has.',
    )
    .addArgument(new Argument('[shell]', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addOption(
      new Option('--names <kind>', 'print names, one per line, as the scripts ask for them').choices(
        namedKinds,
      ),
    )
    .option('--context <name>', 'the context to ask for them; by default that of the latest login')
    .addHelpText(
      'after',
      `
bash:  source <(plimsoll completion bash)       in ~/.bashrc
zsh:   source <(plimsoll completion zsh)        in ~/.zshrc, after compinit
fish:  plimsoll completion fish | source        in ~/.config/fish/config.fish`,
    )
    .action((shell: Shell | undefined, { names, context }: CompletionOptions) =>
      runCommand(async ({ output, environment }): Promise<ExitStatus> => {
        if (names !== undefined) {
          const { namesForCompletion } = await import('../server/names-for-completion.ts');
          for (const name of await namesForCompletion(names, context, environment)) output.write(`${name}\n`);
          return 0;
        }
        if (shell === undefined) throw new UnusableError('name a shell: bash, zsh or fish');
        const { completionScript } = await import('./completion-script.ts');
        output.write(completionScript(program, shell));
        return 0;
      }),
    );
}

interface CompletionOptions {
  readonly names?: NamedKind;
  readonly context?: string;
}
