import type { Decision } from '#decision';
import { err, isJsonObject, type Json, ok, type Result } from '#kernel';
import type { LineDecider } from './decide-line.ts';
import { parseJsonExactly } from './parse-json-exactly.ts';
import type { Line } from './read-lines.ts';

/**
 * Finds a decision in a line: a decision alone, an output of `plimsoll decide`, a record of the ledger, or an input of
 * the contract, which is then decided.
 */
export function readDecision(line: Line, decider: LineDecider): Result<Decision, string> {
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
    return result.ok ? ok(result.value.decision) : err(`${result.error.path}: ${result.error.message}`);
  }
  const decision = [value, value['decision'], value['output'], value['payload']]
    .flatMap((candidate) => [candidate, isJsonObject(candidate) ? candidate['decision'] : undefined])
    .find(isDecision);
  return decision === undefined ? err('the line holds no decision') : ok(decision);
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
