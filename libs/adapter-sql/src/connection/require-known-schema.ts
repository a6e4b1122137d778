import { databaseError } from './database-error.ts';
import { knownMigrations } from './known-migrations.ts';

/** A migration after which earlier releases would read or write wrongly has a name that begins so. */
const incompatible = 'Incompatible';

const known = new Set(knownMigrations());

/**
 * Lets a schema of a newer release pass where that says that this one may work with it.
 *
 * @param applied names of the migrations that the database has
 * @throws AdapterError `NewerSchema`
 */
export function requireKnownSchema(applied: Iterable<string>): void {
  for (const name of applied) {
    if (!name.startsWith(incompatible) || known.has(name)) continue;
    throw databaseError(
      'NewerSchema',
      `the schema is of a newer release, and this one cannot work with it (${name}); start the newer one, or go back with its "plimsoll migrate down"`,
    );
  }
}
