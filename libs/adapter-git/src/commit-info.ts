import type { CommitInfo, CommitPerson } from '#git-sync';
import { AdapterError } from '#kernel';
import { maximumMessageBytes } from './git-limits.ts';

const header = /^([a-z]+) (.*)$/;
const person = /^(.*?) ?<([^>]*)> (-?\d+) [+-]\d{4}$/;

/** What Date can hold; a commit may claim any second. */
const maximumSeconds = 8_640_000_000_000;

/**
 * Reads the text of a commit object. Works for hostile commits: names and messages are text of anybody's.
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
  const [tree] = values('tree');
  if (tree === undefined) throw unreadable(hash);
  return {
    hash,
    tree,
    parents: values('parent'),
    author: parsePerson(values('author')[0] ?? ''),
    committer: parsePerson(values('committer')[0] ?? ''),
    subject: (message.trimStart().split('\n', 1)[0] ?? '').trimEnd().slice(0, 1_000),
    message: message.slice(0, maximumMessageBytes),
  };
}

function parsePerson(text: string): CommitPerson {
  const match = person.exec(text);
  const seconds = Math.min(Math.max(Number(match?.[3] ?? 0), 0), maximumSeconds);
  return {
    name: match?.[1] ?? '',
    email: match?.[2] ?? '',
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
