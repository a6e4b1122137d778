import type { CommitInfo } from '#git-sync';
import type { GitRunner } from '../run/git-runner.ts';
import type { RemoteAccess } from './remote.ts';

/** What is known of a repository without asking git: each question to it is a process. */
export interface RepositoryMemory {
  /** What the next fetch need not bring; undefined before the first. */
  filter: 'blob:none' | 'all' | undefined;
  /** The commit fetched last: its trees are on disk. */
  head: CommitInfo | undefined;
  /** Its leaves as git lists them, until they are asked for. */
  listing: string | undefined;
}

/** Of a repository that begins anew nothing is known. */
export function forget(memory: RepositoryMemory): void {
  memory.filter = undefined;
  memory.head = undefined;
  memory.listing = undefined;
}

/** What the operations on one local repository share. */
export interface RepositoryContext {
  readonly runner: GitRunner;
  readonly access: RemoteAccess;
  readonly ref: string;
  /** Makes it where it is gone, as where somebody tidied up: true where it was, and is empty now. @throws AdapterError */
  readonly restore: () => Promise<boolean>;
  /** Begins anew with the other kind of object names; what was kept under the old ones is gone. */
  readonly reformat: () => Promise<void>;
  readonly memory: RepositoryMemory;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
