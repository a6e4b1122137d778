import { shortHash } from '#kernel';

/** Null: there is no commit, or it is not known. */
export function shortHashOf(commit: { readonly hash: string } | null): string | null {
  return commit === null ? null : shortHash(commit.hash);
}
