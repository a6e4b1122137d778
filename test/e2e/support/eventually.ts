/** How long something may take that usually takes a second: the machine may be busy. */
const defaultTimeoutMilliseconds = 40_000;
const pollMilliseconds = 200;

/** What is waited for. */
export interface Expectation<T> {
  readonly description: string;
  /** undefined: not yet. */
  readonly probe: () => Promise<T | undefined> | T | undefined;
  readonly timeoutMilliseconds?: number;
}

/** Asks until there is an answer; a probe that throws is asked again, and its last error is told at the end. */
export async function eventually<T>(expectation: Expectation<T>): Promise<T> {
  const { description, probe, timeoutMilliseconds = defaultTimeoutMilliseconds } = expectation;
  const end = Date.now() + timeoutMilliseconds;
  let last: unknown = 'nothing yet';
  while (Date.now() < end) {
    try {
      const found = await probe();
      if (found !== undefined) return found;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
  throw new Error(`not within ${timeoutMilliseconds} ms: ${description} (${String(last)})`);
}
