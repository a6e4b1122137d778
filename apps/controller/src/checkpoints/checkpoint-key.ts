import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '#configuration';
import { messageOf } from '#kernel';
import { generateSigningKey, parseSigningKey, publicKeyPem, type SigningKey } from '#ledger';

/** A key, or why there is none. */
export type CheckpointKey =
  | { readonly kind: 'key'; readonly key: SigningKey; readonly publicFile: string }
  | { readonly kind: 'missing'; readonly reason: string };

type KeyConfiguration = Pick<Configuration, 'dataFolder' | 'database' | 'checkpoints'>;

/**
 * The key that signs checkpoints. Beside a SQLite file it is made at the first start, in the data folder. A database that
 * several processes share must be given one, and so must a ledger that was signed before: another key would make all that
 * was signed worthless without anyone noticing.
 *
 * The public key is written to `checkpoint-key.pub` in the data folder.
 */
export async function openCheckpointKey(
  { dataFolder, database, checkpoints }: KeyConfiguration,
  isFirst: boolean,
): Promise<CheckpointKey> {
  const file = checkpoints.keyFile ?? join(dataFolder, 'checkpoint-key.pem');
  const isMade = checkpoints.keyFile === undefined && database.url.startsWith('sqlite:');
  if (checkpoints.keyFile === undefined && !isMade)
    return { kind: 'missing', reason: 'checkpoints.keyFile is not set, which PostgreSQL needs' };
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    if (isMade && isFirst) await makeKey(file);
    const key = parseSigningKey(await readFile(file, 'utf8'));
    const publicFile = join(dataFolder, 'checkpoint-key.pub');
    await writeFile(publicFile, publicKeyPem(key.publicKey), { mode: 0o644 });
    return { kind: 'key', key, publicFile };
  } catch (error) {
    return { kind: 'missing', reason: `${file}: ${messageOf(error)}` };
  }
}

/** Leaves a key that is there already as it is. */
async function makeKey(file: string): Promise<void> {
  try {
    await writeFile(file, generateSigningKey(), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
