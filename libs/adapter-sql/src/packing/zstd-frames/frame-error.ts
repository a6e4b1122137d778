/** What is no frame that is decoded here: damaged, or of a form that does not occur in a ledger. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}
