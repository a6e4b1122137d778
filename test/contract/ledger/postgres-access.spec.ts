import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  type LedgerDatabase,
  LedgerReader,
  migrateDatabase,
  openLedgerDatabase,
  SqlCheckpoints,
  SqlPartitions,
  SqlRetention,
  SqlShardLayout,
  SqlTokens,
} from '#adapter-sql';
import { LedgerWriter } from '#ledger';
import { takeFence } from '#ledger/testing';
import { RetentionDatabase } from '../../../apps/controller/src/ledger/retention-database.ts';
import { PartitionEntries1795407200000 } from '../../../migrations/1795407200000-partition-entries.ts';
import { migrations } from '../../../migrations/index.ts';
import { createCertificateAuthority } from '../../control-plane/pki/certificate-authority.ts';
import { anEventDraft, appended } from '../../support/ledger-builders.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { ageFences, emptyLedger } from './empty-ledger-tables.ts';
import { describeLedgerPort } from './ledger-contract.ts';

const documented = join(import.meta.dirname, '../../../docs/postgresql.md');

/** The SQL of the documentation: for the superuser, for the owner after migrating, and for the auditor's role. */
async function documentedSql(): Promise<readonly [string, string, string]> {
  const blocks = [...(await readFile(documented, 'utf8')).matchAll(/```sql\n(.*?)```/gs)];
  const [roles, grants, audit] = blocks.map(([, sql]) => sql ?? '');
  if (roles === undefined || grants === undefined || audit === undefined)
    throw new Error('the documentation has other SQL');
  return [roles, grants, audit];
}

interface Roles {
  readonly server: TestPostgres;
  readonly url: (role: string) => string;
  readonly run: (role: string, sql: string) => Promise<void>;
}

async function aDatabaseWithRoles(): Promise<Roles> {
  const server = await startPostgres();
  const { host, port, user, password } = server;
  const urlOf = (name: string, secret: string, database: string): string =>
    `postgres://${name}:${encodeURIComponent(secret)}@${host}:${port}/${database}`;
  const url = (role: string): string => urlOf(`plimsoll_${role}`, `${role}-password`, 'plimsoll');
  const runAt = async (connectionString: string, statements: string): Promise<void> => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      // One by one: CREATE DATABASE stands in no transaction.
      for (const sql of statements.split(';\n')) if (sql.trim() !== '') await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const [roles, grants] = await documentedSql();
  await runAt(urlOf(user, password, 'postgres'), roles);
  const owner = await openLedgerDatabase({ url: url('owner') });
  await owner.close();
  await runAt(url('owner'), grants);
  return { server, url, run: (role, sql) => runAt(url(role), sql) };
}

let roles: Roles | undefined;
let owner: LedgerDatabase | undefined;
let controller: LedgerDatabase | undefined;

describeLedgerPort('PostgreSQL, under the documented role of the controller', {
  empty: async () => {
    roles ??= await aDatabaseWithRoles();
    owner ??= await openLedgerDatabase({ url: roles.url('owner') });
    controller ??= await openLedgerDatabase({ url: roles.url('controller') });
    const { age, sources } = await emptyLedger(owner);
    const layout = new SqlShardLayout(controller.sql);
    const tokens = new SqlTokens(controller.sql);
    return { ledger: controller.ledger, fences: controller.fences, layout, tokens, sources, age };
  },
  end: async () => {
    await controller?.close();
    await owner?.close();
    await roles?.server.stop();
  },
});

describe('the documented roles', () => {
  let world: Roles;

  beforeAll(async () => {
    world = await aDatabaseWithRoles();
  }, 60_000);

  afterAll(async () => {
    await world.server.stop();
  });

  it.each([
    "UPDATE ledger_entry SET kind = 'Decision'",
    'DELETE FROM ledger_entry',
    'TRUNCATE ledger_entry',
    'ALTER TABLE ledger_entry DISABLE TRIGGER ALL',
    'DROP TRIGGER ledger_entry_kept ON ledger_entry',
    'DROP TABLE ledger_entry',
    "INSERT INTO migration (timestamp, name) VALUES (1, 'Forged1')",
    'CREATE TABLE mine (id BIGINT)',
    'DELETE FROM plimsoll_partitions.ledger_entry_first',
    'TRUNCATE plimsoll_partitions.ledger_entry_default',
    "SELECT drop_ledger_partition('ledger_entry_first')",
    'SELECT make_ledger_partition(now())',
  ])('do not let the controller %s', async (sql) => {
    await expect(world.run('controller', sql)).rejects.toThrow(/permission denied|must be owner/);
  });

  it('let the controller seal the ledger, and an export be read', async () => {
    const database = await openLedgerDatabase({ url: world.url('controller') });
    const taken = await database.fences.take(['administration'], 'holder');
    if (!taken.ok) throw new Error('the scope is held');
    const checkpoints = new SqlCheckpoints(database.sql);
    for (const fence of taken.value) {
      await checkpoints.seal(fence);
      await checkpoints.saveNote('note', fence);
    }
    expect(await checkpoints.lastNote()).toBe('note');
    await database.close();
    const reader = await LedgerReader.open(world.url('controller'));
    expect(await reader.lastNote()).toBe('note');
    await reader.close();
  });

  it('let an auditor read once they are granted, and say what is missing before', async () => {
    await expect(LedgerReader.open(world.url('auditor'))).rejects.toMatchObject({
      code: 'AccessDenied',
      message: expect.stringContaining('GRANT USAGE ON SCHEMA public'),
    });
    const [, , audit] = await documentedSql();
    await world.run('owner', audit);
    const reader = await LedgerReader.open(world.url('auditor'));
    for await (const heads of reader.heads()) expect(heads).toEqual(expect.any(Array));
    await reader.close();
    await expect(world.run('auditor', 'DELETE FROM ledger_entry')).rejects.toThrow('permission denied');
  });

  it('let retention delete what has expired, from a connection that the controller makes for it alone', async () => {
    const database = await openLedgerDatabase({ url: world.url('controller') });
    const own = new RetentionDatabase({
      controllers: database.sql,
      ownAddress: () =>
        Promise.resolve({ url: world.url('retention'), settings: { url: 'the URL', password: 'the file' } }),
    });
    try {
      const fence = await takeFence(database.fences);
      const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
      appended(await writer.append({ drafts: [anEventDraft(), anEventDraft({ to: 7 })] }));
      const rule = { kind: 'ScalingEvent', content: 'Payload', beforeNanoseconds: 2n ** 62n } as const;
      await expect(new SqlRetention(database.sql).deleteContent(rule, null, fence)).rejects.toThrow(
        'permission denied',
      );
      expect(await new SqlRetention(own).deleteContent(rule, null, fence)).toMatchObject({ deleted: 2 });
      await expect(world.run('retention', "UPDATE ledger_entry SET kind = 'x'")).rejects.toThrow(
        'a ledger entry is never changed',
      );
      const roles = (): Promise<readonly object[]> =>
        database.sql.query({ sql: "SELECT 1 FROM pg_stat_activity WHERE usename = 'plimsoll_retention'" });
      expect(await roles()).not.toEqual([]);
      await own.release();
      // The server ends its process by itself, a moment later.
      for (let attempt = 0; attempt < 1_000 && (await roles()).length > 0;) attempt += 1;
      expect(await roles()).toEqual([]);
    } finally {
      await own.release();
      await database.close();
    }
  });

  it('let the controller make partitions, which they have no rights in, and retention drop those that have expired', async () => {
    const owner = await openLedgerDatabase({ url: world.url('owner') });
    const [last] = await owner.sql.query({
      sql: 'SELECT name FROM ledger_partitions() ORDER BY until_nanoseconds DESC LIMIT 1',
    });
    const table = `plimsoll_partitions.${String(last?.['name'])}`;
    await owner.sql.transaction([{ sql: `DROP TABLE ${table}` }]);
    const controller = await openLedgerDatabase({ url: world.url('controller') });
    await new SqlPartitions(controller.sql).makeAhead();
    await controller.close();
    expect(await owner.sql.query({ sql: `SELECT * FROM ${table}` })).toEqual([]);
    await owner.close();
    for (const role of ['controller', 'retention'])
      await expect(world.run(role, `DELETE FROM ${table}`)).rejects.toThrow('permission denied');
    await expect(
      world.run('retention', "SELECT drop_ledger_partition('ledger_entry_first')"),
    ).rejects.toThrow('has not expired');
  });

  it('keep their rights when entries are partitioned, and when they are one table again', async () => {
    const migrating = { steps: 1, isDryRun: false, onBegin: () => undefined };
    const steps = migrations.length - migrations.indexOf(PartitionEntries1795407200000);
    const rights = async (): Promise<readonly object[]> => {
      const client = new pg.Client({ connectionString: world.url('owner') });
      await client.connect();
      const { rows } = await client.query<object>(
        `SELECT grantee::regrole::text AS grantee, privilege_type FROM pg_class, aclexplode(relacl)
          WHERE pg_class.oid = 'ledger_entry'::regclass AND grantee <> relowner ORDER BY 1, 2`,
      );
      await client.end();
      return rows;
    };
    const before = await rights();
    expect(before).not.toEqual([]);
    // No controller works with it any more.
    const owner = await openLedgerDatabase({ url: world.url('owner') });
    await ageFences(owner.sql, 3_600);
    await owner.close();
    await migrateDatabase(world.url('owner'), { ...migrating, direction: 'Down', steps });
    expect(await rights()).toEqual(before);
    await migrateDatabase(world.url('owner'), { ...migrating, direction: 'Up' });
    expect(await rights()).toEqual(before);
    await expect(
      world.run('retention', "SELECT drop_ledger_partition('ledger_entry_first')"),
    ).rejects.toThrow('has not expired');
    const controller = await openLedgerDatabase({ url: world.url('controller') });
    const fence = await takeFence(controller.fences, { scope: 'after' });
    const writer = new LedgerWriter({ port: controller.ledger, fence, cluster: 'test' });
    appended(await writer.append({ drafts: [anEventDraft()] }));
    await controller.close();
  });

  it('let retention change no schema', async () => {
    await expect(world.run('retention', 'DROP TABLE ledger_entry')).rejects.toThrow('must be owner');
  });
});

describe('TLS to PostgreSQL', () => {
  const authority = createCertificateAuthority('the authority');
  const stranger = createCertificateAuthority('a stranger');
  const untrusted = { name: 'AdapterError', code: 'ConnectionFailed' };
  let servers: readonly TestPostgres[] = [];

  beforeAll(async () => {
    servers = await Promise.all(
      [['127.0.0.1'], ['db.example.com']].map((hosts) =>
        startPostgres({ tls: authority.issue({ commonName: 'db', hosts }) }),
      ),
    );
  }, 60_000);

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });

  async function connect(server: TestPostgres, mode: string, rootCertificate?: string): Promise<boolean> {
    const { host, port, user, password, folder } = server;
    const file = join(folder, `root-${mode}.pem`);
    if (rootCertificate !== undefined) await writeFile(file, rootCertificate);
    const root = rootCertificate === undefined ? '' : `&sslrootcert=${encodeURIComponent(file)}`;
    const url = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/postgres?sslmode=${mode}${root}`;
    const database = await openLedgerDatabase({ url });
    const [row] = await database.sql.query({
      sql: 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    });
    await database.close();
    return Boolean(row?.['ssl']);
  }

  it('verifies the server by the CA file and by its name', async () => {
    const [named, misnamed] = servers;
    if (named === undefined || misnamed === undefined) throw new Error('there are two');
    expect(await connect(named, 'verify-full', authority.certificate)).toBe(true);
    await expect(connect(named, 'verify-full', stranger.certificate)).rejects.toMatchObject(untrusted);
    await expect(connect(named, 'verify-full')).rejects.toMatchObject(untrusted);
    await expect(connect(misnamed, 'verify-full', authority.certificate)).rejects.toMatchObject(untrusted);
    // It encrypts, and takes every certificate.
    expect(await connect(misnamed, 'require')).toBe(true);
    expect(await connect(named, 'disable')).toBe(false);
  });

  it('is refused where the CA file is none, and by a server without TLS', async () => {
    const [named] = servers;
    if (named === undefined) throw new Error('there are two');
    await expect(connect(named, 'verify-full', 'no certificate')).rejects.toMatchObject(untrusted);
    const plain = await startPostgres();
    await expect(connect(plain, 'verify-full', authority.certificate)).rejects.toMatchObject(untrusted);
    await plain.stop();
  });
});
