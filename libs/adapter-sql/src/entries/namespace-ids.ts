import { isNamespacePattern, matchesNamespace } from '#kernel';
import type { SqlDatabase } from '../connection/sql-database.ts';
import { bigintOf, textOf } from '../statements/rows.ts';

/** Far below SQLite's limit of 32,766 parameters; a short list keeps the query plan simple. */
const namesPerQuery = 1_000;

/** The numbers of the namespaces that are named, or that a pattern stands for. */
export async function namespaceIds(
  database: SqlDatabase,
  names: readonly string[],
): Promise<readonly bigint[]> {
  const exact = names.filter((name) => !isNamespacePattern(name));
  const patterns = names.filter(isNamespacePattern);
  const ids = new Set<bigint>();
  for (let start = 0; start < exact.length; start += namesPerQuery) {
    const part = exact.slice(start, start + namesPerQuery);
    const rows = await database.query({
      sql: `SELECT id FROM entry_name WHERE kind = 'Namespace' AND name IN (${part.map(() => '?').join(', ')})`,
      parameters: part,
    });
    for (const row of rows) ids.add(bigintOf(row, 'id'));
  }
  if (patterns.length > 0) {
    for await (const { id, name } of listNamespaces(database))
      if (patterns.some((pattern) => matchesNamespace(pattern, name))) ids.add(id);
  }
  return [...ids];
}

async function* listNamespaces(
  database: SqlDatabase,
): AsyncGenerator<{ readonly id: bigint; readonly name: string }> {
  for (let after = ''; ;) {
    const rows = await database.query({
      sql: `SELECT id, name FROM entry_name WHERE kind = 'Namespace' AND name > ? ORDER BY name LIMIT ${namesPerQuery}`,
      parameters: [after],
    });
    for (const row of rows) yield { id: bigintOf(row, 'id'), name: textOf(row, 'name') };
    if (rows.length < namesPerQuery) return;
    after = textOf(rows.at(-1) ?? {}, 'name');
  }
}
