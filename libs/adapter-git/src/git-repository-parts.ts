import type { GitRunner } from './git-runner.ts';
import type { RemoteAccess } from './remote.ts';

/** What a repository of ours is made of. */
export interface GitRepositoryParts {
  readonly runner: GitRunner;
  readonly access: RemoteAccess;
  readonly ref: string;
  /** Begins anew with the other kind of object names; what was kept under the old ones is gone. */
  readonly reformat: () => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
