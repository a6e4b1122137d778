import { decide, type DecideOutput, parseDecideInput, type ParsePolicy } from '#decision';
import { err, messageOf, type Result } from '#kernel';
import { parsePolicyJson } from '#policy';
import { parseJsonExactly } from './parse-json-exactly.ts';
import type { Line } from './read-lines.ts';

/** What a bad line prints. `line` counts from 1; `path` is a JSON Pointer into it. */
export interface LineError {
  readonly code: string;
  readonly message: string;
  readonly path: string;
  readonly line: number;
}

/** Policies kept by their text: a stream usually has a few policies and many observations of each. */
const maxKnownPolicies = 1_000;

/** Decides line by line; policies that were read before are not read again. */
export class LineDecider {
  readonly #policies = new Map<string, ReturnType<ParsePolicy>>();

  decide(line: Line): Result<DecideOutput, LineError> {
    const { number } = line;
    if ('problem' in line) return err({ code: 'InvalidJson', message: line.problem, path: '', line: number });
    let value: unknown;
    try {
      value = parseJsonExactly(line.text);
    } catch (error) {
      return err({ code: 'InvalidJson', message: whyNotJson(line.text, error), path: '', line: number });
    }
    return this.decideValue(value, number);
  }

  /** As {@link decide}, for a value that was parsed already. */
  decideValue(value: unknown, line: number): Result<DecideOutput, LineError> {
    try {
      const input = parseDecideInput(value, (policy) => this.#parsePolicy(policy));
      return input.ok ? { ok: true, value: decide(input.value) } : err({ ...input.error, line });
    } catch (error) {
      // Only a bug or an exhausted stack comes here; one line of a million must not end the run.
      const message = messageOf(error);
      return err({ code: 'InternalError', message: `could not decide: ${message}`, path: '', line });
    }
  }

  #parsePolicy(value: unknown): ReturnType<ParsePolicy> {
    const key = textOf(value);
    if (key === undefined) return parsePolicyJson(value);
    const known = this.#policies.get(key);
    if (known !== undefined) return known;
    const policy = parsePolicyJson(value);
    if (this.#policies.size >= maxKnownPolicies) this.#policies.clear();
    this.#policies.set(key, policy);
    return policy;
  }
}

/** Undefined where there is no text, or where the value is nested too deeply to be written. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function whyNotJson(text: string, error: unknown): string {
  if (text.trim() === '') return 'the line is blank';
  return error instanceof Error ? error.message.slice(0, 200) : 'the line is not JSON';
}
