import type { Command } from 'commander';
import { runCommand } from '../run-command.ts';

const help = `
Each line is a decision, an output of "plimsoll decide", a record of the ledger, or an
input of the decision contract, which is decided first. Printed is how the count came
about, rule by rule, and what it was based on. Entries of the ledger that hold no decision
are counted. Colours only on a terminal, and not with NO_COLOR or --no-color.

Examples:
  plimsoll decide --file observation.json | plimsoll explain
  plimsoll explain --file week/entries-000001.ndjson

Exit status:
  0  every line was explained
  1  some line holds no decision and is no entry of the ledger, or no line holds one
  2  the file cannot be read, or there is not one line`;

/** Adds `plimsoll explain`. */
export function registerExplainCommand(program: Command): void {
  program
    .command('explain')
    .description("Print a decision's waterfall for a person.")
    .option('-f, --file <path>', 'read from a file instead of standard input')
    .option('--no-color', 'print without colours')
    .addHelpText('after', help)
    .action(({ file, color }: { file?: string; color: boolean }) =>
      runCommand(async ({ input, output, isColoured }) => {
        const [{ openInput }, { explainLines }, { inColour, plain }] = await Promise.all([
          import('../decision/open-input.ts'),
          import('../decision/explain-lines.ts'),
          import('../decision/explain-decision.ts'),
        ]);
        const paint = color && isColoured ? inColour : plain;
        return explainLines({ input: await openInput(file, input), output }, paint);
      }),
    );
}
