import { portToken } from '../provider.ts';

/**
 * `OneProcess`: one process does everything, others wait for it to end. `Replicas`: all of them carry policies out, and
 * one of them, the leader, syncs the sources and takes what people ask for.
 */
export type ProcessMode = 'OneProcess' | 'Replicas';

/** Which process is the leader, as far as this one knows. */
export interface Leadership {
  readonly mode: ProcessMode;
  /** Whether this process is the leader. */
  readonly isLeader: () => boolean;
  /** Where the leader answers, when that is another process that can be reached; null: none is known. */
  readonly leaderUrl: () => string | null;
}

export const leadershipToken = portToken<Leadership>('Leadership');
