import { canonicalJson, isJsonObject, type Json, type JsonObject } from '#kernel';
import {
  type EntryKind,
  namesOf,
  parseSummaryText,
  type StoredContent,
  summaryTextOf,
  timeNanoseconds,
} from '#ledger';
import type { SqlRow } from '../connection/sql-database.ts';
import { textOf } from '../statements/rows.ts';

/** The columns by which lists find an entry. */
export const foundByColumns =
  'entry.time_nanoseconds, entry.actor_id, entry.commit_id, entry.namespace_id, entry.policy_id';

/** A name that entries refer to by its number. */
export interface EntryName {
  readonly kind: string;
  readonly name: string;
}

/** What the columns of rows of one stream are read with. */
export interface ColumnReading {
  /** The names that the rows refer to, by number. */
  readonly names: ReadonlyMap<bigint, EntryName>;
  /** The namespace of the policy whose stream it is; null: it is no policy's. */
  readonly namespace: string | null;
}

/**
 * The content of an entry as its row has it: where what stands beside a payload says otherwise, the payload with that in
 * its place, which no longer gives the hash of the entry. So verification finds what lists would show wrongly, or would
 * leave out: of that, `foundBy` has what the columns say, and what the payload does.
 */
export function withColumns(row: SqlRow, content: StoredContent, reading: ColumnReading): StoredContent {
  if ('payloadHash' in content) return content;
  const text = 'payloadText' in content ? content.payloadText : content.hashedText;
  const parsed = mayDiffer(row, text) ? payloadIn(text) : unparsed;
  // What is no payload its hash tells.
  if (parsed === null) return content;
  const shown = withSummary(row, parsed);
  const foundBy = differencesIn(row, parsed, reading);
  if (shown === parsed && foundBy === null) return parsed === unparsed ? content : { ...content, parsed };
  const changed = canonicalJson({ ...(payloadIn(text) ?? {}), ...shown, ...foundBy });
  return 'payloadText' in content ? { payloadText: changed } : { hashedText: changed };
}

/** Adds the numbers of the names that a row refers to, but for those that are known. */
export function addNameIds(
  row: SqlRow,
  { known, ids }: { readonly known: ReadonlyMap<bigint, EntryName>; readonly ids: Set<bigint> },
): void {
  for (const { column } of namedColumns) {
    const id = row[column];
    if (typeof id === 'bigint' && !known.has(id)) ids.add(id);
  }
}

const namedColumns = [
  { key: 'actor', column: 'actor_id', kind: 'Actor' },
  { key: 'commit', column: 'commit_id', kind: 'Commit' },
  { key: 'namespace', column: 'namespace_id', kind: 'Namespace' },
  { key: 'scope', column: 'policy_id', kind: 'Policy' },
] as const;

/** Stands in a payload for what a list would not find it by. */
interface FoundBy {
  readonly foundBy: JsonObject;
}

/** In the place of a payload that names nothing. */
const unparsed: JsonObject = {};

const namingForm = /"(?:actor":"|commit":\{)/;

/** Most entries are runs, which name nothing: their texts need no parsing. */
function mayDiffer(row: SqlRow, text: string): boolean {
  const { actor_id: actor, commit_id: commit, policy_id: scope, summary, kind } = row;
  const isNamed = actor !== null || commit !== null || scope !== null || summary !== null;
  return isNamed || kind === 'OperatorAction' || namingForm.test(text);
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

/** What the columns say, and what the payload does, where an entry is found by another than what it says; null: nowhere. */
function differencesIn(
  row: SqlRow,
  payload: JsonObject,
  { names, namespace }: ColumnReading,
): FoundBy | null {
  // Nothing is made of a row that is as it should be, as all but damaged ones are: a year's report has millions.
  let found: Record<string, Json> | null = null;
  const said = namesOf({ kind: textOf(row, 'kind') as EntryKind, payload });
  for (const { key, column, kind } of namedColumns) {
    const entry = key === 'namespace' ? (namespace ?? said.namespace) : said[key];
    const name = nameOf(row[column], kind, names);
    if (name !== entry && !isUnfilled(row, key, name)) (found ??= {})[key] = { column: name, entry };
  }
  const time = timeNanoseconds(textOf(row, 'time'));
  if (row['time_nanoseconds'] !== time)
    (found ??= {})['time'] = { column: String(row['time_nanoseconds']), entry: String(time) };
  return found === null ? null : { foundBy: found };
}

/** The name that a column refers to; null: none of its kind. */
function nameOf(id: SqlRow[string] | undefined, kind: string, names: ColumnReading['names']): string | null {
  const name = typeof id === 'bigint' ? names.get(id) : undefined;
  return name?.kind === kind ? name.name : null;
}

/** Decisions whose observations had been deleted before there were names of entries got none. */
function isUnfilled(row: SqlRow, key: string, column: string | null): boolean {
  return (
    column === null && key === 'commit' && row['kind'] === 'Decision' && row['observation_hash'] !== null
  );
}
