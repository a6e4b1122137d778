import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  type LedgerDatabase,
  LedgerReader,
  openLedgerDatabase,
  SqlCheckpoints,
  SqlLedger,
  SqlPartitions,
  SqlRetention,
} from '#adapter-sql';
import { postgresDataSource } from '#adapter-sql/testing';
import {
  emptyEnd,
  entryKinds,
  type EntryQuery,
  type ExpiryRule,
  exportedEntry,
  type Fence,
  LedgerWriter,
  parseExportedEntry,
  policyStream,
  sha256Hex,
  verifyEnd,
  verifyNext,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import { parseDatabaseUrl } from '../../../libs/adapter-sql/src/connection/database-url.ts';
import type { SqlDatabase } from '../../../libs/adapter-sql/src/connection/sql-database.ts';
import { PartitionEntries1795407200000 } from '../../../migrations/1795407200000-partition-entries.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aDecisionDraft, anEventDraft, appended, checkout } from '../../support/ledger-builders.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';

const stream = policyStream(checkout);
const quiet = { namespace: 'shop', name: 'quiet' };

let server: TestPostgres;
let url = '';
let names = 0;
let database: LedgerDatabase;
let fence: Fence;
let writer: LedgerWriter;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

afterAll(() => server.stop());

beforeEach(async () => {
  url = await server.createDatabase(`partitions_${(names += 1)}`);
  database = await openLedgerDatabase({ url });
  fence = await takeFence(database.fences);
  writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
});

afterEach(() => database.close());

async function select(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return database.sql.query({ sql });
}

async function run(sql: string): Promise<void> {
  await database.sql.transaction([{ sql }]);
}

async function partitions(): Promise<readonly unknown[]> {
  return (await select('SELECT name FROM ledger_partitions() ORDER BY until_nanoseconds')).map(
    ({ name }) => name,
  );
}

/** How many entries each partition has. */
async function counts(): Promise<Readonly<Record<string, unknown>>> {
  const rows = await select(
    'SELECT relname::text AS name, COUNT(*) AS count FROM ledger_entry JOIN pg_class ON pg_class.oid = ledger_entry.tableoid GROUP BY 1',
  );
  return Object.fromEntries(
    rows.map(({ name, count }) => [String(name).replace('ledger_entry_', ''), count]),
  );
}

/** A month so many after this one, as PostgreSQL has it. */
async function monthAfter(months: number): Promise<{ readonly name: string; readonly first: Date }> {
  const [row] = await select(`SELECT extract(epoch FROM date_trunc('month', now() AT TIME ZONE 'UTC')
    + interval '${months} months')::bigint AS seconds`);
  const first = new Date(Number(row?.['seconds']) * 1_000);
  return { name: first.toISOString().slice(0, 7).replace('-', ''), first };
}

function inMonth({ first }: { readonly first: Date }, day: number): string {
  return new Date(first.getTime() + day * 86_400_000).toISOString();
}

/** A connection of its own. */
async function connected(use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

describe('partitions of the ledger', () => {
  it('are there for this month and the next three, and made once by processes that ask together', async () => {
    const months = await Promise.all([1, 2, 3].map(monthAfter));
    const want = ['ledger_entry_first', ...months.map(({ name }) => `ledger_entry_${name}`)];
    expect(await partitions()).toEqual(want);
    for (const name of want.slice(1)) await run(`DROP TABLE plimsoll_partitions.${name}`);
    await Promise.all([1, 2, 3].map(() => new SqlPartitions(database.sql).makeAhead()));
    expect(await partitions()).toEqual(want);
  });

  it('take entries by their time, those of any other in the default one, and give all back in order', async () => {
    const times = ['1999-01-01T00:00:00Z', (await monthAfter(2)).first.toISOString(), '2199-01-01T00:00:00Z'];
    for (const time of times) appended(await writer.append({ drafts: [anEventDraft({}, time)] }));
    const { name } = await monthAfter(2);
    expect(await counts()).toEqual({ first: 1n, [name]: 1n, default: 1n });
    const entries = await database.ledger.streamEntries({ stream, after: 0n, limit: 10 });
    expect(entries.map(({ seq }) => seq)).toEqual([1n, 2n, 3n]);
    const page = await database.ledger.entries({ kinds: entryKinds, order: 'NewestFirst', limit: 10 });
    expect(page.items.map(({ entry }) => entry.seq)).toEqual([3n, 2n, 1n]);
    const [newest, , oldest] = page.items;
    const later = await database.ledger.entryPages(
      [oldest, newest].map((item) => ({
        kinds: entryKinds,
        order: 'OldestFirst',
        limit: 10,
        after: item!.cursor,
      })),
    );
    expect(later.map(({ items }) => items.map(({ entry }) => entry.seq))).toEqual([[2n, 3n], []]);
  });

  it('are made where the default one has entries of their month, which move', async () => {
    appended(await writer.append({ drafts: [aDecisionDraft({ time: '2199-01-05T00:00:00Z' })] }));
    appended(await writer.append({ drafts: [anEventDraft({}, '2199-02-01T00:00:00Z')] }));
    const before = await database.ledger.streamEntries({ stream, after: 0n, limit: 10 });
    await run("SELECT make_ledger_partition('2199-01-01T00:00:00Z')");
    expect(await counts()).toEqual({ '219901': 1n, default: 1n });
    expect(await database.ledger.streamEntries({ stream, after: 0n, limit: 10 })).toEqual(before);
    expect(await select('SELECT id FROM retention_permit')).toEqual([]);
  });

  it('refuse to change, delete or truncate entries, each by itself', async () => {
    appended(await writer.append({ drafts: [anEventDraft({}, (await monthAfter(1)).first.toISOString())] }));
    appended(await writer.append({ drafts: [anEventDraft({}, '2199-02-01T00:00:00Z')] }));
    for (const name of [(await monthAfter(1)).name, 'default']) {
      const table = `plimsoll_partitions.ledger_entry_${name}`;
      await expect(run(`UPDATE ${table} SET kind = 'x'`)).rejects.toThrow('never changed');
      await expect(run(`DELETE FROM ${table}`)).rejects.toThrow('never deleted');
      await expect(run(`TRUNCATE ${table}`)).rejects.toThrow('never deleted');
    }
    await expect(run('TRUNCATE plimsoll_partitions.ledger_entry_first')).rejects.toThrow('never deleted');
  });

  it('are not made while a reader is in the default one, and nothing that is appended waits', async () => {
    const { name } = await monthAfter(3);
    await run(`DROP TABLE plimsoll_partitions.ledger_entry_${name}`);
    await connected(async (reader) => {
      await reader.query('BEGIN');
      await reader.query('SELECT COUNT(*) FROM ledger_entry');
      const made = new SqlPartitions(database.sql).makeAhead();
      const refused = expect(made).rejects.toThrow('lock timeout');
      appended(await writer.append({ drafts: [anEventDraft()] }));
      await refused;
    });
    // What was refused may still be on its way out, and one at a time makes them.
    await soon('the partition is made', async () => {
      await new SqlPartitions(database.sql).makeAhead();
      return (await partitions()).at(-1) === `ledger_entry_${name}` || undefined;
    });
  });
});

describe('one table again', () => {
  it('holds the entries of all partitions, and numbers go on', async () => {
    for (const time of [
      '1999-01-01T00:00:00Z',
      (await monthAfter(2)).first.toISOString(),
      '2199-01-01T00:00:00Z',
    ])
      appended(await writer.append({ drafts: [aDecisionDraft({ time })] }));
    const before = await select('SELECT * FROM ledger_entry ORDER BY position');
    await database.close();
    const migration = new PartitionEntries1795407200000();
    const location = parseDatabaseUrl(url);
    if (location.dialect !== 'postgres') throw new Error('not PostgreSQL');
    const source = postgresDataSource(location.postgres);
    await source.initialize();
    const runner = source.createQueryRunner();
    await runner.startTransaction();
    await migration.down(runner);
    await runner.commitTransaction();
    const table = (await runner.query('SELECT * FROM ledger_entry ORDER BY position')) as readonly object[];
    expect(table).toHaveLength(before.length);
    // A jumped clock's entry, and one more, are there before the table is partitioned.
    await runner.query(`INSERT INTO ledger_entry (stream_id, seq, format, cluster, kind, time, time_nanoseconds, payload,
      previous_hash, hash) VALUES (99, 1, 2, '', 'KeyRotation', '', 0, '', '', '')`);
    await expect(runner.query('DELETE FROM ledger_entry')).rejects.toThrow('never deleted');
    await runner.startTransaction();
    await migration.up(runner);
    await runner.commitTransaction();
    await runner.release();
    await source.destroy();
    database = await openLedgerDatabase({ url });
    expect(await select('SELECT * FROM ledger_entry WHERE stream_id <> 99 ORDER BY position')).toEqual(
      before,
    );
    const { name } = await monthAfter(2);
    expect(await counts()).toEqual({ first: 2n, [name]: 1n, default: 1n });
    const [last] = await select(
      'SELECT MAX(position) AS position, COUNT(DISTINCT position) AS count FROM ledger_entry',
    );
    expect(last).toEqual({ position: 4n, count: 4n });
    writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
    appended(await writer.append({ drafts: [anEventDraft()] }));
    expect(await select('SELECT MAX(position) AS position FROM ledger_entry')).toEqual([{ position: 5n }]);
  });
});

describe('a page of entries', () => {
  /** The plans of the statements that read a page: of its places, and then of its entries. */
  async function plansOf(query: EntryQuery): Promise<readonly (readonly string[])[]> {
    const plans: string[][] = [];
    const explained: SqlDatabase = {
      dialect: 'postgres',
      query: async (statement) => {
        const sql = `EXPLAIN (ANALYZE, COSTS OFF) ${statement.sql}`;
        const rows = await database.sql.query({ ...statement, sql });
        plans.push(rows.map((row) => String(row['QUERY PLAN'])));
        return database.sql.query(statement);
      },
      transaction: (statements) => database.sql.transaction(statements),
    };
    const { items } = await new SqlLedger(explained).entries(query);
    expect(items).toHaveLength(query.limit);
    return plans;
  }

  /** The partitions that a plan looks into. */
  function partitionsIn(plan: readonly string[]): ReadonlySet<string> {
    const scans = plan.filter((line) => line.includes(' Scan ') && !line.includes('never executed'));
    return new Set(scans.flatMap((line) => /on ledger_entry_(\w+)/.exec(line)?.[1] ?? []));
  }

  it('is read from the partitions of its time, by their indexes, and each entry from one', async () => {
    const months = await Promise.all([1, 2, 3].map(monthAfter));
    for (const month of months) {
      const drafts = Array.from({ length: 50 }, (_, day) => anEventDraft({}, inMonth(month, day / 2)));
      appended(await writer.append({ drafts }));
    }
    await run('ANALYZE ledger_entry');
    const [first, second] = months;
    const page = { kinds: ['ScalingEvent'], order: 'NewestFirst', limit: 10 } as const;
    const timeNanoseconds = BigInt(Date.parse(inMonth(second!, 20))) * 1_000_000n;
    const from = BigInt(second!.first.getTime()) * 1_000_000n;
    for (const query of [page, { ...page, from }]) {
      const plans = await plansOf({ ...query, after: { timeNanoseconds, position: 0n } });
      // There are enough in the later month: the other is not looked into.
      expect(plans.map(partitionsIn)).toEqual([new Set([second!.name]), new Set([second!.name])]);
      // Planning for whole entries of each partition would take longer than reading the page.
      for (const { name } of [first!, months[2]!]) expect(plans[1]!.join(' ')).not.toContain(name);
    }
  });
});

describe('retention', () => {
  const rule: ExpiryRule = { kind: 'ScalingEvent', content: 'Payload', beforeNanoseconds: 2n ** 62n };
  const rules: readonly ExpiryRule[] = [rule, { ...rule, kind: 'Decision' }];

  async function expire(beforeNanoseconds = 2n ** 62n): Promise<number> {
    const retention = new SqlRetention(database.sql);
    const due = rules.map((one) => ({ ...one, beforeNanoseconds }));
    const checkpoints = new SqlCheckpoints(database.sql);
    await checkpoints.seal(fence);
    await checkpoints.saveNote('note', fence);
    await retention.saveRules(due, fence);
    for (const one of due) await retention.deleteContent(one, null, fence);
    for (;;) {
      const { segments } = await retention.findSegments(due, '');
      if (segments.length === 0) break;
      await retention.deleteSegments(segments, 1n, fence);
    }
    let entries = 0;
    for await (const count of retention.dropPeriods(fence)) entries += count;
    return entries;
  }

  async function exportedCount(): Promise<number> {
    const reader = await LedgerReader.open(url);
    try {
      const [head] = await database.ledger.heads([stream]);
      const segment = await reader.segment(stream);
      let end = { ...emptyEnd(stream), ...(segment ?? {}) };
      let count = 0;
      for await (const entries of reader.entries({ head: head!, after: end.seq })) {
        for (const entry of entries) {
          const next = verifyNext(
            end,
            parseExportedEntry(exportedEntry(entry, 'Payload', sha256Hex))!,
            sha256Hex,
          );
          if (!next.ok) throw new Error(next.error.message);
          end = next.value;
          count += 1;
        }
      }
      expect(verifyEnd(end, head!).ok).toBe(true);
      return count;
    } finally {
      await reader.close();
    }
  }

  /** Two months of a policy, and the only entry of another in the first of them. */
  async function fill(): Promise<readonly string[]> {
    const [one, two] = [await monthAfter(1), await monthAfter(2)];
    const times = [1, 2, 3, 4].map((day) => inMonth(one, day));
    const drafts = times.map((time) => anEventDraft({}, time));
    appended(await writer.append({ drafts }));
    appended(await writer.append({ drafts: [anEventDraft({ policy: quiet }, inMonth(one, 5))] }));
    appended(await writer.append({ drafts: [1, 2].map((day) => anEventDraft({}, inMonth(two, day))) }));
    return [one.name, two.name];
  }

  it('keeps what expires in a month until all of it has, and drops its partition whole', async () => {
    const [one = '', two = ''] = await fill();
    const { first } = await monthAfter(2);
    const middle = BigInt(first.getTime() - 86_400_000) * 1_000_000n;
    expect(await expire(middle)).toBe(0);
    expect(await counts()).toEqual({ [one]: 5n, [two]: 2n });
    expect(await exportedCount()).toBe(2);
    expect(await expire(BigInt(first.getTime()) * 1_000_000n)).toBe(4);
    expect(await counts()).toEqual({ default: 1n, [two]: 2n });
    expect(await partitions()).not.toContain(`ledger_entry_${one}`);
    expect(await exportedCount()).toBe(2);
    expect(await select('SELECT id FROM retention_permit')).toEqual([]);
    // The entry that stays is its stream's last: the stream goes on from it.
    appended(await writer.append({ drafts: [anEventDraft({ policy: quiet })] }));
    appended(await writer.append({ drafts: [anEventDraft({}, inMonth(await monthAfter(2), 9))] }));
    expect(await exportedCount()).toBe(3);
  });

  it('drops no partition while a reader is in it, and tries again', async () => {
    await fill();
    await connected(async (reader) => {
      await reader.query('BEGIN');
      await reader.query('SELECT COUNT(*) FROM ledger_entry');
      expect(await expire()).toBe(0);
      appended(await writer.append({ drafts: [anEventDraft()] }));
    });
    expect(await expire()).toBeGreaterThan(0);
  });

  it('drops no partition with entries of its time that may come to it', async () => {
    await fill();
    const { name } = await monthAfter(1);
    await expect(run(`SELECT drop_ledger_partition('ledger_entry_${name}')`)).rejects.toThrow(
      'has not expired',
    );
    await expect(run("SELECT drop_ledger_partition('ledger_entry_default')")).rejects.toThrow(
      'has not expired',
    );
  });

  it('deletes entry by entry from a partition of which more stays than may be moved', async () => {
    const [one = ''] = await fill();
    await new SqlRetention(database.sql).saveRules(rules, fence);
    await run(`INSERT INTO ledger_entry (stream_id, seq, format, cluster, kind, time, time_nanoseconds, payload, previous_hash, hash)
      SELECT 99, number, 2, '', 'KeyRotation', '', time_nanoseconds, '', '', '' FROM generate_series(1, 10001) AS number,
        (SELECT MIN(time_nanoseconds) AS time_nanoseconds FROM ledger_entry) AS earliest`);
    expect(await expire()).toBe(5);
    expect(await partitions()).toContain(`ledger_entry_${one}`);
    expect(await counts()).toMatchObject({ [one]: 10_002n });
  });
});
