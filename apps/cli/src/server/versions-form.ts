import type { PolicyVersion } from '#contracts';
import { columnsOf, type ListForm, usualLimit } from './list-forms.ts';
import { shortHash } from './short-hash.ts';

/** Who deleted it, and in which commit. */
function removalText(commit: NonNullable<PolicyVersion['removedBy']>): string {
  return `${shortHash(commit)} ${commit.author}`;
}

/** Who released it or rolled it back, and why; null: nobody did. */
function operatorText(operator: PolicyVersion['removedByOperator']): string | null {
  return operator === null ? null : `${operator.by}: ${operator.reason}`;
}

/** What operators did to let it in, such as a rollback, which the author of its commit did not do; null: nothing, or not known. */
function letInText(allowedBy: PolicyVersion['allowedBy']): string | null {
  const actions = (allowedBy ?? []).map(({ action, by, reason }) => {
    const what = `${by} ${allowingWords[action]}`;
    return reason === '' ? what : `${what}: ${reason}`;
  });
  return actions.join('; ') || null;
}

const allowingWords = {
  ApproveHold: 'approved',
  RollBackSource: 'rolled back',
  ResumeSource: 'resumed',
} as const;

export const changesForm: ListForm = {
  columns: columnsOf<PolicyVersion>([
    ['FROM', ({ validFrom }) => validFrom],
    ['UNTIL', ({ validTo }) => validTo],
    ['DEPARTURE', ({ departure }) => departure],
    [
      'REMOVED BY',
      ({ removedBy, removedByOperator }) =>
        operatorText(removedByOperator) ?? (removedBy && removalText(removedBy)),
    ],
    ['LET IN BY', ({ allowedBy }) => letInText(allowedBy)],
    ['COMMIT', ({ origin }) => shortHash(origin.commit)],
    ['AUTHOR', ({ origin }) => origin.commit.author],
    ['SUBJECT', ({ origin }) => origin.commit.subject],
  ]),
  filters: [],
  usualLimit,
};
