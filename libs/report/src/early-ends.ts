import { isJsonObject, type Json, type JsonObject } from '#kernel';
import type { ReportRow } from './report-row.ts';

const beginnings: ReadonlySet<string> = new Set(['SuspendScaling', 'OverrideReplicas', 'StartDryRun']);
const endings: ReadonlySet<string> = new Set(['EndSuspension', 'EndOverride', 'EndDryRun']);

/** The ends of interventions that came before these expired: the last that were taken, in bounded memory. */
export class EarlyEnds {
  readonly #limit: number;
  readonly #ends = new Map<string, ReportRow>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(row: ReportRow): void {
    if (!endings.has(row.action) || row.after === 'Refused') return;
    const { id, expires } = argumentsOf(row) ?? {};
    if (typeof id !== 'string' || typeof expires !== 'string') return;
    if (Date.parse(row.time) >= Date.parse(expires)) return;
    this.#ends.set(id, row);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > this.#limit && oldest !== undefined) this.#ends.delete(oldest);
  }

  /** The end of what a row says has begun; null: it did not end before it expired, or none is known. */
  of(row: ReportRow): ReportRow | null {
    const id = beginnings.has(row.action) ? argumentsOf(row)?.['id'] : null;
    return typeof id === 'string' ? (this.#ends.get(id) ?? null) : null;
  }
}

/** What an action of an operator was done with; null: the row is of something else. */
export function argumentsOf({ kind, details }: ReportRow): JsonObject | null {
  if (kind !== 'OperatorAction' || details === null) return null;
  const given = JSON.parse(details) as Json;
  return isJsonObject(given) ? given : null;
}
