import type { PolicyFile, PolicyFileSource } from '#policy';

/** A batch on its way to a thread: the bytes of all files one after the other, moved and not copied again. */
export interface BatchMessage {
  readonly files: readonly (Omit<PolicyFileSource, 'bytes' | 'wants'> & { readonly length: number })[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What comes back: a file each, in their order. */
export type BatchAnswer = readonly PolicyFile[];

/** What a thread says first: its modules are loaded, and what takes time from now on is a batch. */
export const readyMessage = 'ready';

/** Packs a batch. A file's bytes may be a window into all that Git sent, which must not travel along. */
export function packBatch(batch: readonly PolicyFileSource[]): BatchMessage {
  const bytes = new Uint8Array(batch.reduce((sum, source) => sum + source.bytes.length, 0));
  let at = 0;
  const files = batch.map(({ file, limits, isInForce = false, bytes: own }) => {
    bytes.set(own, at);
    at += own.length;
    return { file, isInForce, length: own.length, ...(limits === undefined ? {} : { limits }) };
  });
  return { files, bytes };
}

/** The files of a batch, each with its window into the bytes. */
export function unpackBatch({ files, bytes }: BatchMessage): readonly PolicyFileSource[] {
  let at = 0;
  return files.map(({ length, ...source }) => {
    at += length;
    return { ...source, bytes: bytes.subarray(at - length, at) };
  });
}
