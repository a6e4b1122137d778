import type { Decision } from '#decision';
import { canonicalJson, isJsonObject, type Json } from '#kernel';
import type { EntryFrame, EntryOf } from './entry.ts';

/** What lists show of a decision, beside its action and what every entry carries. */
export type SummaryFields = Pick<Decision, 'reason' | 'currentReplicas' | 'desiredReplicas'>;

/** A decision without how it came about: what most lists ask for, at a fraction of what reading the payload takes. */
export interface DecisionSummary extends EntryFrame, SummaryFields, Pick<Decision, 'action' | 'policy'> {
  readonly kind: 'Decision';
}

/** Of a text that is stored once for all decisions that have it; the engine's own reasons are some sixty characters. */
const maximumTextLength = 300;

/** The summary that a decision's payload gives. */
export function summaryOf({ payload, ...frame }: EntryOf<'Decision'>): DecisionSummary {
  const { policy, action, reason, currentReplicas, desiredReplicas } = payload.decision;
  return { ...frame, policy, action, reason, currentReplicas, desiredReplicas };
}

/**
 * What is stored beside the payload of a decision: the fields as canonical JSON, ASCII but for the characters of the reason.
 *
 * @returns null where the decision has no such fields, or their text is long
 */
export function summaryTextOf(decision: Json | undefined): string | null {
  const fields = fieldsOf(decision);
  const text = fields === null ? '' : canonicalJson({ ...fields });
  return text === '' || text.length > maximumTextLength ? null : text;
}

/** Reads such a text; null: it is none. */
export function parseSummaryText(text: string): SummaryFields | null {
  try {
    return fieldsOf(JSON.parse(text) as Json);
  } catch {
    return null;
  }
}

function fieldsOf(decision: Json | undefined): SummaryFields | null {
  if (!isJsonObject(decision)) return null;
  const { reason, currentReplicas, desiredReplicas } = decision;
  if (typeof reason !== 'string' || !isCount(currentReplicas) || !isCount(desiredReplicas)) return null;
  return { reason, currentReplicas, desiredReplicas };
}

function isCount(value: Json | undefined): value is number | null {
  return value === null || Number.isSafeInteger(value);
}
