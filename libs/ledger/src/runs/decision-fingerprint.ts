import type { Decision, FailureReport } from '#decision';
import { canonicalJson } from '#kernel';
import type { AsJson } from '../entries/as-json.ts';
import { sha256Hex } from '../entries/hash.ts';
import type { DecisionPayload } from '../entries/payloads/decision-payloads.ts';

type Fingerprinted = Pick<Decision, 'action' | 'desiredReplicas' | 'reason' | 'selection'> & {
  readonly rules: readonly string[];
  readonly conditions: readonly (readonly string[])[];
  readonly metricErrors: readonly Decision['metrics'][number]['error'][];
  readonly policy: DecisionPayload['input']['policy'];
  readonly settings: DecisionPayload['input']['settings'];
  readonly versions: readonly string[];
  readonly departures?: readonly string[];
  readonly commit: string | null;
};

/** What a fingerprint is made from. */
export interface Fingerprintable extends Omit<DecisionPayload, 'policy' | 'input'> {
  readonly input: Pick<DecisionPayload['input'], 'policy' | 'settings'>;
}

/**
 * What must stay equal for a decision to repeat another: action, desiredReplicas, reason, selection, rule ids,
 * condition type, status and reason, metric errors, and departures; and, since a repeated decision is recorded without its
 * input, what it was decided by: policy, settings, engine and contract version, and the commit that put the policy in force.
 * Observed values are not part of it.
 *
 * @returns its SHA-256.
 */
export function fingerprintOf({
  decision,
  input,
  engineVersion,
  contractVersion,
  departures,
  commit,
}: Fingerprintable): string {
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
    commit: commit?.hash ?? null,
    ...(departures !== undefined && { departures }),
  };
  return sha256Hex(canonicalJson(fingerprinted));
}

/** Whether two decisions have the same fingerprint; false, too, where their policies or settings are not the same object. */
export function isRepeated(before: Fingerprintable, now: Fingerprintable): boolean {
  return (
    before.engineVersion === now.engineVersion &&
    before.contractVersion === now.contractVersion &&
    before.commit?.hash === now.commit?.hash &&
    before.input.policy === now.input.policy &&
    before.input.settings === now.input.settings &&
    isSameDepartures(before.departures, now.departures) &&
    isSameVerdict(before.decision, now.decision)
  );
}

function isSameDepartures(a: DecisionPayload['departures'], b: DecisionPayload['departures']): boolean {
  if (a === undefined || b === undefined) return a === b;
  return isSameList(a, b, (x, y) => x === y);
}

function isSameVerdict(a: Decision, b: Decision): boolean {
  return (
    a.action === b.action &&
    a.desiredReplicas === b.desiredReplicas &&
    a.reason === b.reason &&
    isSameSelection(a.selection, b.selection) &&
    isSameList(a.steps, b.steps, (x, y) => x.rule === y.rule) &&
    isSameList(a.conditions, b.conditions, isSameCondition) &&
    isSameList(a.metrics, b.metrics, (x, y) => isSameFailure(x.error, y.error))
  );
}

function isSameSelection(a: Decision['selection'], b: Decision['selection']): boolean {
  return a.requested === b.requested && a.effective === b.effective && isSameFailure(a.fallback, b.fallback);
}

function isSameCondition(a: Decision['conditions'][number], b: Decision['conditions'][number]): boolean {
  return a.type === b.type && a.status === b.status && a.reason === b.reason;
}

function isSameFailure(a: FailureReport | null, b: FailureReport | null): boolean {
  return a === b || (a !== null && b !== null && a.reason === b.reason && a.message === b.message);
}

function isSameList<T>(a: readonly T[], b: readonly T[], isSame: (a: T, b: T) => boolean): boolean {
  return (
    a.length === b.length &&
    a.every((item, index) => {
      const other = b[index];
      return other !== undefined && isSame(item, other);
    })
  );
}
