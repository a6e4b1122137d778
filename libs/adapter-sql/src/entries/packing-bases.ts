import type { SqlDatabase } from '../connection/sql-database.ts';
import type { PackingBase } from '../packing/payload-packer.ts';
import { basesOf } from './entry-rows.ts';
import { selectBases } from './entry-statement.ts';
import { periodAround } from './placed-entries.ts';

/** Below SQLite's limit of 32,766 parameters; a short list keeps the query plan simple. */
const streamsPerQuery = 1_000;

/** Reads the base of the newest decision of each stream, where it is near enough to serve at these times. */
export async function readBases(
  database: SqlDatabase,
  streams: readonly string[],
  times: readonly bigint[],
): Promise<readonly PackingBase[]> {
  const bases: PackingBase[] = [];
  const period = periodAround(times);
  for (let start = 0; start < streams.length; start += streamsPerQuery) {
    const part = streams.slice(start, start + streamsPerQuery);
    const rows = await database.query({
      sql: `${selectBases} (${part.map(() => '?').join(', ')})`,
      parameters: [...period, ...period, ...part],
    });
    bases.push(...(await basesOf(rows)));
  }
  return bases;
}
