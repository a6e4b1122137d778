import type { ActionAnswer, ActionAnswersPort, ActionBeginning, BegunAction } from '#ledger';
import type { SqlDatabase, SqlRow } from '../connection/sql-database.ts';
import { bigintOf, textOf } from '../statements/rows.ts';

/** Requests of one owner that are remembered: more than a person or a pipeline makes in a day. */
const maximumOfOwner = 2_000;

/** Of all of them: as many as take some hundred MB at most. */
const maximumAnswers = 50_000;

/** Answers to requests with an idempotency key, in a SQL database. */
export class SqlActionAnswers implements ActionAnswersPort {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async begin(
    key: string,
    request: string,
    beginning: ActionBeginning,
  ): Promise<BegunAction | 'Full' | null> {
    const { owner, now, forgetBefore } = beginning;
    const begun = await this.#database.transaction([
      { sql: 'DELETE FROM action_answer WHERE begun_at < ?', parameters: [forgetBefore] },
      {
        sql: `INSERT INTO action_answer (id, request, begun_at, owner) SELECT ?, ?, ?, ?
          WHERE (SELECT count(*) FROM action_answer WHERE owner = ?) < ${maximumOfOwner}
            AND (SELECT count(*) FROM action_answer) < ${maximumAnswers}
          ON CONFLICT (id) DO NOTHING`,
        parameters: [key, request, now, owner, owner],
        expect: { count: 1, otherwise: 'KnownKey' },
      },
    ]);
    if (begun.ok) return null;
    const [row] = await this.#database.query({
      sql: 'SELECT request, status, body FROM action_answer WHERE id = ?',
      parameters: [key],
    });
    return row === undefined ? 'Full' : begunOf(row);
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
