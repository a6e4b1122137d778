import type { Configuration } from '#configuration';
import type { ActivePoliciesPort } from '#reconciliation';
import type { SourceOperations } from './source-operations.ts';

/** All sources of the configuration, synced on their intervals and on demand. */
export interface PolicySync {
  readonly activePolicies: ActivePoliciesPort;
  /**
   * Puts the last good policies into force from SQL; asks no Git server.
   *
   * @throws AdapterError
   */
  readonly restore: () => Promise<void>;
  /**
   * Takes over what another process has stored of sources, and writes nothing; to be called where that process syncs.
   *
   * @throws AdapterError
   */
  readonly follow: (sources: readonly string[]) => Promise<void>;
  /**
   * Fetches and parses what the first look at each source will judge, where nothing is stored of it; judges and stores
   * nothing. Never rejects: what fails is told by that look.
   */
  readonly readAhead: () => Promise<void>;
  /** Looks at every source now and on its interval from then on, in the background; a source that fails stops nothing. */
  readonly beginLooking: () => void;
  /** Looks at one source, or at all, now; resolves when what was found is in force, held or rejected. */
  readonly syncNow: (source?: string) => Promise<void>;
  /** Calls the listener whenever the policies in force have changed. */
  readonly onChange: (listener: () => void) => void;
  /** For readiness: undefined when every source was restored or looked at, else which were not. */
  readonly missing: () => string | undefined;
  /** The sources as operators see them, and what they can do with them. */
  readonly sources: SourceOperations;
  /**
   * Reads what the sources that a configuration adds have in force.
   *
   * @throws AdapterError where the database fails.
   */
  readonly prepare: (configuration: Configuration) => Promise<void>;
  /**
   * Follows the sources of the configuration that was prepared, each once its look under way has ended, as a restart
   * would: what would leave by it is held, and a source that it no longer names keeps its policies in force.
   */
  readonly reconfigure: (configuration: Configuration) => void;
  /**
   * Ends what is under way at its next step, and lets nothing begin: nothing is put into force any more. What was stored as
   * being in force stays so, and whoever syncs next records what is missing in the ledger.
   */
  readonly end: () => void;
  /** {@link PolicySync.end}s, waits for syncs and operators' requests under way, and refuses later ones. */
  readonly stop: () => Promise<void>;
}
