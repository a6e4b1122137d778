/** Of a commit's hash, where a person reads it: a command takes as many. */
export const shownDigits = 12;

/** Null: there is no commit, or it is not known. */
export function shortHash(commit: { readonly hash: string } | null): string | null {
  return commit?.hash.slice(0, shownDigits) ?? null;
}
