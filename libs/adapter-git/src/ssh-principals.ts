import { execFile as execFileWithCallback } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AdapterError } from '#kernel';
import { localTimeoutMilliseconds, maximumLineBytes } from './git-limits.ts';
import { redact } from './redact.ts';

const execFile = promisify(execFileWithCallback);

/**
 * Whose the key of an SSH signature is now, by an allowed signers file: every principal of its line, and none where the key
 * is not, no more or not yet valid. Git asks for the time that the commit names, which is whatever its author wrote.
 *
 * @throws AdapterError `KeysUnreadable` where ssh-keygen cannot be asked
 */
export async function loadPrincipals(allowedSigners: string, signature: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-ssh-'));
  try {
    const file = join(folder, 'signature');
    await writeFile(file, signature);
    const { stdout } = await execFile(
      'ssh-keygen',
      ['-Y', 'find-principals', '-s', file, '-f', allowedSigners],
      {
        timeout: localTimeoutMilliseconds,
        maxBuffer: maximumLineBytes,
        env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
      },
    );
    return stdout.split('\n').filter((line) => line !== '');
  } catch (error) {
    if (isRefusal(error)) return [];
    throw new AdapterError({
      code: 'KeysUnreadable',
      message: `verify.sshAllowedSignersFile: ssh-keygen gave no answer (${redact(String(error))})`,
      retryable: true,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** It ended with a status of its own, which is its answer; anything else is a failure to ask. */
function isRefusal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number';
}
