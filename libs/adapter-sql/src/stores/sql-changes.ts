import type { SqlDatabase } from '../connection/sql-database.ts';
import { textOf } from '../statements/rows.ts';

/**
 * A state is told from another by its digest, and the documents of a source by the newest of them: a version that comes
 * into force is a row of its own, and none changes without the source's state.
 */
const selectVersions = `
  SELECT 'source/' || source AS name, md5(state) || ' ' || COALESCE((
    SELECT MAX(position) FROM policy_version
    WHERE policy_version.source = sync_source.source AND policy_version.valid_to IS NULL
  ), 0) AS version FROM sync_source
  UNION ALL
  SELECT 'look/' || source, md5(look) FROM source_look
  UNION ALL
  SELECT 'interventions', COALESCE(md5(string_agg(id, ',' ORDER BY id)), '') FROM intervention`;

/** Tells what has changed in a PostgreSQL that several processes share, for those that keep it in memory. */
export class SqlChanges {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** By name (`source/NAME`, `look/NAME`, `interventions`) a text that differs whenever what is stored does. @throws AdapterError */
  async versions(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#database.query({ sql: selectVersions });
    return new Map(rows.map((row) => [textOf(row, 'name'), textOf(row, 'version')]));
  }
}
