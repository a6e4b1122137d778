import { migrateDatabase, type Migrating, type MigrationStatus, readMigrations } from '#adapter-sql';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import { type DatabaseArguments, usable, withPassword } from './database-access.ts';

export interface MigrateArguments extends DatabaseArguments {
  readonly dryRun?: boolean;
  readonly steps?: string;
}

const maximumSteps = 100;

const descriptions: Readonly<Record<MigrationStatus['state'], string>> = {
  Applied: 'applied',
  Pending: 'pending',
  Unknown: 'of a newer release',
};

/** Prints the migrations; 1 where some are pending, 2 where the schema is of a newer release. */
export async function printMigrations(
  { database, passwordFile }: DatabaseArguments,
  { output, messages }: Terminal,
): Promise<ExitStatus> {
  const status = await tried(async () => readMigrations(await withPassword(database, passwordFile)));
  for (const { name, state } of status) output.write(`${name}  ${descriptions[state]}\n`);
  if (status.some(({ state }) => state === 'Unknown')) {
    messages.write('plimsoll: the database has a newer schema than this release\n');
    return 2;
  }
  return status.some(({ state }) => state === 'Pending') ? 1 : 0;
}

/** Runs or undoes migrations, or rehearses that. @throws UnusableError */
export async function migrate(
  direction: Migrating['direction'],
  { database, passwordFile, dryRun = false, steps = '1' }: MigrateArguments,
  { output, messages }: Terminal,
): Promise<0> {
  const migrating: Migrating = {
    direction,
    steps: countOf(steps),
    isDryRun: dryRun,
    onBegin: (name) => output.write(`${direction === 'Up' ? 'run' : 'undo'} ${name}\n`),
  };
  const names = await tried(async () =>
    migrateDatabase(await withPassword(database, passwordFile), migrating),
  );
  const count = names.length === 1 ? 'one migration' : `${names.length} migrations`;
  const done = dryRun ? 'would be' : direction === 'Up' ? 'run' : 'undone';
  const said = dryRun ? `${done} ${direction === 'Up' ? 'run' : 'undone'}; nothing was changed` : done;
  messages.write(`plimsoll: ${names.length === 0 ? 'nothing to do' : `${count} ${said}`}\n`);
  return 0;
}

function countOf(steps: string): number {
  const count = Number(steps);
  if (!/^\d+$/.test(steps) || count < 1 || count > maximumSteps)
    throw new UnusableError(`--steps is ${steps}, allowed are 1 to ${maximumSteps}`);
  return count;
}

async function tried<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw usable(error);
  }
}
