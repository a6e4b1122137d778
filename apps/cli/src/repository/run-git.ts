import { execFileSync } from 'node:child_process';

/** Long enough for the largest repository on a slow disk, short enough that a stuck Git is noticed. */
const timeoutMilliseconds = 120_000;
/** A listing of a million files. */
const outputMaximum = 256 * 1024 * 1024;

/** Runs git in a folder, without hooks, prompts or the user's aliases; throws where git is missing or fails. */
export function runGit(folder: string, operands: readonly string[], input?: string): Buffer {
  return execFileSync('git', ['-c', 'core.quotePath=false', '-c', 'core.fsmonitor=false', ...operands], {
    cwd: folder,
    timeout: timeoutMilliseconds,
    maxBuffer: outputMaximum,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    ...(input !== undefined && { input }),
  });
}

/** As {@link runGit}, `undefined` where git is missing or fails. */
export function tryGit(folder: string, operands: readonly string[]): Buffer | undefined {
  try {
    return runGit(folder, operands);
  } catch {
    return undefined;
  }
}

/** The parts of NUL-separated output. */
export function splitNul(output: Buffer): readonly string[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter((part) => part !== '');
}
