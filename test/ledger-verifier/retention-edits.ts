import { canonicalJson, type Json } from '#kernel';
import { adminStream, hashEntry, parseExportedEntry, sha256Hex } from '#ledger';
import type { ExportFiles } from './edits.ts';

type Recorded = Readonly<Record<'stream' | 'last' | 'hash', string>>;

/** What a retention is made to have recorded. */
export type RetentionEdit = (segments: readonly Recorded[]) => Json;

/** Changes what is recorded of one stream. */
export function of(stream: string, change: Partial<Recorded>): RetentionEdit {
  return (segments) =>
    segments.map((segment) => ({ ...segment, ...(segment.stream === stream ? change : {}) }));
}

/** Leaves out the payload of the last entry of the stream `admin`, as if it had expired: the chain still fits. */
export function withBareRetentionRun(files: ExportFiles): ExportFiles {
  const { lines, index, line, payloadText } = retentionRunOf(files);
  const manifest = JSON.parse(String(files.get('manifest.json'))) as {
    readonly retention: readonly object[];
  };
  const rule = { kind: 'RetentionRun', content: 'Payload', before: '2030-01-01T00:00:00Z' };
  const bare = line.replace(`"payload":${payloadText}`, `"payloadHash":"${sha256Hex(payloadText)}"`);
  return new Map(files)
    .set('entries-000001.ndjson', Buffer.from(lines.with(index, bare).join('\n')))
    .set(
      'manifest.json',
      Buffer.from(JSON.stringify({ ...manifest, retention: [...manifest.retention, rule] })),
    );
}

/** Changes the last entry of the stream `admin`, a `RetentionRun`, and all hashes that follow from it. */
export function withRetentionRun(files: ExportFiles, edit: RetentionEdit): ExportFiles {
  const { lines, index, line, entry, payloadText } = retentionRunOf(files);
  const payload = JSON.parse(payloadText) as { readonly segments: readonly Recorded[] };
  const text = canonicalJson({ ...payload, segments: edit(payload.segments) });
  const hash = hashEntry(entry, sha256Hex(text), sha256Hex);
  const edited = line.replace(payloadText, text).replace(entry.hash, hash);
  const heads = String(files.get('heads.ndjson')).replace(entry.hash, hash);
  return new Map(files)
    .set('entries-000001.ndjson', Buffer.from(lines.with(index, edited).join('\n')))
    .set('heads.ndjson', Buffer.from(heads));
}

function retentionRunOf(files: ExportFiles) {
  const lines = String(files.get('entries-000001.ndjson')).split('\n');
  const index = lines.findLastIndex((line) => line.includes(`"stream":"${adminStream}"`));
  const line = lines[index] ?? '';
  const entry = parseExportedEntry(line);
  if (entry === null || !('payloadText' in entry) || entry.kind !== 'RetentionRun')
    throw new Error(`this is no RetentionRun: ${line}`);
  return { lines, index, line, entry, payloadText: entry.payloadText };
}
