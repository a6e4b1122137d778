/** How far a replica is: the phases of a scope (`libs/coordination`), with the states of a write within `Held`. */
export const Phase = {
  Waiting: 0,
  Elected: 1,
  Fenced: 2,
  /** An intent has no outcome yet, and its request may be under way. */
  InDoubt: 3,
  /** What became of the write is known of the version that was read. */
  Found: 4,
  /** It is to be recorded, and no request that was made on an earlier version can change it any more. */
  Judged: 5,
  Watching: 6,
  HasRead: 7,
  Recorded: 8,
  /** The right to write was found in force. */
  Looked: 9,
  Sent: 10,
  Conflict: 11,
  NotMade: 12,
  Made: 13,
  Leaving: 14,
  GivenUp: 15,
} as const;

/** Who holds the Lease, or the fence's row. A replica that starts anew is another holder: its former self is gone. */
export const Holder = { None: 0, A: 1, B: 2, Gone: 3, Absent: 4 } as const;

/** What the ledger has of a write. */
export const Status = {
  None: 0,
  Pending: 1,
  Made: 2,
  NotMade: 3,
  /** Not made, or made and undone unseen. */
  Overtaken: 4,
  /** It was recorded, and a restored database does not have it. */
  Lost: 5,
} as const;

/** Where a write's request is. */
export const Net = { None: 0, UnderWay: 1, Done: 2, Refused: 3 } as const;

/** One process. Ages are in ticks of the clocks, which run alike, and end at the longest that matters. */
export class Replica {
  phase: number = Phase.Waiting;
  /** Since the last renewal of the Lease was sent. */
  leaseAge = 0;
  /** Since the last renewal of the fence was sent. */
  fenceAge = 0;
  /** Since it saw the Lease change, where it has seen the present version. */
  seenAge = 0;
  hasSeen = 0;
  /** 1: it may take the fence that it saw when that is free or has expired; 2: also before. */
  claim = 0;
  /** The version that it has read is the present one. */
  isFresh = 0;
  /** What it has found out of a write. */
  result: number = Status.None;
  /** The write that it is about. */
  write = 0;
  /** Of its fence, counted from the snapshot; followed where only epochs are compared. */
  epoch = 0;

  copy(from: Replica): void {
    this.phase = from.phase;
    this.leaseAge = from.leaseAge;
    this.fenceAge = from.fenceAge;
    this.seenAge = from.seenAge;
    this.hasSeen = from.hasSeen;
    this.claim = from.claim;
    this.isFresh = from.isFresh;
    this.result = from.result;
    this.write = from.write;
    this.epoch = from.epoch;
  }

  /** Starts anew: nothing is kept. */
  reset(): void {
    this.copy(fresh);
  }

  pack(): number {
    return (
      this.phase |
      (this.leaseAge << 4) |
      (this.fenceAge << 6) |
      (this.seenAge << 8) |
      (this.hasSeen << 10) |
      (this.claim << 11) |
      (this.isFresh << 13) |
      (this.result << 14) |
      (this.write << 17) |
      (this.epoch << 18)
    );
  }

  unpack(word: number): void {
    this.phase = word & 15;
    this.leaseAge = (word >> 4) & 3;
    this.fenceAge = (word >> 6) & 3;
    this.seenAge = (word >> 8) & 3;
    this.hasSeen = (word >> 10) & 1;
    this.claim = (word >> 11) & 3;
    this.isFresh = (word >> 13) & 1;
    this.result = (word >> 14) & 7;
    this.write = (word >> 17) & 1;
    this.epoch = (word >> 18) & 3;
  }
}

const fresh = new Replica();

/** One write of the target's scale: its intent and outcome in the ledger, its request, and what it did. */
export class Write {
  status: number = Status.None;
  isEffective = 0;
  /** The target's last change is this write's. */
  isVisible = 0;
  net: number = Net.None;
  /** The version that its request is made on is the present one. */
  isFresh = 0;
  author: number = Holder.None;
  /** A later holder has read the scale. */
  isSuperseded = 0;

  copy(from: Write): void {
    this.status = from.status;
    this.isEffective = from.isEffective;
    this.isVisible = from.isVisible;
    this.net = from.net;
    this.isFresh = from.isFresh;
    this.author = from.author;
    this.isSuperseded = from.isSuperseded;
  }

  pack(): number {
    return (
      this.status |
      (this.isEffective << 3) |
      (this.isVisible << 4) |
      (this.net << 5) |
      (this.isFresh << 7) |
      (this.author << 8) |
      (this.isSuperseded << 10)
    );
  }

  unpack(word: number): void {
    this.status = word & 7;
    this.isEffective = (word >> 3) & 1;
    this.isVisible = (word >> 4) & 1;
    this.net = (word >> 5) & 3;
    this.isFresh = (word >> 7) & 1;
    this.author = (word >> 8) & 3;
    this.isSuperseded = (word >> 10) & 1;
  }
}

/** Words of 32 bits in which a state is stored. */
export const stateWords = 4;

/** Two replicas, one scope with one target, the Lease, the database, and the requests under way. */
export class ModelState {
  readonly replicas: readonly [Replica, Replica] = [new Replica(), new Replica()];
  readonly writes: readonly [Write, Write] = [new Write(), new Write()];
  lease: number = Holder.Absent;
  row: number = Holder.None;
  /** Since the row was renewed. */
  rowAge = 0;
  epoch = 0;
  /** What a restored database would have; `hasSnapshot` 2: it was restored. */
  hasSnapshot = 0;
  snapshotRow: number = Holder.None;
  readonly snapshotStatus: [number, number] = [Status.None, Status.None];
  /** Faults that may still happen. */
  faults = 0;
  isLeaseChanged = 0;

  copy(from: ModelState): void {
    this.replicas[0].copy(from.replicas[0]);
    this.replicas[1].copy(from.replicas[1]);
    this.writes[0].copy(from.writes[0]);
    this.writes[1].copy(from.writes[1]);
    this.lease = from.lease;
    this.row = from.row;
    this.rowAge = from.rowAge;
    this.epoch = from.epoch;
    this.hasSnapshot = from.hasSnapshot;
    this.snapshotRow = from.snapshotRow;
    this.snapshotStatus[0] = from.snapshotStatus[0];
    this.snapshotStatus[1] = from.snapshotStatus[1];
    this.faults = from.faults;
    this.isLeaseChanged = from.isLeaseChanged;
  }

  pack(words: Int32Array): void {
    words[0] = this.replicas[0].pack();
    words[1] = this.replicas[1].pack();
    words[2] = this.writes[0].pack() | (this.writes[1].pack() << 11);
    words[3] =
      this.lease |
      (this.row << 3) |
      (this.rowAge << 5) |
      (this.epoch << 7) |
      (this.hasSnapshot << 9) |
      (this.snapshotRow << 11) |
      (this.snapshotStatus[0] << 13) |
      (this.snapshotStatus[1] << 16) |
      (this.faults << 19) |
      (this.isLeaseChanged << 22);
  }

  unpack(words: Int32Array, at: number): void {
    const [first, second, writes, rest] = [words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!];
    this.replicas[0].unpack(first);
    this.replicas[1].unpack(second);
    this.writes[0].unpack(writes);
    this.writes[1].unpack(writes >> 11);
    this.lease = rest & 7;
    this.row = (rest >> 3) & 3;
    this.rowAge = (rest >> 5) & 3;
    this.epoch = (rest >> 7) & 3;
    this.hasSnapshot = (rest >> 9) & 3;
    this.snapshotRow = (rest >> 11) & 3;
    this.snapshotStatus[0] = (rest >> 13) & 7;
    this.snapshotStatus[1] = (rest >> 16) & 7;
    this.faults = (rest >> 19) & 7;
    this.isLeaseChanged = (rest >> 22) & 1;
  }
}
