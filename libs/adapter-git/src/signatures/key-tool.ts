import { execFile as execFileWithCallback } from 'node:child_process';
import { promisify } from 'node:util';
import { localTimeoutMilliseconds, maximumLineBytes } from '../run/git-limits.ts';

const execFile = promisify(execFileWithCallback);

/**
 * Asks the program of a kind of signature about keys, and returns what it prints: bounded in time and length, and with
 * nothing of this process's environment but where programs are.
 *
 * @throws Error of the process; its `code` is a number where the program has ended with a status of its own
 */
export async function runKeyTool(program: 'gpg' | 'ssh-keygen', args: readonly string[]): Promise<string> {
  const { stdout } = await execFile(program, args, {
    timeout: localTimeoutMilliseconds,
    maxBuffer: maximumLineBytes,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' },
  });
  return stdout;
}
