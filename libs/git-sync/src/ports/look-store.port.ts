import type { Fence } from '#ledger';
import type { LastSync } from './sync-outcome.ts';

/** Where the process that syncs tells others of its latest look at each source. */
export interface LookStorePort {
  /** By source. @throws AdapterError */
  list(): Promise<ReadonlyMap<string, LastSync>>;
  /**
   * Stores a look in place of the one before, under the fence of its source, and tells the other processes.
   *
   * @throws AdapterError
   */
  store(source: string, look: LastSync, fence: Fence): Promise<void>;
}
