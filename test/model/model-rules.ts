/** Rules of the protocol, each of which a test takes away to see the model find what it is for. */
export interface Rules {
  /** A write is sent only when its intent is in the ledger. */
  readonly intent: boolean;
  /** A write is sent only while the rights to it were renewed within the deadline. */
  readonly deadline: boolean;
  /** The ledger takes entries under the fence in force only. */
  readonly fence: boolean;
  /** A fence is compared by its holder, too, and not by its epoch alone. */
  readonly holder: boolean;
  /** After a 409 the right to write is looked at again, once the new version is read. */
  readonly lookAfterConflict: boolean;
  /** After a 409 on a scale that is another one, who wrote it is found out before the write is called not made. */
  readonly findRefused: boolean;
  /** Who takes over resolves the pending write before anything else. */
  readonly resolve: boolean;
  /** Before a write is called not made, the version that its request was made on is made a former one. */
  readonly invalidate: boolean;
  /** Who finds a Lease free, and not expired, waits for the fence to be free, too. */
  readonly waitForFence: boolean;
  /** Whose Lease was seen to expire has its fence taken before that has expired, and no other holder. */
  readonly onlyExpired: boolean;
  /** Who has won the Lease takes the fence only as it saw it before. */
  readonly sameFence: boolean;
  /** A holder whose deadline is over does not renew its Lease any more. */
  readonly renewInTime: boolean;
}

export const allRules: Rules = {
  intent: true,
  deadline: true,
  fence: true,
  holder: true,
  lookAfterConflict: true,
  findRefused: true,
  resolve: true,
  invalidate: true,
  waitForFence: true,
  onlyExpired: true,
  sameFence: true,
  renewInTime: true,
};

/** What is explored. */
export interface ModelOptions {
  readonly rules?: Partial<Rules>;
  /** `None`: one process writes, and another takes the fence's row when it has expired. `First`: the second may not use them. Default `Both`. */
  readonly leases?: 'Both' | 'First' | 'None';
  /** How many faults happen on one way. */
  readonly faults: number;
  /** Which of them; default: all but `Restore`, which multiplies the states. */
  readonly kinds?: readonly Fault[];
  /** How many writes are announced on one way. Default 2; 1 leaves far fewer states. */
  readonly writes?: 1 | 2;
}

export type Fault =
  'Crash' | 'ForeignWrite' | 'LostRequest' | 'RepeatedRequest' | 'DeletedLease' | 'EditedLease' | 'Restore';

export const usualFaults: readonly Fault[] = [
  'Crash',
  'ForeignWrite',
  'LostRequest',
  'RepeatedRequest',
  'DeletedLease',
  'EditedLease',
];
