import { type Command, Option } from 'commander';
import type { ReportArguments } from '../report/report-arguments.ts';
import { runCommand } from '../run-command.ts';

const help = `
EXPORT is the folder that "plimsoll audit export" wrote, and --database a ledger that is only
read, also while a controller writes it. Without both, the controller of the context makes the
report, of what the token may view. The report has scaling events, changes of policies and
strategies, actions of operators, what was held, refused, overridden or forced, and replica-hours
per policy, namespace and team. It says how long counts are not known, what it was made from, and
whether that verifies. Dates are midnights of the time zone; --until is exclusive (docs/reports.md).

Examples:
  plimsoll report --context prod --from 7d --format csv --output week.csv
  plimsoll report week --from 7d --time-zone Europe/Berlin --format html --output week.html
  plimsoll report --database postgres://auditor@db/plimsoll --password-file secret \\
    --from 30d --namespace 'shop-*' --price-per-replica-hour 0.045 --currency EUR --format csv

Exit status:
  0  written
  1  nothing matches the filter (a line says what there is), or the ledger does not verify: the
     report is written, and says so; of a database whose last checkpoint does not fit the heads that
     it covers nothing is written
  2  could not run: the database, the export, the controller or the file is of no use, the
     controller refused, or unusable arguments`;

/** Adds `plimsoll report`. */
export function registerReportCommand(program: Command): void {
  program
    .command('report')
    .description('Report on scaling, changes, exceptions and replica-hours of a period.')
    .argument('[export]', 'the folder of an export')
    .option('--database <url>', 'sqlite:PATH or postgres://USER@HOST/DATABASE')
    .option('--password-file <file>', 'the file that holds the password of a postgres:// URL')
    .option('--context <name>', 'the controller that makes it; by default that of the latest login')
    .requiredOption('--from <time>', 'a date, RFC 3339, or how long ago (90m, 12h, 7d)')
    .option('--until <time>', 'before it, the same; else until the ledger was read')
    .option('--time-zone <name>', 'an IANA name', 'UTC')
    .option('--namespace <pattern...>', 'the policies of these namespaces only')
    .option('--policy <namespace/name...>', 'these policies only')
    .option('--team <name...>', 'the policies of these teams only')
    .option('--team-label <label>', 'the label of a policy that names its team', 'team')
    .option('--price-per-replica-hour <decimal>', 'what a replica costs an hour')
    .option('--currency <code>', 'of the price, such as EUR')
    .addOption(
      new Option('--format <format>', 'the form').choices(['json', 'ndjson', 'csv', 'html']).default('json'),
    )
    .option('--output <file>', 'write there in place of the standard output')
    .addHelpText('after', help)
    .action((folder: string | undefined, options: ReportArguments) =>
      runCommand(async (terminal) => {
        const { writeAuditReport } = await import('../report/write-audit-report.ts');
        return writeAuditReport(folder, options, terminal);
      }),
    );
}
