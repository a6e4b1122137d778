import { AdapterError } from '#kernel';
import type { GitRunner } from './git-runner.ts';

/** `fetch --stdin`, filters over protocol 2 and SSH signatures; older ones are not tested. */
export const minimumGitVersion = [2, 39] as const;

/**
 * The version of the system's git.
 *
 * @throws AdapterError `GitTooOld`, or `GitNotRun` where there is none
 */
export async function loadGitVersion(runner: GitRunner): Promise<string> {
  const text = await runner.text({ what: 'ask git for its version', args: ['version'] });
  const match = /(\d{1,9})\.(\d{1,9})(?:\.\d{1,9})*/.exec(text);
  const [major, minor] = minimumGitVersion;
  const isEnough =
    match !== null && (Number(match[1]) > major || (Number(match[1]) === major && Number(match[2]) >= minor));
  if (isEnough) return match[0];
  throw new AdapterError({
    code: 'GitTooOld',
    message: `git is ${match?.[0] ?? 'of an unknown version'}; at least ${major}.${minor} is needed`,
    retryable: false,
  });
}
