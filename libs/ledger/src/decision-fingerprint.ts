import type { Decision } from '#decision';
import { canonicalJson } from '#kernel';
import type { AsJson } from './as-json.ts';
import { sha256Hex } from './hash.ts';
import type { DecisionPayload } from './payloads.ts';

type Fingerprinted = Pick<Decision, 'action' | 'desiredReplicas' | 'reason' | 'selection'> & {
  readonly rules: readonly string[];
  readonly conditions: readonly (readonly string[])[];
  readonly metricErrors: readonly Decision['metrics'][number]['error'][];
  readonly policy: DecisionPayload['input']['policy'];
  readonly settings: DecisionPayload['input']['settings'];
  readonly versions: readonly string[];
  readonly departures?: readonly string[];
};

/**
 * What must stay equal for a decision to repeat another: action, desiredReplicas, reason, selection, rule ids,
 * condition type, status and reason, metric errors, and departures; and, since a repeated decision is recorded without its
 * input, what it was decided by: policy, settings, engine and contract version. Observed values are not part of it.
 *
 * @returns its SHA-256.
 */
export function fingerprintOf({
  decision,
  input,
  engineVersion,
  contractVersion,
  departures,
}: DecisionPayload): string {
  const fingerprinted: AsJson<Fingerprinted> = {
    action: decision.action,
    desiredReplicas: decision.desiredReplicas,
    reason: decision.reason,
    selection: decision.selection,
    rules: decision.steps.map(({ rule }) => rule),
    conditions: decision.conditions.map(({ type, status, reason }) => [type, status, reason]),
    metricErrors: decision.metrics.map(({ error }) => error),
    policy: input.policy,
    settings: input.settings,
    versions: [engineVersion, contractVersion],
    ...(departures !== undefined && { departures }),
  };
  return sha256Hex(canonicalJson(fingerprinted));
}
