import type { EntryKind } from '#ledger';
import type { SqlDatabase, SqlRow } from '../connection/sql-database.ts';
import { bigintOf, textOf } from '../statements/rows.ts';

/** An entry that was stored, and its place in the order in which places are given out. */
export interface StoredPlace {
  readonly position: bigint;
  readonly stream: string;
  readonly seq: bigint;
  readonly kind: EntryKind;
}

/** The most places that one read returns. */
export const maximumPlaces = 2_000;

const select = `SELECT entry.position, stream_head.stream, entry.seq, entry.kind
  FROM ledger_entry AS entry JOIN stream_head ON stream_head.id = entry.stream_id`;

/** The end of the ledger in PostgreSQL, as any process appends to it. */
export class SqlEntryTail {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** The last place that is taken; 0: there is none. @throws AdapterError */
  async newest(): Promise<bigint> {
    const [row] = await this.#database.query({
      sql: 'SELECT COALESCE(MAX(position), 0) AS position FROM ledger_entry',
    });
    return row === undefined ? 0n : bigintOf(row, 'position');
  }

  /**
   * Places after one, and those of `missing` that are taken now, in their order: what is at a later place of a stream is
   * never seen before what is at an earlier one, since both are read as of one moment.
   *
   * @throws AdapterError
   */
  async after(position: bigint, missing: readonly bigint[]): Promise<readonly StoredPlace[]> {
    const later = `SELECT * FROM (${select} WHERE entry.position > ? ORDER BY entry.position LIMIT ${maximumPlaces}) AS later`;
    const earlier = `${select} WHERE entry.position = ANY (CAST(? AS BIGINT[]))`;
    const rows = await this.#database.query(
      missing.length === 0
        ? { sql: `${later} ORDER BY position`, parameters: [position] }
        : {
            sql: `${later} UNION ALL ${earlier} ORDER BY position`,
            parameters: [position, `{${missing.join(',')}}`],
          },
    );
    return rows.map(placeOf);
  }
}

function placeOf(row: SqlRow): StoredPlace {
  const kind = textOf(row, 'kind') as EntryKind;
  return {
    position: bigintOf(row, 'position'),
    stream: textOf(row, 'stream'),
    seq: bigintOf(row, 'seq'),
    kind,
  };
}
