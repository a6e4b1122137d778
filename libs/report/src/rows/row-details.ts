import { isJsonObject, type Json, type JsonObject } from '#kernel';
import type { ReportRow } from './report-row.ts';

/** What an action of an operator was done with; null: the row is of something else. */
export function argumentsOf(row: ReportRow): JsonObject | null {
  return row.kind === 'OperatorAction' ? parsedDetails(row) : null;
}

/** What a row says beside its columns; null: nothing. */
export function parsedDetails({ details }: ReportRow): JsonObject | null {
  if (details === null) return null;
  const given = JSON.parse(details) as Json;
  return isJsonObject(given) ? given : null;
}
