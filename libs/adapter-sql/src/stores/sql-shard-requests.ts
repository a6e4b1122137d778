import type { Json } from '#kernel';
import { administrationScope, type Fence } from '#ledger';
import type { SqlDatabase, SqlStatement } from '../connection/sql-database.ts';
import { noticeStatements } from '../statements/change-notices.ts';
import { databaseNow } from '../statements/fence-statements.ts';
import { jsonOrNothing, textOf } from '../statements/rows.ts';
import { writeFenced } from '../statements/write-fenced.ts';

/** What the holder of a scope is asked to do: of a shard, or of administration. */
export interface ShardRequest {
  /** A new UUID. */
  readonly id: string;
  readonly scope: string;
  readonly request: Json;
}

/** Longer than the leader waits for an answer: what is older is not carried out any more. */
const lastingMilliseconds = 15_000;

/** The leader asks for one page of policies at a time, and one shard once. */
const maximumRequests = 1_000;

/** What the leader asks the holders of shards to do, and what others tell the leader, in a SQL database. */
export class SqlShardRequests {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** Stores requests under the fence of administration, and deletes those that are over. @throws AdapterError */
  async ask(requests: readonly ShardRequest[], fence: Fence): Promise<void> {
    await writeFenced(this.#database, [fence], this.#asking(requests));
  }

  /** Stores what the leader is told. Any process may, whatever it holds: the leader decides what comes of it. @throws AdapterError */
  async tell(id: string, request: Json): Promise<void> {
    await this.#database.transaction(this.#asking([{ id, scope: administrationScope, request }]));
  }

  /** Those without an answer for some scopes, oldest first. @throws AdapterError */
  async unanswered(scopes: readonly string[]): Promise<readonly ShardRequest[]> {
    if (scopes.length === 0) return [];
    const rows = await this.#database.query({
      sql: `SELECT id, scope, request FROM shard_request
        WHERE answer IS NULL AND asked_at > ${this.#oldest} AND scope IN (${scopes.map(() => '?').join(', ')})
        ORDER BY asked_at, id LIMIT ${maximumRequests}`,
      parameters: [...scopes],
    });
    // What is no JSON is no request of ours: it is in no other's way.
    return rows.flatMap((row) => {
      const request = jsonOrNothing(textOf(row, 'request'));
      return request === undefined
        ? []
        : [{ id: textOf(row, 'id'), scope: textOf(row, 'scope'), request: request as Json }];
    });
  }

  /** Stores the answer under the fence of the request's scope. @throws AdapterError */
  async answer(id: string, answer: Json, fence: Fence): Promise<void> {
    const statement = {
      sql: 'UPDATE shard_request SET answer = ? WHERE id = ? AND scope = ? AND answer IS NULL',
      parameters: [JSON.stringify(answer), id, fence.scope],
    };
    await writeFenced(this.#database, [fence], [statement, ...this.#notices]);
  }

  /** The answers that there are, by the requests' ids. @throws AdapterError */
  async answers(ids: readonly string[]): Promise<ReadonlyMap<string, Json>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#database.query({
      sql: `SELECT id, answer FROM shard_request
        WHERE answer IS NOT NULL AND id IN (${ids.map(() => '?').join(', ')})`,
      parameters: [...ids],
    });
    return new Map(
      rows.flatMap((row) => {
        const answer = jsonOrNothing(textOf(row, 'answer'));
        return answer === undefined ? [] : [[textOf(row, 'id'), answer as Json] as const];
      }),
    );
  }

  get #oldest(): string {
    return `${databaseNow[this.#database.dialect]} - ${lastingMilliseconds}`;
  }

  get #notices(): readonly SqlStatement[] {
    return noticeStatements(this.#database.dialect, ['Requests']);
  }

  #asking(requests: readonly ShardRequest[]): readonly SqlStatement[] {
    return [
      { sql: `DELETE FROM shard_request WHERE asked_at <= ${this.#oldest}` },
      ...requests.map(({ id, scope, request }) => ({
        sql: `INSERT INTO shard_request (id, scope, request, answer, asked_at)
          VALUES (?, ?, ?, NULL, ${databaseNow[this.#database.dialect]})`,
        parameters: [id, scope, JSON.stringify(request)],
      })),
      ...this.#notices,
    ];
  }
}
