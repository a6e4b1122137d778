import { mapInSteps } from '#kernel';
import {
  type AppendBatch,
  type ChainedEntry,
  isIntent,
  liveKinds,
  parseEntryId,
  type PolicyKey,
  policyStream,
  type RecordedConditions,
  type StandingIntervention,
  type StreamHead,
} from '#ledger';
import type { SqlDialect, SqlStatement, SqlValue } from '../connection/sql-database.ts';
import { insertedEntries } from '../entries/inserted-entries.ts';
import type { PackedEntry } from '../packing/payload-packer.ts';
import { type ChangedPart, noticeStatements } from '../statements/change-notices.ts';
import { fenceChecks, fenceUses } from '../statements/fence-statements.ts';
import { sourceStatement } from '../statements/revision-statements.ts';
import { tokenStatements } from './sql-tokens.ts';

/**
 * Writes a batch as one transaction, a state or a policy's conditions per step. `packed` are those of its payloads that are
 * not stored as text. The order matters: the fences are checked first and used last, outcomes close intents before new intents
 * open, and stream heads are locked in the order of their names, so that two writers cannot deadlock.
 */
export function* appendStatementsInSteps(
  dialect: SqlDialect,
  batch: AppendBatch,
  packed: ReadonlyMap<ChainedEntry, PackedEntry>,
): Generator<void, readonly SqlStatement[], void> {
  const sql = statementsOf[dialect];
  const states = yield* stateRows(batch);
  const conditions = yield* conditionRows(batch);
  return [
    ...fenceChecks(dialect, batch.fences),
    ...journalStatements(batch),
    ...shardStatements(batch),
    ...newNames(sql.addName, batch.entries),
    ...manyRows(sql.beginStream, beginnings(batch), 'HeadMoved'),
    ...manyRows(sql.moveHead, moves(batch), 'HeadMoved'),
    ...insertions(dialect, batch.entries, packed),
    ...manyRows(sql.closeIntent, closedIntents(batch.entries), 'IntentNotPending'),
    ...manyRows(sql.openIntent, openedIntents(batch.entries), 'IntentPending'),
    ...manyRows(sql.upsertState, states, 'HeadMoved'),
    ...manyRows(sql.upsertConditions, conditions, 'HeadMoved'),
    ...forgotten(sql.forgetConditions, [...batch.forget, ...withoutConditions(batch)]),
    ...forgotten(sql.forgetState, batch.forget),
    ...manyRows(sql.beginIntervention, batch.begin.map(interventionRow), 'InterventionEnded'),
    ...manyRows(
      sql.endIntervention,
      batch.end.map((id) => [id]),
      'InterventionEnded',
    ),
    ...tokenStatements(batch.tokens),
    ...batch.sources.map(sourceStatement),
    ...noticeStatements(dialect, changedParts(batch)),
    ...fenceUses(dialect, batch),
  ];
}

/** Entries of other kinds are passed on to nothing that waits for them. */
const live: ReadonlySet<string> = new Set(liveKinds);

function changedParts({ entries, begin, end, tokens, sources }: AppendBatch): readonly ChangedPart[] {
  const hasInterventions = begin.length > 0 || end.length > 0;
  return [
    ...(hasInterventions ? (['Interventions'] as const) : []),
    ...(tokens.put.length > 0 ? (['Tokens'] as const) : []),
    ...(sources.length > 0 ? (['Sources'] as const) : []),
    ...(entries.some(({ kind }) => live.has(kind)) ? (['Entries'] as const) : []),
  ];
}

type Row = readonly SqlValue[];

interface AppendSql {
  readonly addName: string;
  readonly beginStream: string;
  readonly moveHead: string;
  readonly closeIntent: string;
  readonly openIntent: string;
  readonly upsertState: string;
  readonly forgetState: string;
  readonly upsertConditions: string;
  readonly forgetConditions: string;
  readonly beginIntervention: string;
  readonly endIntervention: string;
}

const stateColumns =
  'stream, memory, memory_if_written, open_run, last_decision, strategy, account, contest, refusal, updated_at';
const replaceState = `ON CONFLICT (stream) DO UPDATE SET memory = excluded.memory,
  memory_if_written = excluded.memory_if_written, open_run = excluded.open_run,
  last_decision = excluded.last_decision, strategy = excluded.strategy, account = excluded.account,
  contest = excluded.contest, refusal = excluded.refusal, updated_at = excluded.updated_at`;

const replaceConditions = 'ON CONFLICT (stream) DO UPDATE SET conditions = excluded.conditions';

const statementsOf: Readonly<Record<SqlDialect, AppendSql>> = {
  sqlite: {
    addName: 'INSERT INTO entry_name (kind, name) VALUES (?, ?) ON CONFLICT DO NOTHING',
    beginStream: 'INSERT INTO stream_head (stream, seq, hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    moveHead: 'UPDATE stream_head SET seq = ?, hash = ? WHERE stream = ? AND seq = ? AND hash = ?',
    closeIntent: 'DELETE FROM pending_intent WHERE stream = ? AND seq = ?',
    openIntent: 'INSERT INTO pending_intent (stream, seq) VALUES (?, ?) ON CONFLICT DO NOTHING',
    upsertState: `INSERT INTO policy_state (${stateColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${replaceState}`,
    forgetState: 'DELETE FROM policy_state WHERE stream = ?',
    upsertConditions: `INSERT INTO policy_conditions (stream, conditions) VALUES (?, ?) ${replaceConditions}`,
    forgetConditions: 'DELETE FROM policy_conditions WHERE stream = ?',
    beginIntervention: 'INSERT INTO intervention (id, record) VALUES (?, ?)',
    endIntervention: 'DELETE FROM intervention WHERE id = ?',
  },
  postgres: {
    addName: `INSERT INTO entry_name (kind, name)
      SELECT * FROM unnest(?::text[], ?::text[]) AS added (kind, name) WHERE NOT EXISTS (
        SELECT 1 FROM entry_name WHERE entry_name.kind = added.kind AND entry_name.name = added.name)
      ON CONFLICT DO NOTHING`,
    beginStream: `INSERT INTO stream_head (stream, seq, hash)
      SELECT * FROM unnest(?::text[], ?::bigint[], ?::text[]) ON CONFLICT DO NOTHING`,
    moveHead: `UPDATE stream_head SET seq = moved.seq, hash = moved.hash
      FROM unnest(?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::text[])
        AS moved (seq, hash, stream, old_seq, old_hash)
      WHERE stream_head.stream = moved.stream AND stream_head.seq = moved.old_seq
        AND stream_head.hash = moved.old_hash`,
    closeIntent: `DELETE FROM pending_intent USING unnest(?::text[], ?::bigint[]) AS closed (stream, seq)
      WHERE pending_intent.stream = closed.stream AND pending_intent.seq = closed.seq`,
    openIntent: `INSERT INTO pending_intent (stream, seq)
      SELECT * FROM unnest(?::text[], ?::bigint[]) ON CONFLICT DO NOTHING`,
    upsertState: `INSERT INTO policy_state (${stateColumns}) SELECT * FROM
      unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[]) ${replaceState}`,
    forgetState: 'DELETE FROM policy_state WHERE stream = ANY (?::text[])',
    upsertConditions: `INSERT INTO policy_conditions (stream, conditions)
      SELECT * FROM unnest(?::text[], ?::text[]) ${replaceConditions}`,
    forgetConditions: 'DELETE FROM policy_conditions WHERE stream = ANY (?::text[])',
    beginIntervention: 'INSERT INTO intervention (id, record) SELECT * FROM unnest(?::text[], ?::text[])',
    endIntervention: 'DELETE FROM intervention WHERE id = ANY (?::text[])',
  },
};

function manyRows(sql: string, rows: readonly Row[], otherwise: string): readonly SqlStatement[] {
  return rows.length === 0 ? [] : [{ sql, rows, expect: { count: rows.length, otherwise } }];
}

interface Move {
  readonly before: StreamHead;
  readonly after: StreamHead;
}

function movesByName(batch: AppendBatch): readonly Move[] {
  const moves = batch.before.flatMap((before, index) => {
    const after = batch.after[index];
    return after === undefined ? [] : [{ before, after }];
  });
  return moves.sort((a, b) => (a.before.stream < b.before.stream ? -1 : 1));
}

function beginnings(batch: AppendBatch): readonly Row[] {
  return movesByName(batch)
    .filter(({ before }) => before.seq === 0n)
    .map(({ after }) => [after.stream, after.seq, after.hash]);
}

function moves(batch: AppendBatch): readonly Row[] {
  return movesByName(batch)
    .filter(({ before }) => before.seq > 0n)
    .map(({ before, after }) => [after.seq, after.hash, after.stream, before.seq, before.hash]);
}

function insertions(
  dialect: SqlDialect,
  entries: readonly ChainedEntry[],
  packed: ReadonlyMap<ChainedEntry, PackedEntry>,
): readonly SqlStatement[] {
  const { sql, rows } = insertedEntries(dialect, entries, packed);
  return manyRows(sql, rows, 'HeadMoved');
}

/** The names of a batch in one order, so that two writers cannot deadlock. Most of them are stored already. */
function newNames(sql: string, entries: readonly ChainedEntry[]): readonly SqlStatement[] {
  const named = (kind: string, names: readonly (string | null)[]): readonly Row[] =>
    [...new Set(names)]
      .filter((name) => name !== null)
      .sort()
      .map((name) => [kind, name]);
  const rows = [
    ...named(
      'Actor',
      entries.map(({ actor }) => actor),
    ),
    ...named(
      'Commit',
      entries.map(({ commit }) => commit),
    ),
    ...named(
      'Namespace',
      entries.map(({ namespace }) => namespace),
    ),
    ...named(
      'Policy',
      entries.map(({ scope }) => scope),
    ),
    ...named(
      'Summary',
      entries.map(({ summary }) => summary),
    ),
  ];
  return rows.length === 0 ? [] : [{ sql, rows }];
}

function openedIntents(entries: readonly ChainedEntry[]): readonly Row[] {
  return entries.filter(({ kind }) => isIntent(kind)).map(({ stream, seq }) => [stream, seq]);
}

/** A malformed id closes no intent, so the count differs and the batch is refused. */
function closedIntents(entries: readonly ChainedEntry[]): readonly Row[] {
  return entries.flatMap(({ resolvesIntent }) => {
    if (resolvesIntent === null) return [];
    const address = parseEntryId(resolvesIntent);
    return [address === null ? [resolvesIntent, 0n] : [address.stream, address.seq]];
  });
}

/** The last state of a policy wins; PostgreSQL refuses two rows with one key in one upsert. */
function* stateRows({ states }: AppendBatch): Generator<void, readonly Row[], void> {
  const rows = new Map<string, Row>();
  for (const {
    policy,
    memory,
    memoryIfWritten,
    openRun,
    lastDecision,
    strategy,
    account,
    contest,
    refusal,
    updatedAt,
  } of states) {
    rows.set(policyStream(policy), [
      policyStream(policy),
      JSON.stringify(memory),
      memoryIfWritten && JSON.stringify(memoryIfWritten),
      openRun && JSON.stringify(openRun),
      lastDecision && JSON.stringify(lastDecision),
      strategy && JSON.stringify(strategy),
      account && JSON.stringify(account),
      contest && JSON.stringify(contest),
      refusal && JSON.stringify(refusal),
      updatedAt,
    ]);
    yield;
  }
  return [...rows.values()];
}

/** A journal is replayed once: its place moves with the entries, and only on. */
function journalStatements({ journal }: AppendBatch): readonly SqlStatement[] {
  if (journal === undefined) return [];
  return [
    {
      sql: `INSERT INTO replayed_journal (journal, last_record) VALUES (?, ?)
        ON CONFLICT (journal) DO UPDATE SET last_record = excluded.last_record
        WHERE replayed_journal.last_record < ?`,
      parameters: [journal.id, BigInt(journal.number), BigInt(journal.first)],
      expect: { count: 1, otherwise: 'AlreadyReplayed' },
    },
  ];
}

function shardStatements({ shardCount }: AppendBatch): readonly SqlStatement[] {
  if (shardCount === undefined) return [];
  const sql = 'UPDATE ledger_identity SET shard_count = ?';
  return [{ sql, parameters: [BigInt(shardCount)], expect: { count: 1, otherwise: 'HeadMoved' } }];
}

function conditionRows(batch: AppendBatch): Generator<void, readonly Row[], void> {
  const kept = lastConditions(batch).filter(({ conditions }) => conditions.length > 0);
  return mapInSteps(kept, ({ policy, conditions }) => [policyStream(policy), JSON.stringify(conditions)]);
}

function withoutConditions(batch: AppendBatch): readonly PolicyKey[] {
  return lastConditions(batch).flatMap(({ policy, conditions }) => (conditions.length === 0 ? [policy] : []));
}

/** The last conditions of a policy win, as its last state does. */
function lastConditions({ conditions }: AppendBatch): readonly RecordedConditions[] {
  return [...new Map(conditions.map((recorded) => [policyStream(recorded.policy), recorded])).values()];
}

function interventionRow(standing: StandingIntervention): Row {
  return [standing.id, JSON.stringify(standing)];
}

function forgotten(sql: string, policies: readonly PolicyKey[]): readonly SqlStatement[] {
  return policies.length === 0 ? [] : [{ sql, rows: policies.map((policy) => [policyStream(policy)]) }];
}
