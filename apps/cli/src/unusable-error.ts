/** The command cannot run: arguments, a path or a file that are of no use. Ends with status 2. */
export class UnusableError extends Error {
  override readonly name: string = 'UnusableError';
  readonly status: 1 | 2 = 2;
}

/** What was to be read was changed by another than Plimsoll, so that nothing is made of it. Ends with status 1. */
export class BrokenLedgerError extends UnusableError {
  override readonly name = 'BrokenLedgerError';
  override readonly status = 1;
}
