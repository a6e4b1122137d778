import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import type { ActionEffect, Rehearsable } from '../requests/action-effect.ts';
import { QueryError } from '../requests/query-error.ts';

/**
 * Checks that the caller may have the effect in a namespace (`null`: in all of them), and has seen it where that is
 * required.
 *
 * @throws QueryError `OutsideGuardrails`, `AdminRequired`, `ApproverRequired`, `ConfirmationRequired`,
 *   `StaleConfirmation`; all with the effect as it is now
 */
export function requireRights(
  { principal, namespace }: { readonly principal: Principal; readonly namespace: string | null },
  effect: ActionEffect,
  request: Rehearsable & { readonly force?: boolean | null | undefined },
): void {
  const { requires, summary } = effect;
  requireForce({ principal, namespace }, effect, request.force === true);
  if (!mayAct(principal, requires.role, namespace))
    throw new QueryError('ApproverRequired', `that wants role ${requires.role}: ${summary}`, { effect });
  requireConfirmation(effect, request.confirm ?? null);
}

function requireForce(
  { principal, namespace }: { readonly principal: Principal; readonly namespace: string | null },
  effect: ActionEffect,
  isForced: boolean,
): void {
  const { requires, problems } = effect;
  if (!requires.force) return;
  const why = problems.join('; ');
  if (!isForced) throw new QueryError('OutsideGuardrails', why, { effect });
  if (mayAct(principal, 'admin', namespace)) return;
  throw new QueryError('AdminRequired', `only role admin may force it: ${why}`, { effect });
}

/** @throws QueryError `ConfirmationRequired`, `StaleConfirmation` */
export function requireConfirmation(effect: ActionEffect, confirm: string | null): void {
  const { requires, digest, summary } = effect;
  if (confirm !== null && confirm !== digest) {
    const message = `the effect is another one by now: look at it, and confirm ${digest}`;
    throw new QueryError('StaleConfirmation', message, { effect });
  }
  if (!requires.confirm || confirm !== null) return;
  const message = `${summary}: look at its dry run, and confirm with its digest, ${digest}`;
  throw new QueryError('ConfirmationRequired', message, { effect });
}
