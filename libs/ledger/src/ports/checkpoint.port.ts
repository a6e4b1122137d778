import type { StreamHead } from '../entries/entry.ts';
import type { Fence } from './fence.port.ts';
import type { NamedPage } from './ledger.port.ts';

/** The maximum time between two checkpoints while entries arrive. */
export const maximumCheckpointSeconds = 60;

/** What was sealed, and the entry of that number that is there now, if any. */
export interface SealContradiction {
  readonly sealed: StreamHead;
  readonly found: StreamHead | null;
}

/**
 * What checkpoints are made from and kept in: the id of the ledger, the heads as of one moment, and the last note.
 * Every method throws an `AdapterError` where the database fails, and those with a fence also where it is lost.
 */
export interface CheckpointPort {
  /** 32 hexadecimal digits, random, for all of the ledger's life. */
  ledgerId(): Promise<string>;
  /** The last note that was saved; `null`: none. */
  lastNote(): Promise<string | null>;
  /** The streams whose heads differ from those that the last note covers; at most two of them. */
  unsealedHeads(): Promise<readonly StreamHead[]>;
  /** Keeps the heads of all streams as of one moment for the next note, in the place of those of a note that was never saved. */
  seal(fence: Fence): Promise<void>;
  /** The heads that the next note covers, in the order of the UTF-8 bytes of their names. */
  nextHeads(page: NamedPage): Promise<readonly StreamHead[]>;
  /** The heads that the last note covers, in that order. */
  sealedHeads(page: NamedPage): Promise<readonly StreamHead[]>;
  /** A head that the last note covers and that its stream does not go on from; `null`: there is none. */
  contradiction(): Promise<SealContradiction | null>;
  /** Saves the note together with the heads that it covers: both or neither. */
  saveNote(note: string, fence: Fence): Promise<void>;
  /** When the backup was made that the database was restored from, until that is forgotten; `null`: it was not. */
  restoredBackup(): Promise<string | null>;
  /**
   * Lets the epochs of all scopes go on after `floor`: those that are lower are raised to it, under holders that are fenced
   * by that, this fence's among them, and whose scopes are free once they have expired.
   *
   * @returns whether there were any
   */
  raiseEpochs(floor: bigint, fence: Fence): Promise<boolean>;
  /** What was published was compared with the restored ledger. */
  forgetRestoredBackup(fence: Fence): Promise<void>;
}
