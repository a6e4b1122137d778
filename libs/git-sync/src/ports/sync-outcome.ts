import type { CommitReference } from '#reconciliation';
import { slipsFirst, type TenantDiagnostic } from '#repository';
import type { Hold } from '../holds/approvals.ts';

/** The latest look at a source. */
export interface LastSync {
  /** RFC 3339. */
  readonly time: string;
  /** What it came to, or a rollback since. */
  readonly outcome: SyncOutcome;
  /**
   * Since when the repository could not be looked at, RFC 3339; null: the latest look that says anything of it worked. One
   * that the database has failed does not.
   */
  readonly staleSince: string | null;
}

/** What a look at a source, or an operator's request, came to. */
export interface SyncOutcome {
  readonly source: string;
  /**
   * `active`: everything of the commit is in force; `partial`: some tenants advanced; `held`: a person must approve;
   * `rejected`: errors, what was in force stays; `failed`: the look failed; `unchanged`: judged before, with the
   * same result.
   */
  readonly result: 'active' | 'partial' | 'held' | 'rejected' | 'failed' | 'unchanged';
  readonly commit: CommitReference | null;
  readonly message: string;
  readonly diagnostics: readonly TenantDiagnostic[];
  readonly holds: readonly Hold[];
  /**
   * Why the database failed, and not the repository, so that what was looked at could not be stored or recorded: in the words
   * of its driver, which name addresses, for the log. Absent: it did not fail.
   */
  readonly unstored?: string;
  /** Why the repository could not be reached: the last good commit was judged instead. Absent: it was. */
  readonly unreachable?: string;
}

/** More than a screen shows at once; the revision has all of them. */
const maximumToldErrors = 10;

/** The first errors of what was looked at, causes before what follows from them: at most ten. */
export function toldErrors({ diagnostics }: Pick<SyncOutcome, 'diagnostics'>): readonly TenantDiagnostic[] {
  return slipsFirst(diagnostics.filter(({ severity }) => severity === 'error')).slice(0, maximumToldErrors);
}
