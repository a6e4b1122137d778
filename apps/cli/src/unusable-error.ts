/** The command cannot run: arguments, a path or a file that are of no use. Ends with status 2. */
export class UnusableError extends Error {
  override readonly name = 'UnusableError';
}
