/** What is run, and by what: `end` resolves to what the next one is started with; null: there is none. */
export interface Runs<Options, Running> {
  readonly start: (options: Options) => Promise<Running>;
  readonly end: (running: Running, options: Options) => Promise<Options | null>;
}

/**
 * Runs one after the other until one was the last. Those that have ended are not kept, however many there are: each is as
 * large as a controller.
 */
export async function runOneAfterAnother<Options extends object, Running>(
  first: Options,
  { start, end }: Runs<Options, Running>,
): Promise<void> {
  for (let next: Options | null = first; next !== null;) next = await end(await start(next), next);
}
