import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { entryId, type Fence, LedgerWriter } from '#ledger';
import { takeFence } from '#ledger/testing';
import { soon } from '../../e2e/support/soon.ts';
import { anEventDraft, anIntentDraft, appended } from '../../support/ledger-builders.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { emptyLedger } from './empty-ledger-tables.ts';

describe('while a session of somebody else keeps a lock', () => {
  let server: TestPostgres;
  let database: LedgerDatabase;
  let somebody: pg.Client;
  let fence: Fence;
  let writer: LedgerWriter;

  beforeAll(async () => {
    server = await startPostgres();
    const url = await server.createDatabase('locked');
    // A statement waits for a lock half as long.
    database = await openLedgerDatabase({ url, timeoutMilliseconds: 6_000 });
    somebody = new pg.Client({ connectionString: url });
    await somebody.connect();
  }, 60_000);
  afterAll(async () => {
    await somebody.end();
    await database.close();
    await server.stop();
  });
  beforeEach(async () => {
    await emptyLedger(database);
    fence = await takeFence(database.fences);
    writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
  });
  // Also where the test has failed.
  afterEach(() => somebody.query('ROLLBACK'));

  const isWaitedFor = async (table: string): Promise<true | undefined> => {
    const waiting = 'SELECT 1 FROM pg_locks WHERE relation = $1::regclass AND NOT granted';
    return (await somebody.query(waiting, [table])).rows.length > 0 || undefined;
  };

  it('an append says of which table, and the fences that it is made under are renewed meanwhile', async () => {
    const [intent] = appended(await writer.append({ drafts: [anIntentDraft()] }));
    await somebody.query('BEGIN');
    await somebody.query('LOCK TABLE pending_intent IN ACCESS EXCLUSIVE MODE');
    const event = { drafts: [anEventDraft({ intent: entryId(intent!) })] };
    let isAnswered = false;
    const answer = writer.append(event).finally(() => (isAnswered = true));
    answer.catch(() => undefined);
    await soon('the append waits', () => isWaitedFor('pending_intent'));
    expect(await database.fences.renew([fence])).toEqual({ ok: true, value: undefined });
    expect(isAnswered).toBe(false);
    await expect(answer).rejects.toMatchObject({
      code: 'Contended',
      retryable: true,
      message: expect.stringMatching(
        /55P03: another session keeps a lock on pending_intent \(.*lock timeout/,
      ),
    });
    await somebody.query('ROLLBACK');
    appended(await writer.append(event));
  });

  it('the question of the runbook finds that session', async () => {
    const runbook = await readFile(join(import.meta.dirname, '../../../docs/runbook.md'), 'utf8');
    const [question] = /SELECT pid, usename[^`]+/.exec(runbook)!;
    await somebody.query('BEGIN');
    await somebody.query('LOCK TABLE policy_state IN ACCESS EXCLUSIVE MODE');
    const waiting = database.ledger.policyStates([{ namespace: 'shop', name: 'checkout' }]);
    waiting.catch(() => undefined);
    await soon('the read waits', () => isWaitedFor('policy_state'));
    const { rows } = await somebody.query(question);
    const self = await somebody.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    expect(rows).toMatchObject(self.rows);
    await expect(waiting).rejects.toMatchObject({ code: 'Contended' });
  });

  it('a renewal says of which table the row is', async () => {
    await somebody.query('BEGIN');
    await somebody.query('SELECT scope FROM ledger_epoch FOR UPDATE');
    await expect(database.fences.renew([fence])).rejects.toMatchObject({
      code: 'Contended',
      message: expect.stringContaining('another session keeps a lock on ledger_epoch'),
    });
    await somebody.query('ROLLBACK');
    expect(await database.fences.renew([fence])).toEqual({ ok: true, value: undefined });
  });
});
