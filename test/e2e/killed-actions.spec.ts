import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import pg from 'pg';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type ControllerProcess, testToken } from './support/controller-process.ts';
import { loadEntriesOf } from './support/load-entries.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

/** A database whose writes to a table can be kept from happening. */
interface StoppedDatabase {
  readonly url: string;
  /** What writes to the table from now on fails, or waits; resolves to what ends that. */
  readonly stop: (table: string) => Promise<() => Promise<void>>;
}

function sqliteOf({ folder }: ShopWorld): Promise<StoppedDatabase> {
  const file = join(folder, 'ledger.db');
  const run = (sql: string): void => {
    const database = new Database(file);
    database.exec(sql);
    database.close();
  };
  return Promise.resolve({
    url: `sqlite:${file}`,
    stop: (table) => {
      run(`CREATE TRIGGER stopped BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, 'by the test'); END`);
      const goOn = (): Promise<void> => {
        run('DROP TRIGGER stopped');
        return Promise.resolve();
      };
      return Promise.resolve(goOn);
    },
  });
}

async function postgresOf(server: TestPostgres, name: string): Promise<StoppedDatabase> {
  const url = await server.createDatabase(name);
  return {
    url,
    stop: async (table) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query('SELECT pg_advisory_lock(42)');
      await client.query(`CREATE OR REPLACE FUNCTION stopped() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END $$;
        CREATE TRIGGER stopped BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION stopped()`);
      return async () => {
        await client.query('SELECT pg_advisory_unlock(42)');
        await client.query(`DROP TRIGGER stopped ON ${table}`);
        await client.end();
      };
    },
  };
}

/** Asks for an action on the source, always with the same key; null: there was no answer. */
async function act({ url }: ControllerProcess, path: string, body: object) {
  const response = await fetch(`${url}/api/v1/sources/policies/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testToken}`,
      'content-type': 'application/json',
      'idempotency-key': `once ${path}`.replace(' ', '-'),
    },
    body: JSON.stringify(body),
  }).catch(() => null);
  if (response === null) return null;
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function acceptedOf(url: string): Promise<readonly unknown[]> {
  const entries = await loadEntriesOf(url);
  return entries.flatMap(({ kind, payload }) =>
    kind === 'OperatorAction' && payload['outcome'] === 'Accepted' ? [payload['action']] : [],
  );
}

const raised = policyText.replace('maxReplicas: 12', 'maxReplicas: 14');
const query =
  '{ policy(namespace: "shop", name: "checkout") { maxReplicas } sources { pin { commit by } lastSync { result } } }';

interface Answer {
  readonly policy: { readonly maxReplicas: number };
  readonly sources: readonly {
    readonly pin: { readonly commit: string } | null;
    readonly lastSync: unknown;
  }[];
}

describe.each(['SQLite', 'PostgreSQL'] as const)('a controller on %s that is killed in an action', (kind) => {
  let server: TestPostgres | undefined;
  let world: ShopWorld;
  beforeAll(async () => {
    if (kind === 'PostgreSQL') server = await startPostgres();
  }, 120_000);
  afterEach(() => world.stop());
  afterAll(() => server?.stop());

  const begin = async (name: string) => {
    world = await startShopWorld();
    const database = server === undefined ? await sqliteOf(world) : await postgresOf(server, name);
    const configuration = { database: { url: database.url } };
    const first = world.repository.commit('First', { 'checkout.yaml': policyText });
    const controller = await world.startController(configuration);
    world.repository.commit('Second', { 'checkout.yaml': raised });
    await boundOf(controller, 14);
    return { database, configuration, first, controller };
  };
  const boundOf = (controller: ControllerProcess, bound: number): Promise<Answer> =>
    soon(`the bound ${bound}`, async () => {
      const answer = await controller.query<Answer>(query);
      return answer.policy.maxReplicas === bound ? answer : undefined;
    });

  it('has no entry of what it did not store, and does it once where it is asked again', async () => {
    const { database, configuration, first, controller } = await begin('not_stored');
    const goOn = await database.stop('sync_source');
    const asked = act(controller, 'rollback', { commit: first, reason: 'a test' });
    if (kind === 'SQLite') expect(await asked).toMatchObject({ status: 500 });
    else await waiting(database.url);
    await controller.kill();
    await asked;
    await goOn();
    expect(await acceptedOf(database.url)).toEqual([]);
    const second = await world.startController(configuration);
    await boundOf(second, 14);
    const again = await act(second, 'rollback', { commit: first, reason: 'a test' });
    if (kind === 'SQLite') expect(again).toMatchObject({ status: 200, body: { result: 'active' } });
    else expect(again).toMatchObject({ status: 409, body: { code: 'OutcomeUnknown' } });
    expect(await acceptedOf(database.url)).toEqual(kind === 'SQLite' ? ['RollBackSource'] : []);
  });

  it('carries out after the next start what it had recorded, once, and has told nobody otherwise', async () => {
    const { database, configuration, first, controller } = await begin('recorded');
    const goOn = await database.stop('policy_version');
    const asked = act(controller, 'rollback', { commit: first, reason: 'a test' });
    const told = kind === 'SQLite' ? await asked : null;
    if (kind === 'PostgreSQL') await waiting(database.url);
    expect(await acceptedOf(database.url)).toEqual(['RollBackSource']);
    await controller.kill();
    await asked;
    await goOn();
    const second = await world.startController(configuration);
    const { sources } = await boundOf(second, 12);
    expect(sources).toMatchObject([{ pin: { commit: first } }]);
    const again = await act(second, 'rollback', { commit: first, reason: 'a test' });
    if (told !== null) expect(told.body['message']).toMatch(/the next look carries it out$/);
    expect(again).toEqual(told ?? { status: 409, body: expect.objectContaining({ code: 'OutcomeUnknown' }) });
    expect(await acceptedOf(database.url)).toEqual(['RollBackSource']);
  });
});

/** Until a write waits for the test. */
async function waiting(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await soon('a write that waits', async () => {
      const { rowCount } = await client.query(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
      );
      return (rowCount ?? 0) > 0 || undefined;
    });
  } finally {
    await client.end();
  }
}
