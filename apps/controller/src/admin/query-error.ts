import { IntrinsicException } from '@nestjs/common';

/** Stable codes of what a caller can get wrong; REST and GraphQL answer with the same. */
export const queryErrorCodes = [
  'BadQuery',
  'BadPageSize',
  'BadCursor',
  'BadTime',
  'BadName',
  'BadArgument',
  'QueryTooCostly',
  'AnswerTooLarge',
  'Forbidden',
  'NotActive',
  'ReasonRequired',
  'UnknownSource',
  'UnknownHold',
  'UnknownRevision',
  'UnknownPolicy',
  'UnknownIntervention',
  'TooManyInterventions',
  'UnknownToken',
  'TooManyTokens',
  'BadExpiry',
  'BadBounds',
  'OutsideGuardrails',
  'ApproverRequired',
  'NotReleased',
  'NotRolledBack',
  'RejectedHold',
  'SelfApproval',
  'IdentityUnknown',
] as const;

/** One of those codes. */
export type QueryErrorCode = (typeof queryErrorCodes)[number];

/**
 * Something the caller asked for that cannot be answered; its message names the value and the bound. Intrinsic: Nest
 * does not log it, since it is the caller's mistake and no error of ours.
 */
export class QueryError extends IntrinsicException {
  override readonly name = 'QueryError';
  readonly code: QueryErrorCode;

  constructor(code: QueryErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
