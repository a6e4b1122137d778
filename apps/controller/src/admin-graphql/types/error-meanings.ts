import type { QueryErrorCode } from '../../admin/requests/query-error.ts';

/** What each expected failure means, for the readers of the schema. */
export const errorMeanings: Readonly<Record<QueryErrorCode, string>> = {
  BadQuery: 'The document is no valid GraphQL of this schema.',
  BadPageSize: '`first` is not between 1 and 100.',
  BadCursor: '`after` is no cursor of this list.',
  BadTime: 'A time is not RFC 3339 with its zone, has not come, or is the end of a span that begins later.',
  BadName: 'A name has a form that nothing here has.',
  BadArgument: 'An argument has a form that cannot be meant; the message names it.',
  QueryTooCostly: 'The query may read more than one query may: ask for smaller pages.',
  UnknownQuery: 'This controller answers known queries only, and this is none of them.',
  DeadlineExceeded: 'The answer took too long: ask for less at once.',
  AnswerTooLarge: 'The answer would hold more than 16 MiB: ask for less at once.',
  Forbidden: 'The caller lacks the role, here or everywhere.',
  NotActive:
    'Another process carries policies out: ask that one; or this one begins: ask again; or it has not reached its cluster, as the message says.',
  NotShared: 'One process carries all policies out, so that it would change nothing.',
  ShardsHeld:
    'A replica did not give its shards up in time, or their number is being changed already; all is as before: ask again.',
  ReasonRequired: 'The action wants a sentence for the readers of the ledger.',
  UnknownSource: 'No repository of that name is configured, or the caller may not see it.',
  UnknownHold: 'Nothing of that digest waits; a newer commit may have replaced it.',
  UnknownRevision:
    'No commit of that hash was active as a whole; or, where a revision is asked for, none was judged.',
  UnknownPolicy: 'Nothing of that name is in force, or the caller may not see it.',
  UnknownIntervention: 'None of that id stands: it has ended, or the caller may not see it.',
  TooManyInterventions:
    'As many stand as may of the scope, the namespace, the person or everybody: end some first.',
  UnknownToken: 'There is none of that id, or it is another’s.',
  TooManyTokens: 'The caller has as many as one may: revoke some first.',
  UnknownReport: 'There is none of that id, it has expired, or it is another’s.',
  ReportNotReady: 'Its text is not made yet: ask again in a moment.',
  TooManyReports: 'As many as may be are being made: ask again in a moment.',
  BadExpiry: 'The end is not RFC 3339 with its zone, is over, or is too far away.',
  BadBounds: 'The counts contradict each other, or there are none.',
  OutsideGuardrails: 'A guardrail or the limit of the tenant forbids it; an administrator may force it.',
  ApproverRequired: 'The effect is large enough that an operator may not have it alone.',
  AdminRequired: 'Only an administrator may force it.',
  ConfirmationRequired: 'Look at the dry run first, and give the digest of its effect as `confirm`.',
  StaleConfirmation: 'The effect is another one by now than the one that was confirmed.',
  AlreadyInForce: 'One that does the same stands for as long already.',
  NativeActuation: 'The native controller scales it, so a dry run would stop nothing: suspend it.',
  NotReleased: 'The policy is in force, so there is nothing to resume.',
  NotRolledBack: 'The source follows its ref, so there is nothing to resume.',
  RejectedHold: 'Who rejected it may not approve it: another person may.',
  RolledBack: 'A rollback holds it until the source is resumed; no approval ends that.',
  SourceBusy:
    'A look at the repository, or another action, takes long; nothing was done: ask again in a moment.',
  SelfApproval: 'Who took part in a change may not approve it: another person must.',
  IdentityUnknown:
    'The caller has no address or login that tells it from the authors of the change, or those are not known.',
  DatabaseUnavailable: 'The database does not answer: ask again once it is back.',
};
