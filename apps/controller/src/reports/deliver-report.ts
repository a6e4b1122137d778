import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { reportTypes } from '#contracts';
import { makeFolder } from '#files';
import { AdapterError } from '#kernel';
import { postSigned } from '../checkpoints/signed-post.ts';
import type { ReportSchedule } from './report-schedule.ts';
import { unusableFolder } from './unusable-place.ts';

/** A report that was made for a schedule. */
export interface ScheduledReport {
  readonly file: string;
  readonly bytes: number;
  /** The cluster that it is about. */
  readonly cluster: string;
  /** The beginning and the end of its period in its time zone. */
  readonly period: readonly [from: string, until: string];
  /** The same whenever it is delivered again. */
  readonly id: string;
  /** RFC 3339. */
  readonly now: string;
}

/** It is signed as a whole, so it is in memory as a whole. */
const maximumPostedMegabytes = 32;

/**
 * Puts a report where its schedule says; one that is there already stays as it is.
 *
 * @param signal ends a delivery on its way when it is aborted
 * @returns where it is
 * @throws AdapterError, Error where it is not taken
 */
export async function deliverReport(
  { name, format, folder, http }: ReportSchedule,
  { file, bytes, cluster, period, id, now }: ScheduledReport,
  signal?: AbortSignal,
): Promise<string> {
  if (folder !== undefined) {
    // Another cluster may use the folder, and another period begins at the same time once the cron has been changed.
    const fileName = `${[cluster, name, ...period].join('_').replaceAll(':', '')}.${format}`;
    const place = join(folder, fileName);
    try {
      await makeFolder(folder);
      // A report is delivered whether or not its receiver lets the folder be listed and tidied.
      await removeLeftParts(folder, Date.parse(now)).catch(() => undefined);
      if (!(await isThere(place))) await putInto(folder, { file, fileName });
    } catch (error) {
      throw isAbout(file, error) ? error : unusableFolder(folder, error);
    }
    return place;
  }
  if (http === undefined) throw new Error(`the schedule ${name} names no place`);
  if (bytes > maximumPostedMegabytes * 1024 ** 2) throw tooLarge;
  const message = { id, contentType: reportTypes[format], text: await readFile(file, 'utf8'), now };
  await postSigned(http, message, signal);
  return new URL(http.url).origin;
}

/** Another file system may be what the folder is on: nobody finds half a report there, and a full disk is left as it was. */
async function putInto(
  folder: string,
  { file, fileName }: { readonly file: string; readonly fileName: string },
): Promise<void> {
  const part = join(folder, `.plimsoll-${randomUUID()}.part`);
  try {
    // The ledger is about to say that it was delivered: a loss of power must not leave an empty file of its name.
    await pipeline(
      createReadStream(file),
      createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true }),
    );
    await rename(part, join(folder, fileName));
  } finally {
    await rm(part, { force: true });
  }
}

const partName = /^\.plimsoll-[0-9a-f-]{36}\.part$/;

/** A copy is written all the time until it is whole; another process may be at one. */
const longestPauseMilliseconds = 3_600_000;

/** Removes what deliveries have left that were killed: the folder is its receiver's, who knows of none of it. */
async function removeLeftParts(folder: string, now: number): Promise<void> {
  for await (const { name } of await opendir(folder)) {
    if (!partName.test(name)) continue;
    const part = join(folder, name);
    const written = await stat(part).catch(() => null);
    if (written !== null && written.mtimeMs < now - longestPauseMilliseconds) await rm(part, { force: true });
  }
}

const tooLarge = new AdapterError({
  code: 'ReportTooLarge',
  message: `a report of more than ${maximumPostedMegabytes} MiB is not posted: let the schedule name a folder, or fewer namespaces`,
  retryable: false,
});

/** Whether it is of the data folder: a full disk names no file, and the folder that was to have the report may be on another. */
function isAbout(file: string, error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'path' in error && error.path === file;
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
