/**
 * The message of whatever was caught. It does not ask for `instanceof Error`: an error of another realm (a worker, a
 * test's sandbox) is none to this one's `Error`.
 */
export function messageOf(caught: unknown): string {
  if (typeof caught === 'object' && caught !== null && 'message' in caught) return String(caught.message);
  return String(caught);
}
