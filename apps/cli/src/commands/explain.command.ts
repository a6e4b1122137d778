import type { Command } from 'commander';

const help = `
Each line is a decision, an output of "plimsoll decide", a record of the ledger, or an
input of the decision contract, which is decided first. Printed is how the count came
about, rule by rule, and what it was based on. Colours only on a terminal, and not with
NO_COLOR or --no-color.

Examples:
  plimsoll decide --file observation.json | plimsoll explain
  plimsoll explain --file export.ndjson

Exit status:
  0  every line was explained
  1  some line holds no decision
  2  the file cannot be read`;

/** Adds `plimsoll explain`. */
export function registerExplainCommand(program: Command): void {
  program
    .command('explain')
    .description("Print a decision's waterfall for a person.")
    .option('-f, --file <path>', 'read from a file instead of standard input')
    .option('--no-color', 'print without colours')
    .addHelpText('after', help)
    .action(async ({ file, color }: { file?: string; color: boolean }) => {
      const [{ runCommand }, { runExplain }, { inColour, plain }] = await Promise.all([
        import('../decision/run-command.ts'),
        import('../decision/run-explain.ts'),
        import('../decision/explain-decision.ts'),
      ]);
      const isColoured = color && process.stdout.isTTY && !process.env['NO_COLOR'];
      await runCommand(file, (streams) => runExplain(streams, isColoured ? inColour : plain));
    });
}
