/** What is written has gone by then. */
const lingeringMilliseconds = 1_000;

/**
 * Ends the process once everything is closed. It ends by itself where nothing is left; what was given up, such as a request
 * to a server that hangs, would keep it for as long as that takes.
 */
export function endProcess(): void {
  setTimeout(() => process.exit(), lingeringMilliseconds).unref();
}
