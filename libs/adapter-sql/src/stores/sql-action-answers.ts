import type { ActionAnswer, ActionAnswersPort, BegunAction } from '#ledger';
import type { SqlDatabase, SqlRow } from '../sql-database.ts';
import { bigintOf, textOf } from './rows.ts';

/** Requests that are remembered: more than people and pipelines make in a day. */
const maximumAnswers = 10_000;

/** Answers to requests with an idempotency key, in a SQL database. */
export class SqlActionAnswers implements ActionAnswersPort {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async begin(
    key: string,
    request: string,
    { now, forgetBefore }: { readonly now: string; readonly forgetBefore: string },
  ): Promise<BegunAction | null> {
    const begun = await this.#database.transaction([
      { sql: 'DELETE FROM action_answer WHERE begun_at < ?', parameters: [forgetBefore] },
      {
        sql: `INSERT INTO action_answer (id, request, begun_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING`,
        parameters: [key, request, now],
        expect: { count: 1, otherwise: 'KnownKey' },
      },
      {
        sql: `DELETE FROM action_answer WHERE id IN
          (SELECT id FROM action_answer ORDER BY begun_at DESC, id LIMIT 1000 OFFSET ${maximumAnswers})`,
      },
    ]);
    if (begun.ok) return null;
    const [row] = await this.#database.query({
      sql: 'SELECT request, status, body FROM action_answer WHERE id = ?',
      parameters: [key],
    });
    return row === undefined ? null : begunOf(row);
  }

  async finish(key: string, { status, body }: ActionAnswer): Promise<void> {
    await this.#database.transaction([
      {
        sql: 'UPDATE action_answer SET status = ?, body = ? WHERE id = ?',
        parameters: [BigInt(status), body, key],
      },
    ]);
  }

  async forget(key: string): Promise<void> {
    await this.#database.transaction([{ sql: 'DELETE FROM action_answer WHERE id = ?', parameters: [key] }]);
  }
}

function begunOf(row: SqlRow): BegunAction {
  const request = textOf(row, 'request');
  if (row['status'] === null) return { request, answer: null };
  const body = row['body'] === null ? null : textOf(row, 'body');
  return { request, answer: { status: Number(bigintOf(row, 'status')), body } };
}
