import type { Command } from 'commander';
import { runCommand } from '../run-command.ts';

const help = `
Each line is a recorded decision with its input: a Decision entry of a ledger export, its
payload, or {"input", "output": {"decision", "memory"}}. Entries of other kinds are
passed over. Every decision is recomputed from its input and compared byte for byte, in
canonical JSON; each difference is printed with its path.

Examples:
  plimsoll replay --file export.ndjson

Exit status:
  0  every decision came out as recorded
  1  some decision came out differently, or a line could not be read
  2  the file cannot be read
  3  some came out differently, all of them recorded by another engine version`;

/** Adds `plimsoll replay`. */
export function registerReplayCommand(program: Command): void {
  program
    .command('replay')
    .description('Recompute recorded decisions and compare them byte for byte.')
    .option('-f, --file <path>', 'read from a file instead of standard input')
    .addHelpText('after', help)
    .action(({ file }: { file?: string }) =>
      runCommand(async ({ input, output }) => {
        const [{ openInput }, { replayLines }] = await Promise.all([
          import('../decision/open-input.ts'),
          import('../decision/replay-lines.ts'),
        ]);
        return replayLines({ input: await openInput(file, input), output });
      }),
    );
}
