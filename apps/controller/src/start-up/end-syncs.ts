import type { StartDependencies } from './start-dependencies.ts';

/**
 * Ends what syncs have under way, each at its next step, and the processes and threads that they wait for: what is given up
 * waits for the thread and for the database, which a sync of thousands of policies takes most of. It is looked at again
 * after the next start, or by the next leader.
 *
 * @returns when the threads have ended
 */
export function endSyncs({
  sync,
  git,
  parser,
}: Pick<StartDependencies, 'sync' | 'git' | 'parser'>): Promise<void> {
  sync.end();
  git.close();
  return parser.close();
}
