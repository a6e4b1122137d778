import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ExportedLine } from '#ledger';
import { BatchedOutput } from '../decision/batched-output.ts';
import { entriesName, type ExportProgress, progressName, writeDocument } from './export-folder.ts';

/** The files of entries: each is complete and named by the progress, or begun anew. */
export class EntryFiles {
  readonly #folder: string;
  readonly #bytesPerFile: number;
  #progress: ExportProgress;
  #current: ExportFile | null = null;
  #last: ExportProgress['last'];

  constructor(options: {
    readonly folder: string;
    readonly start: ExportProgress;
    readonly bytesPerFile: number;
  }) {
    this.#folder = options.folder;
    this.#bytesPerFile = options.bytesPerFile;
    this.#progress = options.start;
    this.#last = options.start.last;
  }

  async entries(lines: readonly ExportedLine[]): Promise<void> {
    for (const { stream, seq, line } of lines) {
      this.#current ??= new ExportFile(join(this.#folder, this.#name()));
      const written = this.#current.line(line);
      if (written !== null) await written;
      this.#last = { stream, seq: String(seq) };
      if (this.#current.bytes >= this.#bytesPerFile) await this.#finish(this.#current);
    }
  }

  async end(): Promise<ExportProgress> {
    if (this.#current !== null) await this.#finish(this.#current);
    return this.#progress;
  }

  #name(): string {
    return entriesName(this.#progress.files.length + 1);
  }

  async #finish(file: ExportFile): Promise<void> {
    await file.end();
    const files = [...this.#progress.files, { path: this.#name(), entries: file.lines }];
    this.#progress = { ...this.#progress, files, last: this.#last };
    await writeDocument(this.#folder, progressName, this.#progress);
    this.#current = null;
  }
}

/** A file that is written line by line. */
export class ExportFile {
  readonly #stream: Writable;
  readonly #output: BatchedOutput;
  readonly #done: Promise<void>;
  lines = 0;
  /** UTF-16 units, which is near enough. */
  bytes = 0;

  constructor(path: string) {
    this.#stream = createWriteStream(path, { mode: 0o600, flush: true });
    this.#output = new BatchedOutput(this.#stream);
    this.#done = finished(this.#stream);
    // A failure is thrown by the next line, or by the end.
    this.#done.catch(() => undefined);
  }

  /** @returns what is to be awaited before the next line; `null`: nothing */
  line(text: string): Promise<void> | null {
    this.lines += 1;
    this.bytes += text.length + 1;
    this.#output.line(text);
    // A stream that has failed never drains.
    if (this.#stream.errored !== null) throw this.#stream.errored;
    return this.#output.isFull ? this.#output.flush() : null;
  }

  async end(): Promise<void> {
    if (this.#stream.errored !== null) throw this.#stream.errored;
    await this.#output.flush();
    this.#stream.end();
    await this.#done;
  }
}
