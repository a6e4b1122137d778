import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { removeUnfinished, replaceKeyFile, requireKeyText, writeNewKeyFile } from '#adapter-sql';
import type { Configuration } from '#configuration';
import { makeFolder, readTextFile } from '#files';
import { codeOf, fileFault } from '#kernel';
import { generateSigningKey, parseSigningKey, publicKeyPem, type SigningKey } from '#ledger';

/** The keys, or why there is none. */
export type CheckpointKeys =
  ({ readonly kind: 'keys' } & OpenedKeys) | { readonly kind: 'missing'; readonly reason: string };

/** The key that signs, and what says how it follows another. */
export interface OpenedKeys {
  readonly file: string;
  readonly publicFile: string;
  readonly current: SigningKey;
  /** The key before it, which can sign that it was followed; `null`: there is none. */
  readonly previous: SigningKey | null;
  /** What an operator says of the loss of the key before it; `null`: nothing. */
  readonly lost: LostKey | null;
}

const adviceOnKey =
  'put the key back from a copy, or remove the file; where the ledger has checkpoints, make a key with ' +
  '`plimsoll audit new-key --reason` then';

const adviceOnPrevious =
  'put the key that signed the last checkpoint back there from a copy; where that is the present key, remove the file';

const adviceOnLost =
  'remove it; where nothing was signed with the present key yet, move that away, and run ' +
  '`plimsoll audit new-key --reason` again';

const lostForm = z.strictObject({
  /** The key that this is said of, so that no other takes its place by it. */
  key: z.string(),
  actor: z.string().min(1).max(1_000),
  reason: z.string().min(1).max(10_000),
});

/** What an operator says with a new key in the place of one that is lost. */
export type LostKey = z.output<typeof lostForm>;

export type KeyConfiguration = Pick<Configuration, 'dataFolder' | 'database' | 'checkpoints'>;

/**
 * Opens the key that signs checkpoints. Beside a SQLite file it is made at the first start, in the data folder. A database
 * that several processes share must be given one, and so must a ledger that was signed before: another key would make
 * all that was signed worthless without anyone noticing.
 *
 * The public key is written to `checkpoint-key.pub` in the data folder.
 */
export async function openCheckpointKeys(
  { dataFolder, database, checkpoints }: KeyConfiguration,
  isFirst: boolean,
): Promise<CheckpointKeys> {
  const file = checkpoints.keyFile ?? join(dataFolder, 'checkpoint-key.pem');
  const isMade = checkpoints.keyFile === undefined && database.url.startsWith('sqlite:');
  if (checkpoints.keyFile === undefined && !isMade)
    return { kind: 'missing', reason: 'checkpoints.keyFile is not set, which PostgreSQL needs' };
  try {
    await makeFolder(dataFolder, 0o700);
    await removeUnfinished(file);
    // One that is there needs no room on the disk.
    if (isMade && isFirst && !existsSync(file)) await makeKey(file);
    const current = parseSigningKey(requireKeyText(await readTextFile(file), adviceOnKey));
    const publicFile = join(dataFolder, 'checkpoint-key.pub');
    await keepPublicKey(publicFile, publicKeyPem(current.publicKey));
    const previous = await readIfThere(previousFile(file), (text) =>
      parseSigningKey(requireKeyText(text, adviceOnPrevious)),
    );
    const lost = await readIfThere(lostFile(file), (text) =>
      lostForm.parse(JSON.parse(requireKeyText(text, adviceOnLost))),
    );
    return { kind: 'keys', file, publicFile, current, previous, lost };
  } catch (error) {
    return { kind: 'missing', reason: `${file}: ${fileFault(error, file)}` };
  }
}

/** Removes what said how the key follows another, once it is recorded; a file of a read-only folder stays. */
export async function removeSuccession({ file, previous, lost }: OpenedKeys): Promise<void> {
  const files = [
    ...(previous === null ? [] : [previousFile(file)]),
    ...(lost === null ? [] : [lostFile(file)]),
  ];
  for (const each of files) await rm(each, { force: true }).catch(() => undefined);
}

function previousFile(file: string): string {
  return `${file}.previous`;
}

function lostFile(file: string): string {
  return `${file}.lost`;
}

async function readIfThere<T>(file: string, parse: (text: string) => T): Promise<T | null> {
  try {
    return parse(await readTextFile(file));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new Error(`${file}: ${fileFault(error, file)}`, { cause: error });
  }
}

/** It is read by others at any time, and seldom another. */
async function keepPublicKey(file: string, text: string): Promise<void> {
  if ((await readIfThere(file, String)) !== text) await replaceKeyFile(file, text, 0o644);
}

/** Leaves a key that is there already as it is. */
async function makeKey(file: string): Promise<void> {
  try {
    await writeNewKeyFile(file, generateSigningKey());
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
