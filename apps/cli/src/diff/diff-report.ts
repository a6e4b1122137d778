import type { TenantDiagnostic } from '#repository';
import type { PolicyDifference } from './diff-trees.ts';
import type { RevisionRange } from './revision-range.ts';

/** A range, compared. */
export interface DiffReport extends RevisionRange {
  readonly differences: readonly PolicyDifference[];
  /** Policies that are the same on both sides. */
  readonly unchanged: number;
  /** What is wrong at the head: what is invalid there could not be compared. */
  readonly errors: readonly TenantDiagnostic[];
}
