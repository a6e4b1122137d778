import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import type { JsonObject } from '#kernel';
import { adminStream, LedgerWriter, namesOf } from '#ledger';
import { takeFence } from '#ledger/testing';
import { appended, timeAfter } from '../../support/ledger-builders.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';

/** How many entries are between one and its copy. */
const copied = 1_000n;

/** What the release before appends beside this one knows no columns of names. */
describe("operators' actions of the release before", () => {
  let server: TestPostgres;
  let database: LedgerDatabase;
  let writer: LedgerWriter;

  beforeAll(async () => {
    server = await startPostgres();
    database = await openLedgerDatabase({ url: await server.createDatabase('earlier_releases') });
    writer = new LedgerWriter({
      port: database.ledger,
      fence: await takeFence(database.fences),
      cluster: 'test',
    });
  }, 60_000);
  afterAll(async () => {
    await database.close();
    await server.stop();
  });

  const long = 'a'.repeat(300);
  it.each<{ readonly what: string; readonly given: JsonObject; readonly action?: 'SyncSource' }>([
    { what: 'a policy, and not its namespace alone', given: { policy: 'shop/checkout', namespace: 'other' } },
    { what: 'a policy that cannot be', given: { policy: 'shop/not valid', namespace: 'other' } },
    { what: 'a policy of a namespace that cannot be', given: { policy: 'Shop/checkout' } },
    { what: 'a policy without a namespace', given: { policy: 'shop' } },
    { what: 'a policy that is no text', given: { policy: 7, namespace: 'shop' } },
    {
      what: 'a namespace before what is larger',
      given: { namespace: 'shop', source: 'policies', scope: 'Cluster' },
    },
    { what: 'a namespace that cannot be', given: { namespace: 'no namespace' } },
    { what: 'a namespace without a name', given: { namespace: '' } },
    { what: 'a source of metrics', given: { metricSource: 'prometheus/main' } },
    { what: 'the longest source of metrics', given: { metricSource: long } },
    { what: 'a longer source of metrics', given: { metricSource: `${long}a` } },
    { what: 'a source of metrics beyond ASCII', given: { metricSource: 'größer' } },
    { what: 'a source', given: { source: 'policies' } },
    { what: 'a source with a character that PostgreSQL has in no text', given: { source: 'poli\u0000cies' } },
    { what: 'the cluster', given: { scope: 'Cluster' } },
    { what: 'another scope', given: { scope: 'Everything' } },
    { what: 'nothing', given: {} },
    { what: 'a source that is looked at', given: { source: 'policies' }, action: 'SyncSource' },
  ])('are found by what they concern: $what', async ({ given, action = 'SuspendScaling' }) => {
    const payload = { actor: 'ada', action, outcome: 'Accepted', reason: 'x', arguments: given } as const;
    const draft = { stream: adminStream, kind: 'OperatorAction', time: timeAfter(0), payload } as const;
    const [entry] = appended(await writer.append({ drafts: [draft] }));
    await database.sql.transaction([{ sql: copy, parameters: [copied, adminStream, entry!.seq] }]);
    const { namespace, scope } = namesOf({ kind: 'OperatorAction', payload });
    const parameters = [adminStream, entry!.seq + copied];
    expect(await database.sql.query({ sql: names, parameters })).toEqual([{ namespace, scope }]);
  });
});

const copy = `INSERT INTO ledger_entry (stream_id, seq, cluster, kind, time, time_nanoseconds, action, payload, previous_hash,
    hash, format)
  SELECT stream_id, seq + ?, cluster, kind, time, time_nanoseconds, action, payload, previous_hash, hash, format
  FROM ledger_entry WHERE stream_id = (SELECT id FROM stream_head WHERE stream = ?) AND seq = ?`;

const names = `SELECT namespace.name AS namespace, scope.name AS scope FROM ledger_entry
  LEFT JOIN entry_name AS namespace ON namespace.id = namespace_id
  LEFT JOIN entry_name AS scope ON scope.id = policy_id
  WHERE stream_id = (SELECT id FROM stream_head WHERE stream = ?) AND seq = ?`;
