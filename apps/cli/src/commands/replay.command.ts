import type { Command } from 'commander';
import { runCommand } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';

const help = `
EXPORT is the folder that "plimsoll audit export" wrote. Otherwise each line that is read is a
recorded decision with its input: a Decision entry of a ledger export, its payload, the answer of
GET /api/v1/decisions/ID, or {"input", "output": {"decision", "memory"}}. Entries of other kinds,
and those whose payload is left out, are passed over. Every decision is recomputed from its input
and compared byte for byte, in canonical JSON; each difference is printed with its path.

Examples:
  plimsoll replay week
  plimsoll replay --file export.ndjson

Exit status:
  0  every decision came out as recorded
  1  some decision came out differently, a line could not be read, or there was no
     decision at all (unless --allow-empty)
  2  the file cannot be read
  3  some came out differently, all of them recorded by another engine version`;

/** Adds `plimsoll replay`. */
export function registerReplayCommand(program: Command): void {
  program
    .command('replay')
    .description('Recompute recorded decisions and compare them byte for byte.')
    .argument('[export]', 'the folder of an export')
    .option('-f, --file <path>', 'read from a file instead of standard input')
    .option('--allow-empty', 'a run that replays no decision is no error')
    .addHelpText('after', help)
    .action((folder: string | undefined, { file, allowEmpty }: { file?: string; allowEmpty?: boolean }) =>
      runCommand(async ({ input, output }) => {
        if (folder !== undefined && file !== undefined)
          throw new UnusableError('name the folder of an export or --file, not both');
        const [{ openExport }, { openInput }, { replayLines }] = await Promise.all([
          import('../audit/export-folder.ts'),
          import('../decision/open-input.ts'),
          import('../decision/replay-lines.ts'),
        ]);
        const lines = folder === undefined ? await openInput(file, input) : await openExport(folder);
        return replayLines({ input: lines, output }, { allowEmpty: allowEmpty === true });
      }),
    );
}
