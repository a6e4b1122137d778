import { compareInstants } from '#kernel';
import { describeIntervention, isInForce } from '../evaluation/describe-intervention.ts';
import { type Evaluation, note, type RuleOutcome, step } from '../evaluation/evaluation.ts';
import { instantOf } from '../model/instant-of.ts';
import type { OverrideIntervention } from '../model/observation.ts';

/** An override that names a count. */
type Pin = OverrideIntervention & { readonly replicas: number };

/**
 * A pin replaces the count, also where none could be decided; of several the one set last. Expired overrides are
 * named.
 */
export function override(evaluation: Evaluation): RuleOutcome {
  if (evaluation.interventions.length === 0) return 'next';
  const overrides = evaluation.interventions.filter(({ kind }) => kind === 'Override');
  for (const expired of overrides) {
    if (!isInForce(evaluation, expired))
      note(evaluation, 'override', `${describeIntervention(expired)} has expired`);
  }
  if (!evaluation.isPinnable) return 'next';
  const pins = overrides.filter(isPin).filter((candidate) => isInForce(evaluation, candidate));
  const pin = latestPin(pins);
  if (pin === null) return 'next';
  const overruled = pins.filter((other) => other !== pin);
  step(evaluation, 'override', {
    after: pin.replicas,
    because: `${describeIntervention(pin)}: ${pin.replicas} replicas${describeOverruled(overruled)}`,
  });
  evaluation.isPinned = true;
  evaluation.isUndecided = false;
  evaluation.reason = 'Override';
  return 'next';
}

function describeOverruled(pins: readonly Pin[]): string {
  const others = pins.map((pin) => `${describeIntervention(pin)}: ${pin.replicas}`);
  return others.length === 0 ? '' : `; it overrules ${others.join(', ')}`;
}

/** Of overrides the one that pins: with the latest `since`, absent being the earliest; on a tie the larger count. */
export function latestPin(overrides: readonly OverrideIntervention[]): Pin | null {
  let best: Pin | null = null;
  for (const pin of overrides.filter(isPin)) if (best === null || isLater(pin, best)) best = pin;
  return best;
}

function isLater(a: Pin, b: Pin): boolean {
  const [left, right] = [instantOf(a.since), instantOf(b.since)];
  if (left === undefined || right === undefined) {
    if (left === right) return a.replicas > b.replicas;
    return right === undefined;
  }
  return (compareInstants(left, right) || a.replicas - b.replicas) > 0;
}

function isPin(intervention: { kind: string; replicas?: number | null | undefined }): intervention is Pin {
  return intervention.replicas !== null && intervention.replicas !== undefined;
}
