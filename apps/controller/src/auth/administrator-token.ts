import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '#files';
import { grantEverywhere } from './principal.ts';
import { createToken, type TokenRecord } from './token-authenticator.ts';

/** The token of a controller without configured tokens: valid for this process only. */
export interface AdministratorToken {
  readonly record: TokenRecord;
  /** What to print: the token where the output is a terminal, otherwise the file that holds it. */
  readonly announcement: string;
}

/** Where the token may be shown. */
export interface TokenPlace {
  readonly isTerminal: boolean;
  readonly file: string;
}

/**
 * Makes a one-time administrator token. It is shown on a terminal only; elsewhere standard output is a log, so the
 * token goes to a new file of mode 0600.
 */
export async function createAdministratorToken(place: TokenPlace): Promise<AdministratorToken> {
  const { token, record } = createToken({ name: 'administrator', grants: grantEverywhere('admin') });
  if (place.isTerminal) return { record, announcement: `administrator token of this process: ${token}` };
  await writeSecret(place.file, token);
  return { record, announcement: `administrator token of this process: in ${place.file}` };
}

/** A file left by another process may have a wider mode or be a link: it is replaced, never written into. */
async function writeSecret(file: string, token: string): Promise<void> {
  await makeFolder(dirname(file), 0o700);
  await rm(file, { force: true });
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${token}\n`);
  } finally {
    await handle.close();
  }
}
