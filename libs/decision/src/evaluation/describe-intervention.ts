import { compareInstants } from '#kernel';
import { instantOf } from '../model/instant-of.ts';
import type { Intervention } from '../model/observation.ts';
import type { Evaluation } from './evaluation.ts';

/** Whether an intervention still acts: at the moment it expires it no longer does. */
export function isInForce({ now }: Evaluation, { expires }: Intervention): boolean {
  const end = instantOf(expires);
  return end !== undefined && compareInstants(now, end) < 0;
}

/** Who, why and until when: every intervention that acts is named with all three. */
export function describeIntervention({ kind, actor, reason, expires }: Intervention): string {
  return `${kind} by ${actor ?? 'nobody named'} until ${expires} (${reason ?? 'no reason given'})`;
}
