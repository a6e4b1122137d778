import type { ChainFault, SegmentFault } from '#ledger/verification';

/** The first thing that is wrong. */
export interface LedgerFault {
  readonly code:
    | ChainFault['code']
    | SegmentFault['code']
    /** A line is not in the form of an export. */
    | 'Unreadable'
    /** The checkpoint covers another entry of this number. */
    | 'WrongSeal'
    /** What the checkpoint covers does not give its root. */
    | 'WrongRoot'
    /** The checkpoint is not signed with the key. */
    | 'WrongSignature'
    /** Entries are deleted that no checkpoint covers. */
    | 'SegmentUnsealed'
    /** The answer has no end. */
    | 'CutOff';
  /** `stream#number`; null: it is in none. */
  readonly entry: string | null;
  readonly message: string;
}

/** What was counted on the way. */
export interface LedgerCounts {
  readonly streams: number;
  /** Of {@link entries}, those that the heads say there are. */
  readonly expected: number;
  readonly entries: number;
  /** Of them without their contents, which the question or retention leave out. */
  readonly headers: number;
  /** Of them after those that the checkpoint covers. */
  readonly unsealed: number;
  /** Entries that retention has deleted. */
  readonly expired: number;
}

/** A checkpoint that the ledger has. */
export interface VerifiedCheckpoint {
  readonly number: string;
  readonly time: string;
  readonly origin: string;
  /** Null: no key was given to hold its signature against. */
  readonly isSigned: boolean | null;
}

/** Stops at the first fault. */
export class LedgerFaultFound extends Error {
  override readonly name = 'LedgerFaultFound';
  readonly fault: LedgerFault;

  constructor(fault: LedgerFault) {
    super(fault.message);
    this.fault = fault;
  }
}
