import type { ActivePolicy } from '../policies/active-policy.ts';

/** The policies in force, kept in memory by the sync. */
export interface ActivePoliciesPort {
  /**
   * All policies in force now, each `namespace/name` once. It reads memory only. A policy that is missing here has been
   * pruned: it is not decided any more, and its target's count stays as it is.
   */
  listActivePolicies(): readonly ActivePolicy[];
}
