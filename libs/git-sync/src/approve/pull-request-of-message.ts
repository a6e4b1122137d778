import { cutText } from '#kernel';
import type { PullRequest } from '../ports/forge.port.ts';

/** More reviewers than this are a list of something else. */
const maximumApprovers = 20;
const maximumNameCharacters = 200;
/** A longer number is none of a pull request. */
const maximumDigits = 9;

/** What forges write into the messages of merges, in the order in which they are looked for. */
const numbers: readonly RegExp[] = [
  /^Merge pull request #([0-9]+)\b/m,
  /^Merge pull request '.*' \(#([0-9]+)\) from /m,
  /^Merged in .+ \(pull request #([0-9]+)\)/m,
  /^See merge request \S*!([0-9]+)[ \t]*$/m,
  /^Reviewed-on: \S+\/pulls\/([0-9]+)[ \t]*$/m,
];

/** GitHub's and Gitea's squashes end the first line with it. */
const squash = /\(#([0-9]+)\)\s*$/;

const approval = /^(?:Reviewed|Approved)-by:[ \t]*(\S.*)$/gim;

/**
 * What a commit message says about its pull request: unverified, since its author wrote it. Null where it says nothing.
 * `Merge pull request #12 from …` with `Reviewed-by: Ada <ada@example.com>` → number 12, approvers `Ada <…>`.
 */
export function pullRequestOfMessage(message: string): PullRequest | null {
  const number = numberIn(message);
  const approvers = [...message.matchAll(approval)]
    .map(([, name = '']) => cutText(name.trim(), maximumNameCharacters))
    .slice(0, maximumApprovers);
  if (number === null && approvers.length === 0) return null;
  return { number, author: null, approvers: [...new Set(approvers)], verified: false };
}

function numberIn(message: string): number | null {
  const subject = message.split('\n', 1)[0] ?? '';
  const found = [squash.exec(subject), ...numbers.map((pattern) => pattern.exec(message))]
    .map((match) => match?.[1])
    .find((number) => number !== undefined && number.length <= maximumDigits);
  return found === undefined ? null : Number(found);
}
