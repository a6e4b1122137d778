import { setTimeout as delay } from 'node:timers/promises';
import { LedgerReader } from '#adapter-sql';
import {
  adminStream,
  type ExportedLine,
  type ExportFilter,
  type ExportSnapshot,
  readExportedLines,
  settledSnapshot,
  type StreamHead,
  unfitCheckpoint,
} from '#ledger';
import { withPassword } from '../database/database-access.ts';
import { BrokenLedgerError } from '../unusable-error.ts';
import type { ManifestRule } from './export-folder.ts';

/** Where an export comes from. */
export interface ExportSource {
  /** What it has beside its entries, and the time before which all of that was there. */
  snapshot(): Promise<ExportSnapshot & { readonly madeAt: string }>;
  /** The lines of the entries of these heads, after the last that is there already. */
  lines(heads: AsyncIterable<StreamHead>, last: LastLine | null): AsyncIterable<readonly ExportedLine[]>;
  /** The rules at the end, when everything has been read: what is missing was deleted by one of them. */
  retention(): Promise<readonly ManifestRule[]>;
  close(): Promise<void>;
}

/** The last line that an interrupted export has. */
export interface LastLine {
  readonly stream: string;
  readonly seq: string;
}

/**
 * A database as the source of an export.
 *
 * @throws UnusableError for a password of no use, AdapterError for a database of none
 */
export async function openDatabaseSource(
  { database, passwordFile }: { readonly database: string; readonly passwordFile?: string },
  filter: ExportFilter,
): Promise<ExportSource> {
  const reader = await LedgerReader.open(await withPassword(database, passwordFile), 'command');
  return {
    snapshot: async () => {
      // Before the snapshot: every checkpoint that was signed until then is in it.
      const madeAt = new Date().toISOString();
      const snapshot = await settledSnapshot(reader, filter, delay);
      if (snapshot === null) throw new BrokenLedgerError(unfitCheckpoint);
      return { ...snapshot, madeAt };
    },
    lines: async function* (heads, last) {
      // It comes before the streams of policies.
      let admin: StreamHead | undefined;
      for await (const head of heads) {
        if (head.stream === adminStream) admin = head;
        const after = last === null ? 0n : startAfter(last, head.stream);
        if (after !== null) yield* readExportedLines(reader, filter, { head, after, admin });
      }
    },
    retention: async () => {
      const rules = await reader.expiryRules();
      return rules.map(({ kind, content, beforeNanoseconds }) => ({
        kind,
        content,
        before: new Date(Number(beforeNanoseconds / 1_000_000n)).toISOString(),
      }));
    },
    close: () => reader.close(),
  };
}

/** Where a stream goes on after an interruption; `null`: it is complete. */
function startAfter({ stream, seq }: LastLine, next: string): bigint | null {
  if (next === stream) return BigInt(seq);
  return Buffer.compare(Buffer.from(next), Buffer.from(stream)) < 0 ? null : 0n;
}
