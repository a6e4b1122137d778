import type { CommitStatus, SyncOutcome } from '#git-sync';
import { cutText } from '#kernel';

/** The first of them: a status is one line. */
const maximumErrors = 3;

/** Longer than any forge shows; adapters cut to what theirs takes. */
const maximumDescriptionCharacters = 1_000;

/** What a forge is to show beside a commit that was judged; null where nothing was judged. */
export function statusOfOutcome(outcome: SyncOutcome): Pick<CommitStatus, 'state' | 'description'> | null {
  const { result, commit, diagnostics, holds, message } = outcome;
  if (result === 'failed' || commit === null) return null;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const first = errors
      .slice(0, maximumErrors)
      .map(({ file, line, column, message: what }) => `${file}:${line}:${column}: ${what}`);
    return status('failure', `${errors.length} error${errors.length === 1 ? '' : 's'}: ${first.join('; ')}`);
  }
  if (holds.length > 0) {
    const causes = holds.flatMap((hold) => hold.causes.map((cause) => `${cause.code}: ${cause.message}`));
    return holds.every(({ isRejected }) => isRejected)
      ? status('failure', `rejected: ${causes.join('; ')}`)
      : status('pending', `held until approved: ${causes.join('; ')}`);
  }
  if (result === 'active') return status('success', `in force: ${message}`);
  if (result === 'unchanged') return status('success', 'in force');
  return status(result === 'rejected' ? 'failure' : 'pending', message);
}

function status(state: CommitStatus['state'], text: string): Pick<CommitStatus, 'state' | 'description'> {
  const description = cutText(text.replace(/\s+/g, ' '), maximumDescriptionCharacters);
  return { state, description };
}
