import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openLedgerDatabase } from '#adapter-sql';
import { eventually } from '../../control-plane/poll.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts';

/** What a client says before it closes. */
const goodbye = 'X\0\0\0\u0004';

let server: TestPostgres;
let proxy: PostgresProxy;
let url: string;

beforeAll(async () => {
  server = await startPostgres();
  proxy = await startPostgresProxy(server);
  const address = new URL(await server.createDatabase('stalled_lines'));
  address.port = `${proxy.port}`;
  url = address.href;
  await (await openLedgerDatabase({ url })).close();
});

afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

it('a start asks no longer than a question may take what a line does not carry', async () => {
  proxy.faults.push({ stallBefore: 'SELECT name FROM migration' });
  const opening = openLedgerDatabase({ url, timeoutMilliseconds: 200 });
  await expect(opening).rejects.toMatchObject({ code: 'Timeout', retryable: true });
});

it('a start does not wait for the end of a line that carries none', async () => {
  proxy.faults.push({ stallBefore: goodbye });
  const database = await openLedgerDatabase({ url });
  expect(await database.sql.query({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1n }]);
  await database.close();
});

it('nor does what listens for changes', async () => {
  const database = await openLedgerDatabase({ url });
  const nothing = (): void => undefined;
  const watch = database.watchChanges!({ onChange: nothing, onOutage: nothing, onReturn: nothing });
  const sql = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND state = 'idle'";
  await eventually({
    description: 'a connection that listens',
    timeoutMilliseconds: 10_000,
    intervalMilliseconds: 20,
    probe: async () => (await database.sql.query({ sql }))[0],
  });
  proxy.faults.push({ stallBefore: goodbye });
  await watch.close();
  expect(proxy.faults).toEqual([]);
  await database.close();
});

it('a start waits no longer for the connection that migrates than for any other', async () => {
  const address = new URL(await server.createDatabase('never_migrated'));
  address.port = `${proxy.port}`;
  proxy.faults.push({ stallBefore: 'plimsoll migration' });
  await expect(openLedgerDatabase({ url: address.href })).rejects.toMatchObject({ retryable: true });
});
