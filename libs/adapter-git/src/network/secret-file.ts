import { readTextFile } from '#files';
import { AdapterError, fileFault } from '#kernel';
import { maximumSecretBytes } from '../run/git-limits.ts';

/** While a secret is rotated there are two; more lines than this are another file. */
const maximumSecrets = 4;

/** What follows it is a key in base64, as Standard Webhooks have it. */
const signingTokenPrefix = 'whsec_';

/** Standard Webhooks asks for 24 to 64 bytes; an empty or truncated key could be guessed. */
const minimumKeyBytes = 16;

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
  const cutOff = secrets.findIndex((secret) => !canSign(secret));
  if (cutOff !== -1)
    throw unreadable(file, `secret ${cutOff + 1} is cut off, or no base64 after ${signingTokenPrefix}`);
  return secrets;
}

function canSign(secret: string): boolean {
  if (!secret.startsWith(signingTokenPrefix)) return true;
  const digits = secret.slice(signingTokenPrefix.length);
  return /^[A-Za-z0-9+/]+={0,2}$/.test(digits) && Buffer.from(digits, 'base64').length >= minimumKeyBytes;
}

async function readSecretFile(file: string): Promise<string> {
  try {
    return await readTextFile(file, maximumSecretBytes);
  } catch (error) {
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
