import { codeOf } from './code-of.ts';
import { messageOf } from './message-of.ts';

const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the quota of disk space is used up',
  EEXIST: 'it is there already',
  EISDIR: 'it is a folder',
  ELOOP: 'too many symbolic links',
  EMFILE: 'this process has too many files open',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'this machine has too many files open',
  ENOENT: 'no such file or folder',
  ENOSPC: 'no space is left on the disk',
  ENOTDIR: 'a part of the path is no folder',
  ENOTEMPTY: 'the folder is not empty',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
};

/** Of a folder that could not be made: one that is there already would do, and is no failure. */
const wordsOfFolders: Readonly<Record<string, string>> = {
  EEXIST: 'no folder is there, but a file or a link that leads nowhere',
};

/**
 * Why a file or folder could not be used, in words. Node's own message names the system's call and the path, which most
 * messages have named before: the path is said only where it is another one, as that of a folder above.
 *
 * @param named is the path that the message names, as it was given to Node.
 * @returns for what is no failure of the file system, its own message
 */
export function fileFault(caught: unknown, named?: string): string {
  const { path, dest, syscall } = fieldsOf(caught);
  const why = wordsFor(codeOf(caught) ?? '', syscall);
  // These codes are sockets', too.
  if (why === undefined || ofSockets.has(syscall ?? '')) return messageOf(caught);
  // Either of the two that a file is copied or renamed between may be the one.
  if (dest !== undefined) return `${why}: ${path ?? ''} → ${dest}`;
  return path === undefined || path === named ? why : `${why}: ${path}`;
}

function wordsFor(code: string, syscall: string | undefined): string | undefined {
  return (syscall === 'mkdir' ? wordsOfFolders[code] : undefined) ?? words[code];
}

const ofSockets: ReadonlySet<string> = new Set(['accept', 'bind', 'connect', 'listen', 'send', 'setsockopt']);

interface FaultFields {
  readonly path?: string;
  readonly dest?: string;
  readonly syscall?: string;
}

function fieldsOf(caught: unknown): FaultFields {
  return typeof caught === 'object' && caught !== null ? caught : {};
}
