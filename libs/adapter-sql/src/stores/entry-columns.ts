import { canonicalJson, isJsonObject, type Json, type JsonObject } from '#kernel';
import {
  type EntryKind,
  namesOf,
  parseSummaryText,
  policyOfStream,
  type StoredContent,
  summaryTextOf,
  timeNanoseconds,
} from '#ledger';
import type { SqlRow } from '../sql-database.ts';
import { textOf } from './rows.ts';

/** The columns by which lists find an entry. */
export const foundByColumns =
  'entry.time_nanoseconds, entry.actor_id, entry.commit_id, entry.namespace_id, entry.policy_id';

/** A name that entries refer to by its number. */
export interface EntryName {
  readonly kind: string;
  readonly name: string;
}

type FoundBy = Readonly<Record<string, string | null>>;

/**
 * The content of an entry as its row has it: where what stands beside a payload says otherwise, the payload with that in
 * its place, which no longer gives the hash of the entry. So verification finds what lists would show wrongly, or would
 * leave out: of that, `foundBy` has what the columns say, and what the payload does.
 */
export function withColumns(
  row: SqlRow,
  content: StoredContent,
  names: ReadonlyMap<bigint, EntryName>,
): StoredContent {
  if ('payloadHash' in content) return content;
  return 'payloadText' in content
    ? { payloadText: textWith(row, content.payloadText, names) }
    : { hashedText: textWith(row, content.hashedText, names) };
}

/** The numbers of the names that rows refer to. */
export function nameIdsOf(rows: readonly SqlRow[]): ReadonlySet<bigint> {
  return new Set(
    rows.flatMap((row) =>
      namedColumns.flatMap(({ column }) => {
        const id = row[column];
        return typeof id === 'bigint' ? [id] : [];
      }),
    ),
  );
}

const namedColumns = [
  { key: 'actor', column: 'actor_id', kind: 'Actor' },
  { key: 'commit', column: 'commit_id', kind: 'Commit' },
  { key: 'namespace', column: 'namespace_id', kind: 'Namespace' },
  { key: 'scope', column: 'policy_id', kind: 'Policy' },
] as const;

/** The text itself where the columns say the same, or it is no payload, which its hash tells. */
function textWith(row: SqlRow, text: string, names: ReadonlyMap<bigint, EntryName>): string {
  const payload = mayDiffer(row, text) ? payloadIn(text) : {};
  if (payload === null) return text;
  const shown = withSummary(row, payload);
  const foundBy = differences(foundByOf(row, names), foundByIn(row, payload), row);
  if (shown === payload && foundBy === null) return text;
  return canonicalJson({ ...(payloadIn(text) ?? {}), ...shown, ...(foundBy === null ? {} : { foundBy }) });
}

/** Most entries are runs, which name nothing: their texts need no parsing. */
function mayDiffer(row: SqlRow, text: string): boolean {
  const isNamed = ['actor_id', 'commit_id', 'policy_id', 'summary'].some((column) => row[column] !== null);
  return isNamed || row['kind'] === 'OperatorAction' || /"(?:actor":"|commit":\{)/.test(text);
}

function payloadIn(text: string): JsonObject | null {
  try {
    const payload = JSON.parse(text) as Json;
    return isJsonObject(payload) ? payload : null;
  } catch {
    return null;
  }
}

/** The payload itself where its decision is summarized so. */
function withSummary(row: SqlRow, payload: JsonObject): JsonObject {
  const { decision } = payload;
  if (row['summary'] === null || !isJsonObject(decision)) return payload;
  const [action, summary] = [textOf(row, 'action'), textOf(row, 'summary')];
  if (decision['action'] === action && summaryTextOf(decision) === summary) return payload;
  const fields = parseSummaryText(summary) ?? { reason: summary };
  return { ...payload, decision: { ...decision, action, ...fields } };
}

function foundByOf(row: SqlRow, names: ReadonlyMap<bigint, EntryName>): FoundBy {
  const named = namedColumns.map(({ key, column, kind }) => {
    const id = row[column];
    const name = typeof id === 'bigint' ? names.get(id) : undefined;
    return [key, name?.kind === kind ? name.name : null] as const;
  });
  return { ...Object.fromEntries(named), time: String(row['time_nanoseconds']) };
}

function foundByIn(row: SqlRow, payload: JsonObject): FoundBy {
  const names = namesOf({ kind: textOf(row, 'kind') as EntryKind, payload });
  const namespace = policyOfStream(textOf(row, 'stream'))?.namespace ?? names.namespace;
  return { ...names, namespace, time: String(timeNanoseconds(textOf(row, 'time'))) };
}

/** Null: there are none. */
function differences(columns: FoundBy, entry: FoundBy, row: SqlRow): JsonObject | null {
  const found = Object.entries(entry).flatMap(([key, said]) => {
    const column = columns[key] ?? null;
    return column === said || isUnfilled(row, key, column) ? [] : [[key, { column, entry: said }] as const];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** Decisions whose observations had been deleted before there were names of entries got none. */
function isUnfilled(row: SqlRow, key: string, column: string | null): boolean {
  return (
    column === null && key === 'commit' && row['kind'] === 'Decision' && row['observation_hash'] !== null
  );
}
