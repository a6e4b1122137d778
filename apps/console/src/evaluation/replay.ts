import { engineVersion } from '#decision';
import { type Json, type JsonDifference, jsonDifferences } from '#kernel';
import type { RecordedDecisionFragment } from './decision-record.generated.ts';
import { evaluate } from './evaluate.ts';

/** A recorded decision beside what its input comes to now. */
export type Replay =
  | { readonly kind: 'Same' }
  | {
      readonly kind: 'Different';
      readonly differences: readonly JsonDifference[];
      /** Another version of the rules recorded it, which may be why. */
      readonly isOtherEngine: boolean;
    }
  /** The input cannot be read: retention may have removed its observation. */
  | { readonly kind: 'Unusable'; readonly message: string };

/** Recomputes a recorded decision from its input, as `plimsoll replay` does, and compares all of it. */
export function replay(record: RecordedDecisionFragment): Replay {
  const { engineVersion: recordedBy, input } = record;
  const evaluated = evaluate(input);
  if (evaluated.kind === 'Unusable')
    return { kind: 'Unusable', message: `${evaluated.error.path}: ${evaluated.error.message}` };
  const differences = jsonDifferences(decisionOf(record), asJson(evaluated.output.decision));
  if (differences.length === 0) return { kind: 'Same' };
  return { kind: 'Different', differences, isOtherEngine: recordedBy !== engineVersion };
}

/** What is recorded of the decision, in the contract's own fields. */
function decisionOf(record: RecordedDecisionFragment): Json {
  const { time, policy, currentReplicas, desiredReplicas, action, reason } = record;
  const { selection, metrics, steps, conditions } = record;
  const counts = { currentReplicas, desiredReplicas, action, reason };
  return asJson({ time, policy, ...counts, selection, metrics, steps, conditions });
}

/** As a recording has it: text and back. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
