/** Of a commit's hash, where a person reads it: a command takes as many. */
const shownDigits = 12;

/** The hash of a commit as sentences and tables have it. */
export function shortHash(hash: string): string {
  return hash.slice(0, shownDigits);
}
