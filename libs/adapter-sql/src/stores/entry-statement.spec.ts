import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { entryKinds, type EntryQuery } from '#ledger';
import { migrateSqlite } from '../sqlite/migrate-sqlite.ts';
import { createPrivateFile, SqliteConnection } from '../sqlite/sqlite-connection.ts';
import { entryStatement } from './entry-statement.ts';

let folder = '';
let connection: SqliteConnection;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-plan-'));
  const file = join(folder, 'ledger.db');
  createPrivateFile(file);
  await migrateSqlite(file);
  connection = new SqliteConnection(file, 'reader');
});

afterAll(async () => {
  connection.close();
  await rm(folder, { recursive: true });
});

function planOf(query: EntryQuery): readonly string[] {
  const { sql, parameters = [] } = entryStatement(query);
  return connection
    .query({ sql: `EXPLAIN QUERY PLAN ${sql}`, parameters })
    .map(({ detail }) => String(detail));
}

describe('entryStatement', () => {
  const page = { order: 'NewestFirst', limit: 100, after: { timeNanoseconds: 5n, position: 5n } } as const;

  it.each([
    {
      name: 'one kind',
      given: { kinds: ['Decision'] },
      want: 'ledger_entry_kind_time (kind=? AND payload_hash=? AND time_nanoseconds',
    },
    {
      name: 'one kind of a stream',
      given: { kinds: ['Decision'], stream: 'sync' },
      want: 'ledger_entry_stream_kind_time (stream_id=? AND kind=? AND payload_hash=? AND time_nanoseconds',
    },
    {
      name: 'an action',
      given: { kinds: ['Decision'], action: 'Hold' },
      want: 'ledger_entry_action_time (action=? AND payload_hash=? AND time_nanoseconds',
    },
    {
      name: 'an action of a stream',
      given: { kinds: ['Decision'], action: 'Hold', stream: 'sync' },
      want: 'ledger_entry_stream_action_time (stream_id=? AND action=? AND payload_hash=? AND time_nanoseconds',
    },
  ] as const)('reads a page of $name from one range of its index', ({ given, want }) => {
    for (const order of ['NewestFirst', 'OldestFirst'] as const) {
      const plan = planOf({ ...page, ...given, order });
      const reads = plan.filter((step) => step.startsWith('SEARCH ledger_entry USING COVERING'));
      expect(reads).toHaveLength(1);
      expect(reads[0]).toContain(want);
      expect(plan.filter((step) => step.startsWith('SCAN ledger_entry'))).toEqual([]);
    }
  });

  it('reads a page of all kinds from one range each', () => {
    const plan = planOf({ ...page, kinds: entryKinds });
    const reads = plan.filter((step) =>
      step.includes('ledger_entry_kind_time (kind=? AND payload_hash=? AND time_nanoseconds'),
    );
    expect(reads).toHaveLength(entryKinds.length);
    expect(plan.filter((step) => step.startsWith('SCAN ledger_entry'))).toEqual([]);
  });
});
