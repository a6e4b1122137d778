import type { PolicyKey } from '#ledger';

/** Which decisions. */
export interface DecisionFilter {
  readonly policy?: PolicyKey | undefined;
  readonly action?: string | undefined;
  readonly namespaces?: readonly string[] | undefined;
  /** The full object name. */
  readonly commit?: string | undefined;
  /** RFC 3339, inclusive. */
  readonly from?: string | undefined;
  /** RFC 3339, exclusive. */
  readonly until?: string | undefined;
}

/** Which changes of replica counts. */
export type ScalingEventFilter = Pick<DecisionFilter, 'policy' | 'namespaces' | 'from' | 'until'>;
