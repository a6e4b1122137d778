import { expect, it } from '@jest/globals';
import { openLedgerDatabase, type SqlDatabase, SqlPartitions, SqlRetention } from '#adapter-sql';
import { configurationSchema } from '#configuration';
import { administrationScope, HeldFences, LedgerWriter } from '#ledger';
import { takeFence } from '#ledger/testing';
import { FakeClock } from '#reconciliation/testing';
import { startPostgres } from '../../../../test/support/postgres.ts';
import { DeletionTime } from '../database/deletion-time.ts';
import { Retention } from './retention.ts';

/** Entries of a month: of a stream that stays, more than may be moved, and of one that has expired, three batches. */
const month = `WITH head AS (INSERT INTO stream_head (stream, seq, hash) VALUES ('policy:shop/gone', 12001, '') RETURNING id),
  segment AS (INSERT INTO expired_segment (stream, seq, hash, announced_nanoseconds)
    VALUES ('policy:shop/gone', 12000, '', 4000000000000000000))
  INSERT INTO ledger_entry (stream_id, seq, format, cluster, kind, time, time_nanoseconds, payload, previous_hash, hash)
  SELECT stream_id, number, 2, '', 'KeyRotation', '', until_nanoseconds - 1, '', '', ''
  FROM (SELECT id AS stream_id, 12000 AS entries FROM head UNION ALL SELECT -1, 10001) AS stream,
    generate_series(1, entries) AS number,
    (SELECT MAX(until_nanoseconds) AS until_nanoseconds FROM ledger_partitions()) AS latest`;

it('ends after the batch of a month that is being deleted entry by entry, and the next run goes on', async () => {
  const server = await startPostgres();
  const database = await openLedgerDatabase({ url: await server.createDatabase('stopped_retention') });
  const fence = await takeFence(database.fences, { scope: administrationScope });
  await database.sql.transaction([{ sql: month }]);
  await new SqlRetention(database.sql).saveRules(
    [{ kind: 'Decision', content: 'Payload', beforeNanoseconds: 2n ** 62n }],
    fence,
  );
  const clock = new FakeClock();

  async function run(onBatch: (retention: Retention) => void): Promise<number> {
    let batches = 0;
    const sql: SqlDatabase = {
      dialect: 'postgres',
      query: (query) => database.sql.query(query),
      transaction: async (statements) => {
        const answer = await database.sql.transaction(statements);
        if (!statements.some(({ sql: text }) => text.startsWith('DELETE FROM ledger_entry USING')))
          return answer;
        batches += 1;
        onBatch(retention);
        return answer;
      },
    };
    const retention = new Retention({
      configuration: configurationSchema.parse({
        cluster: { name: 'test' },
        mode: 'Observe',
        namespaces: ['*'],
        sources: [{ name: 'policies', url: 'https://example.com/policies.git' }],
        retention: { payloadDays: 400 },
      }),
      port: new SqlRetention(sql),
      partitions: new SqlPartitions(database.sql),
      time: new DeletionTime({ clock, databaseTime: () => Promise.resolve(null) }),
      writer: new LedgerWriter({ port: database.ledger, fence, cluster: 'test' }),
      fences: new HeldFences([fence]),
      clock,
      logger: { info: () => undefined, warn: () => undefined },
    });
    retention.start();
    clock.advance(60_000);
    await retention.whenDone;
    expect(retention.failing).toBeNull();
    await retention.stop();
    return batches;
  }

  async function left(): Promise<readonly unknown[]> {
    const sql = `SELECT COUNT(*) FILTER (WHERE stream_id = -1) AS kept, COUNT(*) FILTER (WHERE kind = 'KeyRotation'
      AND stream_id <> -1) AS expired, COUNT(*) FILTER (WHERE kind = 'RetentionRun') AS recorded FROM ledger_entry`;
    return database.sql.query({ sql });
  }

  expect(await run((retention) => void retention.stop())).toBe(1);
  expect(await left()).toEqual([{ kept: 10_001n, expired: 7_000n, recorded: 1n }]);
  expect(await run(() => undefined)).toBe(2);
  expect(await left()).toEqual([{ kept: 10_001n, expired: 0n, recorded: 2n }]);
  await database.close();
  await server.stop();
});
