import { Argument, type Command } from 'commander';
import { type ExitStatus, runCommand } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import type { Shell } from './completion-script.ts';

/** Adds what has a shell complete the command line. */
export function registerCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a script that has a shell complete commands, options, contexts and files.')
    .addArgument(new Argument('[shell]', 'the shell').choices(['bash', 'zsh', 'fish']))
    .option('--contexts', 'print the names of the contexts, which the scripts ask for')
    .addHelpText(
      'after',
      `
bash:  source <(plimsoll completion bash)       in ~/.bashrc
zsh:   source <(plimsoll completion zsh)        in ~/.zshrc, after compinit
fish:  plimsoll completion fish | source        in ~/.config/fish/config.fish`,
    )
    .action((shell: Shell | undefined, { contexts = false }: { readonly contexts?: boolean }) =>
      runCommand(async ({ output, environment }): Promise<ExitStatus> => {
        if (contexts) {
          const { contextNames } = await import('../server/contexts.ts');
          for (const name of await contextNames(environment)) output.write(`${name}\n`);
          return 0;
        }
        if (shell === undefined) throw new UnusableError('name a shell: bash, zsh or fish');
        const { completionScript } = await import('./completion-script.ts');
        output.write(completionScript(program, shell));
        return 0;
      }),
    );
}
