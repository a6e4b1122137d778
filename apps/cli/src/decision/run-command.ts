import { openInput, UnreadableFileError } from './open-input.ts';
import type { Streams } from './run-decide.ts';

/** Could not run at all. */
const unusable = 2;

/** Runs a command over a file or standard input, and sets the exit status. */
export async function runCommand(
  file: string | undefined,
  run: (streams: Streams) => Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await run({ input: await openInput(file), output: process.stdout });
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    process.stderr.write(`plimsoll: ${error.message}\n`);
    process.exitCode = unusable;
  }
}
