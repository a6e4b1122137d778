import { openInput, UnreadableFileError } from './open-input.ts';
import type { Streams } from './run-decide.ts';

/** Could not run at all. */
const UNUSABLE = 2;

/** Runs a command over a file or standard input, and sets the exit status; a reader that goes away ends it quietly. */
export async function runCommand(
  file: string | undefined,
  run: (streams: Streams) => Promise<number>,
): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    throw error;
  });
  try {
    process.exitCode = await run({ input: await openInput(file), output: process.stdout });
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    process.stderr.write(`plimsoll: ${error.message}\n`);
    process.exitCode = UNUSABLE;
  }
}
