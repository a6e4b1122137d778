import { setTimeout as delay } from 'node:timers/promises';
import { AdapterError, canonicalJson } from '#kernel';
import {
  adminStream,
  exportedHead,
  type ExportFilter,
  type ExportReader,
  type ExportSnapshot,
  readExportedLines,
  settledSnapshot,
  type StreamHead,
  unfitCheckpoint,
} from '#ledger';

/** What is exported, and from where on. */
export interface ExportRequest {
  readonly filter: ExportFilter;
  /** The last entry that the caller has; `null`: none, and heads and checkpoint are wanted, too. */
  readonly after: {
    readonly stream: string;
    readonly seq: string;
    /** Up to where the caller has, or takes, the stream `admin`, which records what retention deletes. */
    readonly admin?: string | undefined;
  } | null;
}

/** What the thread says: one answer per question, after `Opened`. */
export type ExportAnswer =
  | { readonly kind: 'Opened' }
  | { readonly kind: 'Lines'; readonly text: string }
  | { readonly kind: 'End' }
  | { readonly kind: 'Failed'; readonly code: string; readonly message: string };

/** Large enough that crossing between threads costs little, and small enough for a slow reader. */
const portionCharacters = 256 * 1024;

/**
 * The lines of an answer, each an object with one member, in portions: `madeAt`, then `head`, `sealed`, `rotation` and
 * `note`, where they are wanted, then `entry`, then `retention` and `end`; or `failed`, where going on is of no use.
 */
export async function* exportLines(
  reader: ExportReader,
  request: ExportRequest,
): AsyncGenerator<string, undefined> {
  try {
    yield* linesOf(reader, request);
  } catch (error) {
    if (!(error instanceof AdapterError) || error.code !== 'EntriesExpired') throw error;
    yield line('failed', JSON.stringify(error.message));
  }
  return undefined;
}

async function* linesOf(
  reader: ExportReader,
  { filter, after }: ExportRequest,
): AsyncGenerator<string, undefined> {
  // Before the snapshot: every checkpoint that was signed until then is in it.
  const madeAt = new Date().toISOString();
  const snapshot = await requireSnapshot(reader, filter);
  let text = line('madeAt', JSON.stringify(madeAt));
  if (after === null) text += snapshotLines(snapshot);
  const admin = adminOf(snapshot, after);
  for (const head of snapshot.heads) {
    const start = startAfter(after, head.stream);
    if (start === null) continue;
    for await (const portion of readExportedLines(reader, filter, { head, after: start, admin })) {
      for (const exported of portion) {
        text += line('entry', exported.line);
        if (text.length < portionCharacters) continue;
        yield text;
        text = '';
      }
    }
  }
  const rules = await reader.expiryRules();
  const retention = rules.map(({ kind, content, beforeNanoseconds }) => ({
    kind,
    content,
    before: new Date(Number(beforeNanoseconds / 1_000_000n)).toISOString(),
  }));
  yield text + line('retention', canonicalJson(retention)) + line('end', 'true');
  return undefined;
}

/** Absent: it is not exported. */
function adminOf({ heads }: ExportSnapshot, after: ExportRequest['after']): StreamHead | undefined {
  const head = heads.find(({ stream }) => stream === adminStream);
  return head === undefined || after?.admin === undefined ? head : { ...head, seq: BigInt(after.admin) };
}

/** The heads with the checkpoint that fits them. @throws AdapterError `CheckpointUnfit` */
export async function requireSnapshot(reader: ExportReader, filter: ExportFilter): Promise<ExportSnapshot> {
  const snapshot = await settledSnapshot(reader, filter, delay);
  if (snapshot !== null) return snapshot;
  throw new AdapterError({ code: 'CheckpointUnfit', message: unfitCheckpoint, retryable: true });
}

function snapshotLines({ heads, checkpoint }: ExportSnapshot): string {
  const parts = heads.map((head) => line('head', exportedHead(head)));
  if (checkpoint === null) return parts.join('');
  const { sealed, rotations, note } = checkpoint;
  parts.push(...sealed.map((text) => line('sealed', text)));
  parts.push(...rotations.map((text) => line('rotation', JSON.stringify(text))));
  return parts.join('') + line('note', JSON.stringify(note));
}

/** `null`: the caller has all of the stream. */
function startAfter(after: ExportRequest['after'], stream: string): bigint | null {
  if (after === null) return 0n;
  if (stream === after.stream) return BigInt(after.seq);
  return Buffer.compare(Buffer.from(stream), Buffer.from(after.stream)) < 0 ? null : 0n;
}

function line(member: string, json: string): string {
  return `{"${member}":${json}}\n`;
}
