import { err, ok, type Result } from '#kernel';
import { type EffectivePolicy, parsePolicyJson, type Problem } from '#policy';
import type { DecideInput, DecideInputError, DecideInputErrorCode } from '../model/decide-input.ts';
import type { Memory } from '../model/memory.ts';
import type { Observation } from '../model/observation.ts';
import { type Fault, fault, isRecord, toPointer } from './check.ts';
import { checkMemory } from './check-memory.ts';
import { checkObservation } from './check-observation.ts';
import { parseSettings } from './parse-settings.ts';

/** Reads a policy's JSON; the caller may remember policies that it has read before. */
export type ParsePolicy = (value: unknown) => Result<EffectivePolicy, readonly Problem[]>;

/**
 * Reads one input of the decision contract: `{policy, settings, observation, memory}` as JSON values. It never throws.
 * With several faults the first of policy, settings, observation and memory is named.
 *
 * The error is `InvalidJson` (not an object), `InvalidPolicy`, `InvalidSettings`, `InvalidObservation`, `InvalidMemory`,
 * with a JSON Pointer to the value that is wrong.
 *
 * @see docs/spec/decision-contract.md
 */
export function parseDecideInput(
  value: unknown,
  parsePolicy: ParsePolicy = parsePolicyJson,
): Result<DecideInput, DecideInputError> {
  if (!isRecord(value)) return refuse('InvalidJson', [], fault(value, 'an object'));
  const policy = parsePolicy(value['policy']);
  if (!policy.ok) return refuse('InvalidPolicy', ['policy'], firstOf(policy.error));
  const settings = parseSettings(value['settings']);
  if (!settings.ok) return refuse('InvalidSettings', ['settings'], settings.error);
  const observation = checked(value['observation'], {
    check: (item) => checkObservation(item, policy.value),
    is: isObservation,
  });
  if (!observation.ok) return refuse('InvalidObservation', ['observation'], observation.error);
  const memory = checked(value['memory'] ?? {}, { check: checkMemory, is: isMemory });
  if (!memory.ok) return refuse('InvalidMemory', ['memory'], memory.error);
  return ok({
    policy: policy.value,
    settings: settings.value,
    observation: observation.value,
    memory: memory.value,
  });
}

/** A value that its check found nothing wrong with. */
function checked<T>(
  value: unknown,
  { check, is }: { check: (value: unknown) => Fault | null; is: (value: unknown) => value is T },
): Result<T, Fault> {
  const wrong = check(value);
  return wrong === null && is(value) ? ok(value) : err(wrong ?? noObject);
}

const noObject: Fault = { path: [], message: 'it is not an object' };

function isObservation(value: unknown): value is Observation {
  return isRecord(value);
}

function isMemory(value: unknown): value is Memory {
  return isRecord(value);
}

function refuse(
  code: DecideInputErrorCode,
  part: readonly string[],
  { path, message }: Fault,
): Result<never, DecideInputError> {
  return err({ code, message, path: toPointer([...part, ...path]) });
}

function firstOf([first]: readonly Problem[]): Fault {
  return first === undefined ? { path: [], message: 'the policy is not valid' } : first;
}
