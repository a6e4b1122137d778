import { access, copyFile, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '#configuration';
import { reportTypes } from '#contracts';
import { AdapterError } from '#kernel';
import { postSigned } from '../checkpoints/signed-post.ts';

/** A report that was made for a schedule. */
export interface ScheduledReport {
  readonly file: string;
  readonly bytes: number;
  /** The beginning of its period in its time zone. */
  readonly period: string;
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
 * @returns where it is
 * @throws AdapterError, Error where it is not taken
 */
export async function deliverReport(
  { name, format, folder, http }: Configuration['reports']['schedules'][number],
  { file, bytes, period, id, now }: ScheduledReport,
): Promise<string> {
  if (folder !== undefined) {
    const place = join(folder, `${name}-${period.replaceAll(':', '')}.${format}`);
    await mkdir(folder, { recursive: true });
    if (await isThere(place)) return place;
    // Another file system may be what the folder is on: nobody finds half a report there.
    const part = join(folder, `.${name}.part`);
    await copyFile(file, part);
    await rename(part, place);
    return place;
  }
  if (http === undefined) throw new Error(`the schedule ${name} names no place`);
  if (bytes > maximumPostedMegabytes * 1024 ** 2) throw tooLarge;
  await postSigned(http, { id, contentType: reportTypes[format], text: await readFile(file, 'utf8'), now });
  return new URL(http.url).origin;
}

const tooLarge = new AdapterError({
  code: 'ReportTooLarge',
  message: `a report of more than ${maximumPostedMegabytes} MiB is not posted: let the schedule name a folder, or fewer namespaces`,
  retryable: false,
});

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
