import type { PullRequest } from '#contracts';

/** `#12 by ann, approved by cleo, as the forge says`. */
export function pullRequestText({ number, author, approvers, verified }: PullRequest): string {
  if (number === null && verified) return 'none, as the forge says';
  const by = author === null ? '' : ` by ${author}`;
  const approved = approvers.length === 0 ? '' : `, approved by ${approvers.join(', ')}`;
  const word = verified ? 'as the forge says' : 'as the commit message says';
  return `${number === null ? 'not known' : `#${number}`}${by}${approved}, ${word}`;
}
