import type { PolicyVersion } from '#contracts';
import { columnsOf, type ListForm, usualLimit } from './list-forms.ts';
import { shortHash } from './short-hash.ts';

/** Who released it or rolled it back, and why, or who deleted it in which commit; null: nobody did, or it is not known. */
export function removalText({
  removedBy,
  removedByOperator,
}: Pick<PolicyVersion, 'removedBy' | 'removedByOperator'>): string | null {
  if (removedByOperator !== null) return `${removedByOperator.by}: ${removedByOperator.reason}`;
  return removedBy === null ? null : `${shortHash(removedBy)} ${removedBy.author}`;
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
    ['REMOVED BY', removalText],
    ['LET IN BY', ({ allowedBy }) => letInText(allowedBy)],
    ['COMMIT', ({ origin }) => shortHash(origin.commit)],
    ['AUTHOR', ({ origin }) => origin.commit.author],
    ['SUBJECT', ({ origin }) => origin.commit.subject],
  ]),
  filters: [],
  usualLimit,
};
