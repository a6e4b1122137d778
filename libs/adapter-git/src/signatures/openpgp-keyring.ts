import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdapterError } from '#kernel';
import { redact } from '../run/redact.ts';
import { runKeyTool } from './key-tool.ts';

/** A keyring with the keys of one file and nothing else. */
export interface OpenPgpKeyring {
  /** For GNUPGHOME. */
  readonly home: string;
  /** Every user id of the key with that fingerprint, those that were revoked included. */
  readonly loadUserIds: (fingerprint: string) => Promise<readonly string[]>;
}

/**
 * Imports the keys into a keyring that lives for this one use.
 *
 * @throws AdapterError `KeysUnreadable`
 */
export async function withKeyring<T>(file: string, use: (keyring: OpenPgpKeyring) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'plimsoll-gpg-'));
  try {
    await runGpg(home, file, ['--import', '--', file]);
    const loadUserIds = async (fingerprint: string): Promise<readonly string[]> =>
      userIdsIn(await runGpg(home, file, ['--with-colons', '--list-keys', '--', fingerprint]));
    return await use({ home, loadUserIds });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function runGpg(home: string, file: string, args: readonly string[]): Promise<string> {
  try {
    return await runKeyTool('gpg', ['--batch', '--quiet', '--no-autostart', '--homedir', home, ...args]);
  } catch (error) {
    throw new AdapterError({
      code: 'KeysUnreadable',
      message: `verify.openPgpKeysFile: ${JSON.stringify(file)} could not be imported (${redact(String(error))})`,
      retryable: true,
    });
  }
}

/** The tenth field of `uid` lines, in which gpg writes bytes such as a colon's as `\x3a`. */
function userIdsIn(listing: string): readonly string[] {
  return listing
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([type]) => type === 'uid')
    .map((fields) =>
      (fields[9] ?? '').replace(/\\x([0-9a-f]{2})/gi, (_text, digits: string) =>
        String.fromCharCode(Number.parseInt(digits, 16)),
      ),
    );
}
