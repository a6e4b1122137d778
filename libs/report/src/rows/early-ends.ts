import { canonicalJson, isJsonObject, type Json, type JsonObject } from '#kernel';
import { adminStream, type UnverifiedEntry } from '#ledger';
import { payloadOf } from './entry-payload.ts';
import type { ReportRow } from './report-row.ts';
import { argumentsOf } from './row-details.ts';

const beginnings: ReadonlySet<string> = new Set(['SuspendScaling', 'OverrideReplicas', 'StartDryRun']);
const endings: ReadonlySet<Json | undefined> = new Set(['EndSuspension', 'EndOverride', 'EndDryRun']);
const none: readonly ReportRow[] = [];

/** A row that waits: `expires` in milliseconds since 1970 until its end is known. */
interface WaitingRow {
  row: ReportRow;
  expires: number;
}

/**
 * Gives rows on in their order, with `endedAt` and `endedBy` in the `details` of an intervention that ended before it
 * expired. A row of one, and all behind it, wait until it has ended or expired: bounded, so that of one behind which more
 * than `limit` rows come before it ends, the end is known of its own row alone.
 */
export class EarlyEnds {
  readonly #limit: number;
  readonly #waiting: WaitingRow[] = [];
  readonly #byId = new Map<string, WaitingRow>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * The rows that wait no longer once an entry has been read.
   *
   * @param row What the entry makes; an end counts also where it makes none, after the report's period.
   */
  take(entry: UnverifiedEntry, row: ReportRow | null): readonly ReportRow[] {
    const ready = this.#waiting.length === 0 ? none : this.#meet(entry);
    if (row === null) return ready;
    const begun = beginningOf(row);
    if (this.#waiting.length === 0 && begun === null) return ready.length === 0 ? [row] : [...ready, row];
    const waiting = { row, expires: begun?.expires ?? -Infinity };
    this.#waiting.push(waiting);
    if (begun !== null) this.#byId.set(begun.id, waiting);
    return ready;
  }

  /** All that wait: nothing follows. */
  rest(): readonly ReportRow[] {
    this.#byId.clear();
    return this.#waiting.splice(0).map(({ row }) => row);
  }

  #meet(entry: UnverifiedEntry): readonly ReportRow[] {
    if (entry.stream !== adminStream) return this.rest();
    const at = Date.parse(entry.time);
    if (entry.kind === 'OperatorAction') this.#end(entry, at);
    const found = this.#waiting.findIndex(({ expires }) => expires > at);
    const ready = found === -1 ? this.#waiting.length : found;
    const given = this.#waiting.splice(0, Math.max(ready, this.#waiting.length - this.#limit));
    for (const { row } of given) this.#byId.delete(beginningOf(row)?.id ?? '');
    return given.map(({ row }) => row);
  }

  #end(entry: UnverifiedEntry, at: number): void {
    const { action, outcome, actor, arguments: given } = payloadOf(entry) ?? {};
    if (!endings.has(action) || outcome === 'Refused') return;
    const id = isJsonObject(given ?? null) ? (given as JsonObject)['id'] : null;
    const waiting = typeof id === 'string' ? this.#byId.get(id) : undefined;
    if (waiting === undefined || at >= waiting.expires) return;
    const details = { ...argumentsOf(waiting.row), endedAt: entry.time, endedBy: actor ?? null };
    waiting.row = { ...waiting.row, details: canonicalJson(details) };
    waiting.expires = -Infinity;
  }
}

/** Null: the row is of no intervention that has begun. */
function beginningOf(row: ReportRow): { readonly id: string; readonly expires: number } | null {
  if (!beginnings.has(row.action) || row.after === 'Refused') return null;
  const { id, expires } = argumentsOf(row) ?? {};
  const end = typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  return typeof id !== 'string' || Number.isNaN(end) ? null : { id, expires: end };
}
