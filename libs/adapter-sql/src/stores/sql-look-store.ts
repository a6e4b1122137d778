import type { LastSync, LookStorePort } from '#git-sync';
import type { Fence } from '#ledger';
import type { SqlDatabase } from '../connection/sql-database.ts';
import { noticeStatements } from '../statements/change-notices.ts';
import { jsonIn, textOf } from '../statements/rows.ts';
import { writeFenced } from '../statements/write-fenced.ts';

/** The latest looks at sources in a SQL database. */
export class SqlLookStore implements LookStorePort {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async list(): Promise<ReadonlyMap<string, LastSync>> {
    const rows = await this.#database.query({ sql: 'SELECT source, look FROM source_look ORDER BY source' });
    return new Map(
      rows.map((row) => {
        const source = textOf(row, 'source');
        return [source, jsonIn(row, 'look', `the look at source ${source}`) as LastSync];
      }),
    );
  }

  async store(source: string, look: LastSync, fence: Fence): Promise<void> {
    await writeFenced(
      this.#database,
      [fence],
      [
        {
          sql: `INSERT INTO source_look (source, look) VALUES (?, ?)
          ON CONFLICT (source) DO UPDATE SET look = excluded.look`,
          parameters: [source, JSON.stringify(look)],
        },
        ...noticeStatements(this.#database.dialect, ['Sources']),
      ],
    );
  }
}
