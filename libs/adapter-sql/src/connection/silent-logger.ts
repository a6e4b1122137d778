import type { Logger } from 'typeorm';

/**
 * Writes nothing: whatever TypeORM would print of a failure is in the error that it throws, and its own lines are none of
 * the JSON that a controller logs.
 */
export const silentLogger: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};
