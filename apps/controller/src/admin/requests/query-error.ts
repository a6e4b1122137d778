import { IntrinsicException } from '@nestjs/common';
import type { StandingIntervention } from '#ledger';
import type { ActionEffect } from './action-effect.ts';

/** Stable codes of what a caller can get wrong; REST and GraphQL answer with the same. */
export type QueryErrorCode =
  | 'BadQuery'
  | 'BadPageSize'
  | 'BadCursor'
  | 'BadTime'
  | 'BadName'
  | 'BadArgument'
  | 'QueryTooCostly'
  | 'UnknownQuery'
  | 'DeadlineExceeded'
  | 'AnswerTooLarge'
  | 'Forbidden'
  | 'NotActive'
  | 'NotShared'
  | 'ShardsHeld'
  | 'ReasonRequired'
  | 'UnknownSource'
  | 'UnknownHold'
  | 'UnknownRevision'
  | 'UnknownPolicy'
  | 'UnknownIntervention'
  | 'TooManyInterventions'
  | 'UnknownToken'
  | 'TooManyTokens'
  | 'UnknownReport'
  | 'ReportNotReady'
  | 'TooManyReports'
  | 'BadExpiry'
  | 'BadBounds'
  | 'OutsideGuardrails'
  | 'ApproverRequired'
  | 'AdminRequired'
  | 'ConfirmationRequired'
  | 'StaleConfirmation'
  | 'AlreadyInForce'
  | 'NativeActuation'
  | 'NotReleased'
  | 'NotRolledBack'
  | 'RejectedHold'
  | 'RolledBack'
  | 'SourceBusy'
  | 'SelfApproval'
  | 'IdentityUnknown'
  | 'DatabaseUnavailable';

/** Beside code and message; what is absent does not apply. */
export interface QueryErrorDetails {
  /** What the action would do now. */
  readonly effect?: ActionEffect;
  /** The intervention that stands already. */
  readonly standing?: StandingIntervention;
  /** For how long it may be asked for. */
  readonly bound?: ExpiryBound;
}

/** The last moment at which something may end, and the setting that says so; null: the token that asks ends then. */
interface ExpiryBound {
  /** RFC 3339, in UTC. */
  readonly last: string;
  readonly setting: 'interventions.maximumHours' | 'auth.maximumTokenDays' | null;
  /** Of the setting, in hours or days. */
  readonly value: number | null;
}

/**
 * Something the caller asked for that cannot be answered; its message names the value and the bound. Intrinsic: Nest
 * does not log it, since it is the caller's mistake and no error of ours.
 */
export class QueryError extends IntrinsicException {
  override readonly name = 'QueryError';
  readonly code: QueryErrorCode;
  /** What the caller needs to ask again: the effect as it is now, or what another operator did. */
  readonly details: QueryErrorDetails;

  constructor(code: QueryErrorCode, message: string, details: QueryErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
