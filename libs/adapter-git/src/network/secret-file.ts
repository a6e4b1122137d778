import { open } from 'node:fs/promises';
import { AdapterError, fileFault } from '#kernel';
import { maximumSecretBytes } from '../run/git-limits.ts';

/** While a secret is rotated there are two; more lines than this are another file. */
const maximumSecrets = 4;

/**
 * The secrets of a file, one per line, read anew at each call so that a rotation needs no restart.
 *
 * @throws AdapterError `SecretUnreadable`, which names the file, never its content.
 */
export async function loadSecrets(file: string): Promise<readonly string[]> {
  const text = await readSecretFile(file);
  const secrets = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (secrets.length === 0 || secrets.length > maximumSecrets)
    throw unreadable(file, `it has ${secrets.length} lines with a secret, of 1 to ${maximumSecrets}`);
  return secrets;
}

async function readSecretFile(file: string): Promise<string> {
  try {
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    if (size > maximumSecretBytes) throw unreadable(file, `it has ${size} bytes, of ${maximumSecretBytes}`);
    return await handle.readFile('utf8');
  } catch (error) {
    if (error instanceof AdapterError) throw error;
    throw unreadable(file, fileFault(error, file));
  }
}

function unreadable(file: string, why: string): AdapterError {
  return new AdapterError({
    code: 'SecretUnreadable',
    message: `${JSON.stringify(file)} cannot be used as a secret (${why})`,
    retryable: true,
  });
}
