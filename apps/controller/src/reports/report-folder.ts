import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder } from '#files';
import { AdapterError, codeOf } from '#kernel';
import type { ReportFilter, ReportFormat, ReportVerification } from '#report';
import { unusableFile } from './unusable-place.ts';

/** How far a report is. */
export type ReportState = 'Waiting' | 'Making' | 'Ready' | 'Failed';

/** A report that a caller has asked for. */
export interface ReportRecord {
  readonly id: string;
  readonly state: ReportState;
  readonly format: ReportFormat;
  readonly period: { readonly from: string; readonly until: string; readonly timeZone: string };
  readonly filter: ReportFilter;
  readonly price: { readonly perReplicaHour: string; readonly currency: string } | null;
  /** The person behind the caller. */
  readonly owner: string;
  /** RFC 3339. */
  readonly requestedAt: string;
  /** When it was made, or failed; null: neither yet. */
  readonly finishedAt: string | null;
  /** Null: it is not made. */
  readonly bytes: number | null;
  readonly verification: ReportVerification | null;
  /** That its filter selects nothing, and what there is instead; null: it selects something, or it is not made. */
  readonly nothingMatches: string | null;
  /** Why it failed; null: it did not. */
  readonly problem: string | null;
}

/** As the folder has it. */
type KeptRecord = Omit<ReportRecord, 'nothingMatches'> & Partial<Pick<ReportRecord, 'nothingMatches'>>;

const idForm = /^([0-9a-f-]{36})\.json$/;

/**
 * The reports of callers, in a folder: what each is, and its text. Where the folder cannot be used, as where its file system
 * is read-only or full, an AdapterError `FolderUnusable` says why.
 */
export class ReportFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * What is there, and why some of it cannot be read now; that stays as it is. What was being written when a process ended is
   * removed.
   */
  async load(): Promise<{
    readonly records: readonly ReportRecord[];
    readonly unread: readonly AdapterError[];
  }> {
    await makeFolder(this.#folder, 0o700);
    const names = await readdir(this.#folder);
    const known = new Set<string>();
    const records: ReportRecord[] = [];
    const unread: AdapterError[] = [];
    for (const id of names.flatMap((name) => idForm.exec(name)?.[1] ?? [])) {
      const found = await this.#read(id);
      if (found instanceof AdapterError) unread.push(found);
      else if (found !== null) records.push(found);
      if (found instanceof AdapterError || found?.state === 'Ready') known.add(id);
    }
    const stray = names.filter((name) => {
      const [id = '', suffix = ''] = name.split('.', 2);
      return suffix === 'text' ? !known.has(id) : name.endsWith('.part');
    });
    await Promise.all(stray.map((name) => rm(join(this.#folder, name), { force: true })));
    return { records, unread };
  }

  /** The file that a report's text is to be written to. */
  textFile(id: string): string {
    return join(this.#folder, `${id}.text`);
  }

  /** Its text, as it was made; null: it is gone. */
  async openText(id: string): Promise<Readable | null> {
    const file = this.textFile(id);
    try {
      return (await open(file, 'r')).createReadStream();
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw unusableFile(file, error);
    }
  }

  async save(record: ReportRecord): Promise<void> {
    const file = this.#recordFile(record.id);
    const part = `${file}.part`;
    try {
      await makeFolder(this.#folder, 0o700);
      await writeFile(part, JSON.stringify(record), { mode: 0o600, flush: true });
      await rename(part, file);
    } catch (error) {
      throw unusableFile(part, error);
    }
  }

  async remove(id: string): Promise<void> {
    await Promise.all([this.removeText(id), removeFile(this.#recordFile(id))]);
  }

  /** What a report that is not made has left. */
  async removeText(id: string): Promise<void> {
    await removeFile(this.textFile(id));
  }

  /** Null: it cannot be understood, or its text is gone, and is nothing any more. */
  async #read(id: string): Promise<ReportRecord | AdapterError | null> {
    const file = this.#recordFile(id);
    try {
      const record = JSON.parse(await readFile(file, 'utf8')) as KeptRecord;
      if (record.state === 'Ready') await stat(this.textFile(id));
      // One of an earlier release has no word of it.
      return { ...record, nothingMatches: record.nothingMatches ?? null };
    } catch (error) {
      if (!(error instanceof SyntaxError) && codeOf(error) !== 'ENOENT') return unusableFile(file, error);
      await this.remove(id);
      return null;
    }
  }

  #recordFile(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

async function removeFile(file: string): Promise<void> {
  try {
    await rm(file, { force: true });
  } catch (error) {
    throw unusableFile(file, error);
  }
}
