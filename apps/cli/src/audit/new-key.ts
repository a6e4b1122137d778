import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { replaceKeyFile, requireKeyText, writeNewKeyFile } from '#adapter-sql';
import { makeFolder } from '#files';
import { codeOf, fileFault } from '#kernel';
import { generateSigningKey, parseSigningKey, publicKeyPem, publicKeyText, type SigningKey } from '#ledger';
import type { Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';

export interface NewKeyArguments {
  readonly dataFolder: string;
  /** Absent: the key in the data folder. */
  readonly keyFile?: string;
  /** Why the key is lost; absent: it is not. */
  readonly reason?: string;
}

/**
 * Makes a new key for checkpoints. The controller finds it within a minute, and records how it follows the one before: by
 * that one's signature, or, where it is lost, by the word of an operator.
 *
 * @throws UnusableError
 */
export async function makeNewKey(
  { dataFolder, keyFile, reason }: NewKeyArguments,
  { output, messages }: Pick<Terminal, 'output' | 'messages'>,
): Promise<0> {
  const file = keyFile ?? join(dataFolder, 'checkpoint-key.pem');
  const present = await readKey(file);
  const made = generateSigningKey();
  try {
    if (present !== null) await rotate(file, { present, made, reason });
    else await replaceLost(file, { made, reason });
  } catch (error) {
    throw error instanceof UnusableError ? error : new UnusableError(`${file}: ${fileFault(error, file)}`);
  }
  messages.write(
    `plimsoll: ${file} is made; the controller signs with it within a minute. Its public key:\n`,
  );
  output.write(publicKeyPem(parseSigningKey(made).publicKey));
  return 0;
}

interface Present {
  readonly text: string;
  readonly key: SigningKey;
}

async function readKey(file: string): Promise<Present | null> {
  try {
    const text = await readFile(file, 'utf8');
    return { text, key: parseSigningKey(requireKeyText(text, adviceOnKey)) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new UnusableError(`${file}: ${fileFault(error, file)}`);
  }
}

const adviceOnKey =
  'put the key back from a copy, or remove the file and run this with --reason where the key is lost';

async function rotate(
  file: string,
  {
    present,
    made,
    reason,
  }: { readonly present: Present; readonly made: string; readonly reason: string | undefined },
): Promise<void> {
  if (reason !== undefined) {
    throw new UnusableError(
      `${file} is there, and is followed without --reason; move it away first if it is not the key of the ledger`,
    );
  }
  const previous = `${file}.previous`;
  await writeNewKeyFile(previous, present.text).catch(async (error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    await requireWritten(previous);
    throw new UnusableError(
      `${previous} is there: the controller has not recorded yet that ${file} follows it`,
    );
  });
  await replaceKeyFile(file, made);
}

/** @throws UnusableError for a file that is empty: it holds no key that could sign */
async function requireWritten(file: string): Promise<void> {
  try {
    requireKeyText(await readFile(file, 'utf8'), 'remove it, and run this again');
  } catch (error) {
    throw new UnusableError(`${file}: ${fileFault(error, file)}`);
  }
}

async function replaceLost(
  file: string,
  { made, reason }: { readonly made: string; readonly reason: string | undefined },
): Promise<void> {
  if (reason === undefined || reason.trim() === '')
    throw new UnusableError(`${file} is missing: --reason says how the key was lost, which is recorded`);
  const key = publicKeyText(parseSigningKey(made).publicKey);
  await makeFolder(dirname(file), 0o700);
  // First what is said of the key: without it no controller would sign with the key.
  await replaceKeyFile(`${file}.lost`, `${JSON.stringify({ key, actor: userInfo().username, reason })}\n`);
  await writeNewKeyFile(file, made);
}
