import type { GitRunner } from './git-runner.ts';
import type { RemoteAccess } from './remote.ts';

/** What a repository of ours is made of. */
export interface GitRepositoryParts {
  readonly runner: GitRunner;
  readonly access: RemoteAccess;
  readonly ref: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
