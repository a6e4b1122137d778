import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { expectRestored } from '../contract/ledger/restored-schemas.ts';
import { earlierSchemas, expectUpgrade, upgradedDatabase } from '../contract/ledger/upgrades.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let folder = '';
let postgres: TestPostgres;
let names = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-schemas-'));
  postgres = await startPostgres();
});

afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

const fresh = {
  SQLite: () => Promise.resolve(`sqlite:${join(folder, `ledger-${(names += 1)}.db`)}`),
  PostgreSQL: () => postgres.createDatabase(`schemas-${(names += 1)}`),
};

const dialects = ['SQLite', 'PostgreSQL'] as const;

describe.each(dialects)('a ledger on %s', (dialect) => {
  it.each(earlierSchemas)('keeps what the schema of $name holds when it is upgraded', async ({ count }) => {
    await expectUpgrade(upgradedDatabase(await fresh[dialect]()), count);
  });

  // Each schema on one of the two: the statements are the same, and so are the migrations.
  it.each(earlierSchemas.filter(({ count }) => count % dialects.length === dialects.indexOf(dialect)))(
    'is restored from a backup with what the schema of $name holds',
    async ({ count }) => {
      const file = join(folder, `backup-${(names += 1)}`);
      await expectRestored({ from: await fresh[dialect](), to: await fresh[dialect](), file }, count);
    },
  );
});
