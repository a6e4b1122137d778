import {
  type ConversionSource,
  type ConvertedFile,
  convertFile,
  type PolicyFile,
  type PolicyFileSource,
  readPolicyFile,
} from '#policy';
import { type OverlayContent, type OverlayFile, parseOverlayFile } from '#repository';

/** Files of one kind: for policies, for overlays, or to be converted. */
export type Batch =
  | { readonly kind: 'Policies'; readonly files: readonly PolicyFileSource[] }
  | { readonly kind: 'Overlays'; readonly files: readonly OverlayFile[] }
  | { readonly kind: 'Conversions'; readonly files: readonly ConversionSource[] };

/** What a batch of a kind comes to, one per file. */
export interface Answers {
  readonly Policies: PolicyFile;
  readonly Overlays: OverlayContent;
  readonly Conversions: ConvertedFile;
}

/** A batch on its way to a thread: the bytes of all files one after the other, moved and not copied again. */
export interface BatchMessage {
  readonly kind: Batch['kind'];
  readonly files: readonly { readonly length: number }[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What comes back: an answer per file, in their order. */
export type BatchAnswer = readonly Answers[Batch['kind']][];

/** What a thread says first: its modules are loaded, and what takes time from now on is a batch. */
export const readyMessage = 'ready';

/** Packs a batch. A file's bytes may be a window into all that Git sent, which must not travel along. */
export function packBatch({ kind, files }: Batch): BatchMessage {
  const bytes = new Uint8Array(files.reduce((sum, source) => sum + source.bytes.length, 0));
  let at = 0;
  const packed = files.map((source) => {
    bytes.set(source.bytes, at);
    at += source.bytes.length;
    // What is wanted of other kinds is a function, which cannot be sent.
    return { ...source, wants: undefined, bytes: undefined, length: source.bytes.length };
  });
  return { kind, files: packed, bytes };
}

/** The files of a batch, each with its window into the bytes. */
export function unpackBatch({ kind, files, bytes }: BatchMessage): Batch {
  let at = 0;
  const unpacked = files.map(({ length, ...source }) => {
    at += length;
    return { ...source, bytes: bytes.subarray(at - length, at) };
  });
  return { kind, files: unpacked as readonly unknown[] } as Batch;
}

/** Parses a batch where it is called. */
export function parseBatch(batch: Batch): BatchAnswer {
  switch (batch.kind) {
    case 'Policies':
      return batch.files.map(readPolicyFile);
    case 'Overlays':
      return batch.files.map(parseOverlayFile);
    case 'Conversions':
      return batch.files.map(convertFile);
  }
}
