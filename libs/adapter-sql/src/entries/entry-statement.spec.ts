import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { entryKinds, type EntryQuery } from '#ledger';
import { migrateSqlite } from '../sqlite/migrate-sqlite.ts';
import { createPrivateFile, SqliteConnection } from '../sqlite/sqlite-connection.ts';
import { placesStatement } from './entry-statement.ts';
import { wholeEntries } from './placed-entries.ts';

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

function planOf(
  query: EntryQuery,
  namespaces?: readonly bigint[],
  streams?: readonly bigint[],
): readonly string[] {
  const { sql, parameters } = placesStatement(query, { dialect: 'sqlite', namespaces, streams });
  return connection
    .query({ sql: `EXPLAIN QUERY PLAN ${wholeEntries(sql)}`, parameters })
    .map(({ detail }) => String(detail));
}

describe('placesStatement', () => {
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
    {
      name: 'one kind that a person did',
      given: { kinds: ['OperatorAction'], actor: 'ada' },
      want: 'ledger_entry_actor_kind_time (actor_id=? AND kind=? AND payload_hash=? AND time_nanoseconds',
    },
    {
      name: 'what operators did to a policy',
      given: { kinds: ['OperatorAction'], policy: { namespace: 'shop', name: 'web' } },
      want: 'ledger_entry_policy_kind_time (policy_id=? AND kind=? AND payload_hash=? AND time_nanoseconds',
    },
    {
      name: 'one kind that a commit brought',
      given: { kinds: ['PolicyChange'], commit: 'a1' },
      want: 'ledger_entry_commit_kind_time (commit_id=? AND kind=? AND payload_hash=? AND time_nanoseconds',
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

  it.each([
    { name: 'a stream', given: { stream: 'sync' }, namespaces: undefined, streams: undefined },
    { name: 'namespaces', given: {}, namespaces: [1n, 2n], streams: [5n, 6n, 7n] },
  ])(
    'reads a page of the runs of $name week by week, from their index alone',
    ({ given, namespaces, streams }) => {
      for (const order of ['NewestFirst', 'OldestFirst'] as const) {
        const plan = planOf({ ...page, kinds: ['DecisionRun'], ...given, order }, namespaces, streams);
        const reads = plan.filter((step) => /^(SEARCH|SCAN) ledger_entry/.test(step));
        expect(
          reads.filter((step) => !step.includes('USING COVERING INDEX ledger_entry_run_week (')),
        ).toEqual([]);
        expect(reads.filter((step) => step.includes('AND stream_id=? AND payload_hash=?'))).toHaveLength(2);
        expect(reads).toHaveLength(4);
      }
    },
  );

  it('reads a page of all kinds from one range each', () => {
    const plan = planOf({ ...page, kinds: entryKinds });
    const reads = plan.filter((step) =>
      step.includes('ledger_entry_kind_time (kind=? AND payload_hash=? AND time_nanoseconds'),
    );
    expect(reads).toHaveLength(entryKinds.length);
    expect(plan.filter((step) => step.startsWith('SCAN ledger_entry'))).toEqual([]);
  });

  it('reads a page of namespaces from one range each', () => {
    const plan = planOf({ ...page, kinds: ['Decision', 'ScalingEvent'] }, [1n, 2n, 3n]);
    const want =
      'COVERING INDEX ledger_entry_namespace_kind_time (namespace_id=? AND kind=? AND payload_hash=? AND time';
    expect(plan.filter((step) => step.includes(want))).toHaveLength(6);
    expect(plan.filter((step) => step.startsWith('SCAN ledger_entry'))).toEqual([]);
  });

  it('reads a page of the runs of namespaces by their streams, and of other kinds from one range per namespace', () => {
    const plan = planOf({ ...page, kinds: ['Decision', 'DecisionRun'] }, [1n, 2n], [5n, 6n, 7n]);
    const reads = plan.filter((step) => step.startsWith('SEARCH ledger_entry USING COVERING INDEX'));
    expect(reads.filter((step) => step.includes('_run_week (<expr>=? AND stream_id=?'))).toHaveLength(2);
    expect(reads.filter((step) => step.includes('_namespace_kind_time (namespace_id=? AND'))).toHaveLength(2);
    expect(plan.filter((step) => step.startsWith('SCAN ledger_entry'))).toEqual([]);
  });

  it('reads a page of the runs of more streams than a statement may have ranges by their kind', () => {
    const plan = planOf({ ...page, kinds: ['DecisionRun'] }, [1n]);
    const reads = plan.filter((step) => step.startsWith('SEARCH ledger_entry USING'));
    expect(reads).toHaveLength(1);
    expect(reads[0]).toContain('ledger_entry_kind_time (kind=? AND payload_hash=? AND time_nanoseconds');
  });

  it.each([
    {
      name: 'their actor',
      given: { actor: 'ada', stream: 'sync', commit: 'a1', action: 'Hold' },
      want: 'actor_kind',
    },
    { name: 'their stream', given: { stream: 'sync', commit: 'a1' }, want: 'stream_kind' },
    { name: 'their stream and action', given: { stream: 'sync', action: 'Hold' }, want: 'stream_action' },
    { name: 'their commit', given: { commit: 'a1', action: 'Hold' }, want: 'commit_kind' },
    { name: 'their namespace', given: { action: 'Hold' }, want: 'namespace_kind' },
  ] as const)('finds the decisions of a namespace by $name', ({ given, want }) => {
    const plan = planOf({ ...page, kinds: ['Decision'], ...given }, [1n]);
    const reads = plan.filter((step) => step.startsWith('SEARCH ledger_entry USING'));
    expect(reads).toHaveLength(1);
    expect(reads[0]).toContain(`ledger_entry_${want}_time`);
  });

  it('reads a page of more namespaces than a statement may have ranges by their kind', () => {
    const namespaces = Array.from({ length: 500 }, (_, index) => BigInt(index + 1));
    const reads = planOf({ ...page, kinds: ['Decision'] }, namespaces).filter((step) =>
      step.startsWith('SEARCH ledger_entry USING'),
    );
    expect(reads).toHaveLength(1);
    expect(reads[0]).toContain('ledger_entry_kind_time (kind=? AND payload_hash=? AND time_nanoseconds');
  });
});
