import type { Json } from '#kernel';
import { canonicalJson, err, ok, type Result } from '#kernel';
import { hashEntry } from './chain.ts';
import { emptyHead, type EntryFrame, type StreamHead } from './entry.ts';

/** An entry as it was read from somewhere that is not trusted. */
export interface UnverifiedEntry extends EntryFrame {
  readonly kind: string;
  readonly payload: Json;
}

/** What is wrong, at the first entry where something is. */
export interface ChainFault {
  readonly code:
    /** The entry belongs to another stream. */
    | 'WrongStream'
    /** Its number does not follow: entries were deleted, inserted, repeated or reordered. */
    | 'WrongSequence'
    /** It names another predecessor: the one before was edited or replaced. */
    | 'WrongPredecessor'
    /** Its content does not give its hash: it was edited. */
    | 'WrongHash'
    /** The stream ends before its head: entries were cut off. */
    | 'Truncated'
    /** The stream goes on after its head, or ends in another entry than the head's. */
    | 'NotTheHead';
  readonly stream: string;
  /** Where: the number the entry should have. */
  readonly seq: bigint;
  readonly message: string;
}

/**
 * Checks the next entry of a chain: a fold, so that a stream of any length is verified in pages.
 *
 * @param head the verified part's end; `emptyHead` at the beginning.
 * @returns the new end.
 */
export function verifyNext(head: StreamHead, entry: UnverifiedEntry): Result<StreamHead, ChainFault> {
  const seq = head.seq + 1n;
  const fault = (code: ChainFault['code'], message: string): Result<StreamHead, ChainFault> =>
    err({ code, stream: head.stream, seq, message: `${head.stream}#${seq}: ${message}` });
  if (entry.stream !== head.stream) return fault('WrongStream', `entry of stream ${entry.stream}`);
  if (entry.seq !== seq) return fault('WrongSequence', `entry has number ${entry.seq}`);
  if (entry.previousHash !== head.hash)
    return fault('WrongPredecessor', `predecessor is ${head.hash}, entry names ${entry.previousHash}`);
  const hash = hashEntry({ ...entry, payloadText: canonicalJson(entry.payload) });
  if (entry.hash !== hash) return fault('WrongHash', `content gives ${hash}, entry has ${entry.hash}`);
  return ok({ stream: head.stream, seq, hash });
}

/**
 * Checks a whole stream against its head: finds any edit, deletion, insertion, reordering and truncation. What it
 * cannot know is whether the head itself is genuine: that takes a checkpoint from elsewhere.
 *
 * @param entries all of the stream, in the order they are claimed to have.
 * @param head where the stream is claimed to end.
 */
export function verifyStream(
  entries: Iterable<UnverifiedEntry>,
  head: StreamHead,
): Result<StreamHead, ChainFault> {
  let end = emptyHead(head.stream);
  for (const entry of entries) {
    const next = verifyNext(end, entry);
    if (!next.ok) return next;
    end = next.value;
  }
  return verifyEnd(end, head);
}

/** Whether the verified part of a stream ends where its head says. */
export function verifyEnd(end: StreamHead, head: StreamHead): Result<StreamHead, ChainFault> {
  if (end.seq === head.seq && end.hash === head.hash) return ok(end);
  const code = end.seq < head.seq ? 'Truncated' : 'NotTheHead';
  const message = `${end.stream}: verified up to ${end.seq} (${end.hash}), the head is ${head.seq} (${head.hash})`;
  return err({ code, stream: end.stream, seq: end.seq + 1n, message });
}
