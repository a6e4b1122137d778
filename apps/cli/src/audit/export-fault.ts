import type { ChainFault, EntryAddress, SegmentFault } from '#ledger';
import { printable } from '../printable.ts';

/** The first thing that is wrong with an export. */
export interface ExportFault extends FaultPlace {
  readonly code:
    | ChainFault['code']
    /** The line is no entry in the form of an export. */
    | 'UnreadableEntry'
    /** The entry is later than this machine's clock. */
    | 'FutureTime'
    /** The list of heads is damaged, or not in order. */
    | 'UnreadableHead'
    /** The manifest counts something else than there is. */
    | 'WrongCount'
    /** The checkpoint covers another entry of this number. */
    | 'WrongSeal'
    /** What the checkpoint covers does not give its root. */
    | 'WrongRoot'
    /** The checkpoint may cover streams of the filter that are not shown. */
    | 'SealIncomplete'
    /** The checkpoint, or the list of heads that it covers, is damaged. */
    | 'UnreadableCheckpoint'
    /** Entries at the beginning of a stream have been deleted, and no checkpoint covers what comes after them. */
    | 'SegmentUnsealed'
    /** `SegmentUnrecorded`: no retention announced it; `WrongSegment`: one announced another hash. */
    | SegmentFault['code']
    /** The checkpoint is not signed with the key. */
    | 'WrongSignature'
    /** Two checkpoints of one number differ: two histories were signed. */
    | 'Equivocation'
    /** The export was made after a checkpoint that it does not have. */
    | 'CheckpointMissing';
  /** `null` where no stream can be named. */
  readonly stream: string | null;
  /** The number of the first entry that is edited, missing, inserted or out of place. */
  readonly seq: bigint | null;
  readonly message: string;
}

/** Where in an export a fault was found. */
export interface FaultPlace {
  readonly file: string;
  /** `null`: at the end of the file. */
  readonly line: number | null;
}

/** Stops at the first fault. */
export class FaultFound extends Error {
  override readonly name = 'FaultFound';
  readonly fault: ExportFault;

  constructor(fault: ExportFault) {
    const message = printable(fault.message);
    super(message);
    this.fault = { ...fault, message };
  }
}

/** A fault of one entry. */
export function faultAt(
  { stream, seq }: EntryAddress,
  { message, ...rest }: Omit<ExportFault, 'stream' | 'seq'>,
): FaultFound {
  return new FaultFound({ ...rest, stream, seq, message: `${stream}#${seq}: ${message}` });
}
