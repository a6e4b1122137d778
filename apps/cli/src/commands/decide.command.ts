import type { Command } from 'commander';
import { runCommand } from '../run-command.ts';

const help = `
Each line is one input: {"policy", "settings", "observation", "memory"}. Each line
printed is its output, in order: {"decision", "memory"}. Feed the memory back with the
next observation. A bad line prints {"error": {"code", "message", "path", "line"}}
and the run goes on; path is a JSON Pointer into the line. Lines may have 64 MiB.

Codes: InvalidJson, InvalidPolicy, InvalidSettings, InvalidObservation, InvalidMemory.

Examples:
  plimsoll decide < observations.ndjson > decisions.ndjson
  plimsoll decide --file observation.json | plimsoll explain

Exit status:
  0  every line was decided; of no line, none
  1  at least one line was bad
  2  the file cannot be read`;

/** Adds `plimsoll decide`. */
export function registerDecideCommand(program: Command): void {
  program
    .command('decide')
    .description('Decide replica counts from observations (NDJSON in, NDJSON out).')
    .option('-f, --file <path>', 'read from a file instead of standard input')
    .addHelpText('after', help)
    .action(({ file }: { file?: string }) =>
      runCommand(async ({ input, output }) => {
        const [{ openInput }, { decideLines }] = await Promise.all([
          import('../decision/open-input.ts'),
          import('../decision/decide-lines.ts'),
        ]);
        return decideLines({ input: await openInput(file, input), output });
      }),
    );
}
