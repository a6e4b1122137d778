import { AdapterError } from '#kernel';
import type { InterventionScope } from '#ledger';
import { type ActivePolicy, type FullShare, type InterventionFailure, mayActOn } from '#reconciliation';
import { describeScope } from '../effects/intervention-requests.ts';
import { QueryError } from '../requests/query-error.ts';

/** @throws QueryError `NativeActuation` where a dry run would stop nothing at all. */
export function requireOwnWrites(policies: readonly ActivePolicy[], scope: InterventionScope): void {
  if (policies.length === 0 || policies.some(({ policy }) => mayActOn(policy, 'DryRun'))) return;
  const message = `${describeScope(scope)}: the native controller scales by the HPA, whatever Plimsoll writes; suspend it instead (suspendScaling)`;
  throw new QueryError('NativeActuation', message);
}

/** The error of what could neither begin nor end. */
export function refusalOf(failure: InterventionFailure, id: string): Error {
  switch (failure.code) {
    case 'InterventionEnded':
      return new QueryError('UnknownIntervention', `${id} has ended`);
    case 'TooManyInterventions':
      return new QueryError(failure.code, describeShare(failure.share));
    default: {
      const message = 'the intervention could not be recorded';
      return new AdapterError({ code: failure.code, message, retryable: true });
    }
  }
}

/** @throws QueryError `TooManyInterventions`, with the limit, what stands, and whose */
export function requirePlace(share: FullShare | null): void {
  if (share !== null) throw new QueryError('TooManyInterventions', describeShare(share));
}

function describeShare(share: FullShare): string {
  const { limit, standing } = share;
  switch (share.of) {
    case 'Scope':
      return `${standing} interventions for ${describeScope(share.scope)} stand, of at most ${limit}; end one of them first`;
    case 'Namespace':
      return `${standing} interventions for policies of namespace ${share.namespace} stand, of at most ${limit}; end one of them first`;
    case 'Person':
      return `${standing} interventions of ${share.person} stand, of at most ${limit} of one person where another of scope ${share.scope.kind} begins; end one of them first`;
    case 'All':
      return `${standing} interventions of everybody stand, of at most ${limit} where another of scope ${share.scope.kind} begins: the other places are kept for wider scopes; end one first`;
  }
}
