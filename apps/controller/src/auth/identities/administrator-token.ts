import { open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '#files';
import { codeOf } from '#kernel';
import { grantEverywhere } from '../callers/principal.ts';
import { createToken, type TokenRecord } from './token-authenticator.ts';

/** Where the token may be shown, and by whom. */
export interface TokenPlace {
  readonly isTerminal: boolean;
  /** Of mode 0600. Beside it, `FILE.pid` says which process has written it. */
  readonly file: string;
  readonly pid: number;
  readonly print: (line: string) => void;
}

/**
 * The administrator token of a controller without configured tokens: valid for this process only. It is shown on a
 * terminal only; elsewhere standard output is a log, so the token goes to a new file.
 */
export class AdministratorToken {
  readonly record: TokenRecord;
  readonly #token: string;
  readonly #place: TokenPlace;
  #written: readonly string[] = [];
  #isAnnounced = false;

  constructor(place: TokenPlace) {
    const { token, record } = createToken({ name: 'administrator', grants: grantEverywhere('admin') });
    this.record = record;
    this.#token = token;
    this.#place = place;
  }

  /**
   * Shows it: to be called once the API serves, since a start that fails must take the file from no process. The file of
   * another one that runs is left as it is, and `FILE.PID` is written instead.
   *
   * @throws Error of the file system
   */
  async show(): Promise<void> {
    const where = this.#place.isTerminal ? this.#token : `in ${await this.#write()}`;
    if (!this.#isAnnounced) this.#place.print(`administrator token of this process: ${where}`);
    this.#isAnnounced = true;
  }

  /** Takes away the file, which serves nobody any more. @throws Error of the file system */
  async hide(): Promise<void> {
    for (const file of this.#written) await rm(file, { force: true });
    this.#written = [];
  }

  async #write(): Promise<string> {
    const { file, pid } = this.#place;
    await makeFolder(dirname(file), 0o700);
    const holder = `${file}.pid`;
    const isTaken = await isOfAnother(holder, pid);
    const own = isTaken ? `${file}.${pid}` : file;
    this.#written = isTaken ? [own] : [own, holder];
    if (!isTaken) await writeSecret(holder, `${pid}`);
    await writeSecret(own, this.#token);
    return own;
  }
}

/** Process ids are those of this machine or container: what ran in another one cannot be told from what has ended. */
async function isOfAnother(holder: string, own: number): Promise<boolean> {
  const pid = Number(await readFile(holder, 'utf8').catch(() => ''));
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === own) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** A file left by another process may have a wider mode or be a link: it is replaced, never written into. */
async function writeSecret(file: string, text: string): Promise<void> {
  await rm(file, { force: true });
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${text}\n`);
  } finally {
    await handle.close();
  }
}
