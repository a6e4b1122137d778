import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTextFile } from '#files';
import { AdapterError } from '#kernel';
import { redact } from '../run/redact.ts';
import { runKeyTool } from './key-tool.ts';

/** A file names one key in no more lines than this. */
const maximumLines = 64;

/**
 * Whose the key of an SSH signature is now, by an allowed signers file: every principal of every line that names the key,
 * and none where the key is not, no more or not yet valid. Git asks for the time that the commit names, which is whatever
 * its author wrote.
 *
 * @throws AdapterError `KeysUnreadable` where ssh-keygen cannot be asked, or more than 64 lines name the key
 */
export async function loadPrincipals(allowedSigners: string, signature: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-ssh-'));
  try {
    const file = join(folder, 'signature');
    await writeFile(file, signature);
    const found = [await principalsOf(file, allowedSigners)];
    // ssh-keygen answers with the first line that fits.
    for (const line of await otherLines(allowedSigners, signature)) {
      const alone = join(folder, 'signers');
      await writeFile(alone, `${line}\n`);
      found.push(await principalsOf(file, alone));
    }
    return [...new Set(found.flat())];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function principalsOf(signature: string, allowedSigners: string): Promise<readonly string[]> {
  try {
    const args = ['-Y', 'find-principals', '-s', signature, '-f', allowedSigners];
    const printed = await runKeyTool('ssh-keygen', args);
    return printed.split('\n').filter((line) => line !== '');
  } catch (error) {
    if (isRefusal(error)) return [];
    throw unreadable(`ssh-keygen gave no answer (${redact(String(error))})`, true);
  }
}

/** The lines that name the signature's key, where there are several. */
async function otherLines(allowedSigners: string, signature: string): Promise<readonly string[]> {
  const key = keyOf(signature);
  if (key === undefined) return [];
  const text = await readTextFile(allowedSigners);
  const lines = text.split('\n').filter((line) => line.includes(key));
  if (lines.length > maximumLines) throw unreadable(`more than ${maximumLines} lines name one key`, false);
  return lines.length < 2 ? [] : lines;
}

/**
 * The public key of an armoured signature as allowed signers files have it, in base64; undefined where it has none. A
 * signature begins with `SSHSIG`, its version in 4 bytes, the length of the key in 4 bytes, and the key.
 *
 * @see https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig
 */
function keyOf(signature: string): string | undefined {
  const bytes = Buffer.from(signature.replace(/^-----.*$/gm, ''), 'base64');
  const start = 'SSHSIG'.length + 4 + 4;
  if (bytes.length < start) return undefined;
  const key = bytes.subarray(start, start + bytes.readUInt32BE(start - 4));
  return key.length === 0 ? undefined : key.toString('base64');
}

function unreadable(why: string, retryable: boolean): AdapterError {
  const message = `verify.sshAllowedSignersFile: ${why}`;
  return new AdapterError({ code: 'KeysUnreadable', message, retryable });
}

/** It ended with a status of its own, which is its answer; anything else is a failure to ask. */
function isRefusal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number';
}
