import type { Decision } from '#decision';
import { err, isJsonObject, type Json, type JsonObject, ok, type Result } from '#kernel';
import type { LineDecider } from './decide-line.ts';
import { expiredEntries } from './expired-entries.ts';
import { parseJsonExactly } from './parse-json-exactly.ts';
import type { Line } from './read-lines.ts';

/** A decision, and what its record says beside it. */
export interface ExplainedDecision {
  readonly decision: Decision;
  /** How the native controller acts otherwise, in sentences. */
  readonly departures: readonly string[];
}

/**
 * Finds a decision in a line: a decision alone, an output of `plimsoll decide`, a record of the ledger, or an input of
 * the contract, which is then decided. The error is null where the line is an entry of the ledger that holds none.
 */
export function readDecision(line: Line, decider: LineDecider): Result<ExplainedDecision, string | null> {
  if ('problem' in line) return err(line.problem);
  let value: unknown;
  try {
    value = parseJsonExactly(line.text);
  } catch {
    return err(line.text.trim() === '' ? 'the line is blank' : 'the line is not JSON');
  }
  if (!isJsonObject(value)) return err('the line is not a JSON object');
  if (value['observation'] !== undefined) {
    const result = decider.decideValue(value, line.number);
    return result.ok
      ? ok({ decision: result.value.decision, departures: [] })
      : err(`${result.error.path}: ${result.error.message}`);
  }
  const places = [value, value['decision'], value['output'], value['payload']];
  const decision = places
    .flatMap((place) => [place, isJsonObject(place) ? place['decision'] : undefined])
    .find(isDecision);
  if (decision === undefined) return err(isEntry(value) ? null : 'the line holds no decision');
  const departures = places.flatMap((place) => (isJsonObject(place) ? place['departures'] : undefined));
  return ok({ decision, departures: departures.filter((each) => typeof each === 'string') });
}

/** Or what an export has in the place of entries. */
function isEntry(value: JsonObject): boolean {
  const { kind, stream, seq } = value;
  const isOne = typeof kind === 'string' && typeof stream === 'string' && seq !== undefined;
  return isOne || expiredEntries(value) !== null;
}

/** Enough of its shape to print it; the rest is printed as far as it is there. */
function isDecision(value: unknown): value is Json & Decision {
  return (
    isJsonObject(value) &&
    Array.isArray(value['steps']) &&
    Array.isArray(value['metrics']) &&
    Array.isArray(value['conditions']) &&
    isJsonObject(value['policy']) &&
    isJsonObject(value['selection'])
  );
}
