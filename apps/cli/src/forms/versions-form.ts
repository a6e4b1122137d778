import type { PolicyVersion } from '#contracts';
import { columnsOf, type ListForm, usualLimit } from './list-forms.ts';
import { shortHashOf } from './short-hash.ts';

/**
 * Who released it or rolled it back, and why, or who deleted it in which commit; and who let that happen. Null: nobody did, or
 * it is not known.
 */
export function removalText({
  removedBy,
  removedByOperator,
  removalAllowedBy,
}: Pick<PolicyVersion, 'removedBy' | 'removedByOperator' | 'removalAllowedBy'>): string | null {
  const allowing = actionTexts(removalAllowedBy);
  if (removedByOperator !== null)
    return [`${removedByOperator.by}: ${removedByOperator.reason}`, ...allowing].join('; ');
  const commit = removedBy === null ? [] : [`${shortHashOf(removedBy)} ${removedBy.author}`];
  return [...commit, ...allowing].join('; ') || null;
}

/** What operators did to let it in, such as a rollback, which the author of its commit did not do; null: nothing, or not known. */
function letInText(allowedBy: PolicyVersion['allowedBy']): string | null {
  return actionTexts(allowedBy).join('; ') || null;
}

/** `ada approved at 2026-11-24T10:00:00Z: it is off-season` */
function actionTexts(actions: PolicyVersion['allowedBy']): readonly string[] {
  return (actions ?? []).map(({ action, by, reason, time }) => {
    const when = time === null ? '' : ` at ${time}`;
    const why = reason === '' ? '' : `: ${reason}`;
    return `${by} ${allowingWords[action]}${when}${why}`;
  });
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
    ['COMMIT', ({ origin }) => shortHashOf(origin.commit)],
    ['AUTHOR', ({ origin }) => origin.commit.author],
    ['SUBJECT', ({ origin }) => origin.commit.subject],
  ]),
  filters: [],
  usualLimit,
};
