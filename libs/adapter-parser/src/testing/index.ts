/** The module of a thread that hangs, dies or throws at files, and in folders, of those names. */
export const misbehavingParser = new URL('./misbehaving-worker.ts', import.meta.url);
