import { AdapterError } from '#kernel';
import type { InterventionScope } from '#ledger';
import { type ActivePolicy, type InterventionFailure, maximumInterventions, mayActOn } from '#reconciliation';
import { describeScope } from './intervention-requests.ts';
import { QueryError } from './query-error.ts';

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
      return new QueryError(failure.code, `${maximumInterventions} interventions stand; end one first`);
    default: {
      const message = 'the intervention could not be recorded';
      return new AdapterError({ code: failure.code, message, retryable: true });
    }
  }
}
