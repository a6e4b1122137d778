import { Argument, type Command, Option } from 'commander';
import { type ExitStatus, runCommand, type Terminal } from '../run-command.ts';
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
      runCommand(async (terminal): Promise<ExitStatus> => {
        if (names !== undefined) return printNames(names, { context }, terminal);
        if (shell === undefined) throw new UnusableError('name a shell: bash, zsh or fish');
        const { completionScript } = await import('./completion-script.ts');
        terminal.output.write(completionScript(program, shell));
        return 0;
      }),
    );
}

interface CompletionOptions {
  readonly names?: NamedKind;
  readonly context?: string | undefined;
}

/** Somebody waits at the prompt. */
const answerSeconds = '2';

async function printNames(
  kind: NamedKind,
  { context }: Pick<CompletionOptions, 'context'>,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { output, environment } = terminal;
  if (kind === 'contexts') {
    const { contextNames } = await import('../server/contexts.ts');
    output.write(linesOf(await contextNames(environment)));
    return 0;
  }
  const [{ printAnswer }, { namesForCompletion }] = await Promise.all([
    import('../asking/run-asking.ts'),
    import('../server/names-for-completion.ts'),
  ]);
  const hurried = { ...terminal, environment: { ...environment, PLIMSOLL_TIMEOUT: answerSeconds } };
  const options = context === undefined ? {} : { context };
  return printAnswer(hurried, options, { load: (ask) => namesForCompletion(kind, ask), show: linesOf });
}

function linesOf(names: readonly string[]): string {
  return names.map((name) => `${name}\n`).join('');
}
