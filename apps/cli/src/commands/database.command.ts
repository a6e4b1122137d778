import type { Command } from 'commander';
import type { BackUpArguments } from '../database/back-up.ts';
import type { DatabaseArguments } from '../database/database-access.ts';
import type { MigrateArguments } from '../database/migrate.ts';
import { runCommand } from '../run-command.ts';

const migrateHelp = `
A start of the controller runs pending migrations by itself; this command does it before, or
undoes them for a release that goes back. The schema is locked meanwhile: on PostgreSQL by an
advisory lock, on SQLite by the file's own, which a running controller holds. An earlier release
works with a newer schema, so migrate before you roll out. On PostgreSQL it goes on meanwhile: while
a migration locks a table of a large ledger nothing is scaled, and what is decided waits in its
journal of outages; on SQLite stop it. After a migration whose name begins with "Incompatible" it
does not work, and refuses to start: stop it first. Releases before PackPayloads do not look for
such names, and read no decision that a later one has stored: stop them, too, and undo PackPayloads
to go back. Make a backup before you undo anything.

Examples:
  plimsoll migrate status --database sqlite:/var/lib/plimsoll/ledger.db
  plimsoll migrate up --dry-run --database postgres://plimsoll@db/plimsoll?sslmode=verify-full \\
    --password-file secret
  plimsoll migrate down --steps 2 --database sqlite:/var/lib/plimsoll/ledger.db

Exit status:
  0  done; status: the schema is of this release
  1  status: migrations are pending
  2  could not run: no such database, a newer schema, one that another process works with, or a
     migration that failed and was rolled back`;

const backupHelp = `
Writes everything that the database holds, as of one moment, into a new file, while the
controller goes on. Not in it: checkpoint-key.pem and outage-journal of the data folder, and the
configuration.

Examples:
  plimsoll backup --database sqlite:/var/lib/plimsoll/ledger.db --output ledger.backup
  plimsoll backup --database postgres://plimsoll@db/plimsoll --password-file secret \\
    --output ledger.backup

Exit status:
  0  written
  2  could not run: the file is there already, or the database cannot be read`;

const restoreHelp = `
Restores a backup into a database that is empty: a SQLite file that does not exist, or a new
PostgreSQL database; also from one to the other. Where a checkpoint outside the database is later
than the backup, the next start of the controller records what is lost (LedgerGap), and goes on
with the number after it (docs/runbook.md).

Examples:
  plimsoll restore ledger.backup --database sqlite:/var/lib/plimsoll/restored.db
  plimsoll restore ledger.backup --database postgres://plimsoll@db/restored --password-file secret

Exit status:
  0  restored
  2  could not run: no backup, a truncated one or one of a newer release, or a database with
     something in it`;

const databaseOption = ['--database <url>', 'sqlite:PATH or postgres://USER@HOST/DATABASE'] as const;
const passwordOption = [
  '--password-file <file>',
  'the file that holds the password of a postgres:// URL',
] as const;

/** Adds `plimsoll migrate`, `backup` and `restore`. */
export function registerDatabaseCommands(program: Command): void {
  registerMigrate(program);
  program
    .command('backup')
    .description('Write everything in the database into a file, while the controller goes on.')
    .requiredOption(...databaseOption)
    .option(...passwordOption)
    .requiredOption('--output <file>', 'write there; it must not exist')
    .addHelpText('after', backupHelp)
    .action((options: BackUpArguments) =>
      runCommand(async (terminal) => {
        const { backUp } = await import('../database/back-up.ts');
        return backUp(options, terminal);
      }),
    );
  program
    .command('restore')
    .description('Restore a backup into an empty database.')
    .argument('<file>', 'the backup')
    .requiredOption(...databaseOption)
    .option(...passwordOption)
    .addHelpText('after', restoreHelp)
    .action((file: string, options: DatabaseArguments) =>
      runCommand(async (terminal) => {
        const { restore } = await import('../database/back-up.ts');
        return restore(file, options, terminal);
      }),
    );
}

function registerMigrate(program: Command): void {
  const migrate = program
    .command('migrate')
    .description("See and change the version of the database's schema.")
    .addHelpText('after', migrateHelp);
  migrate
    .command('status')
    .description('Print the migrations, and which of them the database has.')
    .requiredOption(...databaseOption)
    .option(...passwordOption)
    .action((options: DatabaseArguments) =>
      runCommand(async (terminal) => {
        const { printMigrations } = await import('../database/migrate.ts');
        return printMigrations(options, terminal);
      }),
    );
  for (const { name, direction, description } of directions) {
    const command = migrate
      .command(name)
      .description(description)
      .requiredOption(...databaseOption)
      .option(...passwordOption)
      .option('--dry-run', 'do everything in a transaction, and roll it back');
    if (direction === 'Down') command.option('--steps <count>', 'how many migrations to undo', '1');
    command.action((options: MigrateArguments) =>
      runCommand(async (terminal) => {
        const { migrate: run } = await import('../database/migrate.ts');
        return run(direction, options, terminal);
      }),
    );
  }
}

const directions = [
  { name: 'up', direction: 'Up', description: 'Run the migrations that are pending.' },
  { name: 'down', direction: 'Down', description: 'Undo the last migration.' },
] as const;
