import type { CommitInfo, CommitPerson } from '#git-sync';
import { AdapterError, cutText } from '#kernel';
import { maximumMessageBytes } from '../run/git-limits.ts';

const header = /^([a-z]+) (.*)$/;
/** What follows the address of a person. */
const when = /^> (-?\d+) [+-]\d{4}$/;

/** What Date can hold; a commit may claim any second. */
const maximumSeconds = 8_640_000_000_000;

/** Of what stands in every decision: the subject, and the author's name and address. */
const maximumLineCharacters = 1_000;

const treeLine = /^tree ([0-9a-f]+)$/;
const parentLine = /^parent ([0-9a-f]+)$/;

/**
 * Reads the text of a commit object. Works for hostile commits: names and messages are arbitrary text.
 *
 * @throws AdapterError `CommitUnreadable`
 */
export function parseCommit(hash: string, text: string): CommitInfo {
  const end = text.indexOf('\n\n');
  const headers = (end === -1 ? text : text.slice(0, end)).split('\n');
  const message = end === -1 ? '' : text.slice(end + 2);
  const values = (name: string): string[] =>
    headers.flatMap((line) => {
      const match = header.exec(line);
      return match?.[1] === name && match[2] !== undefined ? [match[2]] : [];
    });
  const tree = treeLine.exec(headers[0] ?? '')?.[1];
  if (tree === undefined) throw unreadable(hash);
  return {
    hash,
    tree,
    parents: parentsIn(headers.slice(1)),
    author: parsePerson(values('author')[0] ?? ''),
    committer: parsePerson(values('committer')[0] ?? ''),
    subject: cutText((message.trimStart().split('\n', 1)[0] ?? '').trimEnd(), maximumLineCharacters),
    message: cutText(message, maximumMessageBytes),
  };
}

/** Those that git follows stand next to the tree: a line of that name further down is any other header. */
function parentsIn(headers: readonly string[]): readonly string[] {
  const parents = headers.map((line) => parentLine.exec(line)?.[1]);
  const end = parents.indexOf(undefined);
  return parents.slice(0, end === -1 ? parents.length : end).filter((parent) => parent !== undefined);
}

function parsePerson(text: string): CommitPerson {
  // Found from the end: whatever a hostile name holds, this takes linear time.
  const end = text.lastIndexOf('>');
  const start = text.indexOf('<', text.lastIndexOf('>', end - 1) + 1);
  const isPerson = start >= 0 && end > start;
  const match = isPerson ? when.exec(text.slice(end)) : null;
  const seconds = Math.min(Math.max(Number(match?.[1] ?? 0), 0), maximumSeconds);
  const name = isPerson ? text.slice(0, start) : '';
  // A date that cannot be read leaves the person known: the author of the commit may not approve it.
  return {
    name: cutText(name.endsWith(' ') ? name.slice(0, -1) : name, maximumLineCharacters),
    email: isPerson ? cutText(text.slice(start + 1, end), maximumLineCharacters) : '',
    time: new Date(seconds * 1000).toISOString(),
  };
}

function unreadable(hash: string): AdapterError {
  return new AdapterError({
    code: 'CommitUnreadable',
    message: `${hash} is no commit that can be read`,
    retryable: false,
  });
}
