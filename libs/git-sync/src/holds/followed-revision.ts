import type { Approvals, FollowedRevision } from './approvals.ts';

/** What was last in force by following the ref, before a rollback changes it. */
export function followedBefore(
  { commit, tenants }: FollowedBase,
  { followed }: Approvals,
): FollowedRevision | null {
  if (followed !== null)
    return { ...followed, tenants: { ...tenants, ...followed.tenants }, resumedBy: null };
  return commit === null ? null : { commit: commit.hash, tenants, resumedBy: null };
}

/** What is in force now, and the commits that it came from. */
export interface FollowedBase {
  readonly commit: { readonly hash: string } | null;
  readonly tenants: Readonly<Record<string, string>>;
}

/** From where on ancestry, signatures and participants count. */
export function lastFollowed(inForce: FollowedBase, { followed }: Approvals): FollowedBase {
  if (followed === null) return inForce;
  return { commit: { hash: followed.commit }, tenants: { ...inForce.tenants, ...followed.tenants } };
}

/**
 * After some tenants advanced by following the ref: the others still count from before the rollback, and so does the
 * source where no commit of it came into force (null).
 */
export function followedAfter(
  { followed }: Approvals,
  activated: string | null,
  tenants: readonly { readonly tenant: string; readonly status: string }[],
): FollowedRevision | null {
  if (followed === null || !tenants.some(({ status }) => status === 'Advances')) return followed;
  const behind = tenants
    .filter(({ status }) => status !== 'Advances')
    .flatMap(({ tenant }) => {
      const hash = followed.tenants[tenant];
      return hash === undefined ? [] : [[tenant, hash] as const];
    });
  const commit = activated ?? followed.commit;
  return behind.length === 0 ? null : { ...followed, commit, tenants: Object.fromEntries(behind) };
}

/** Whether a commit only brings back what was last in force by following the ref: exempt as a rollback is. */
export function isReturnToFollowed(
  { followed, returning }: Approvals,
  commit: string,
  tenants: readonly { readonly tenant: string }[],
): boolean {
  if (followed === null || returning.length > 0) return false;
  return followed.commit === commit && tenants.every(({ tenant }) => followed.tenants[tenant] === commit);
}
