import { migrations } from '../../../../migrations/index.ts';

/** The names of this release's migrations, oldest first. */
export function knownMigrations(): readonly string[] {
  return migrations.map((Migration) => new Migration().name ?? Migration.name);
}
