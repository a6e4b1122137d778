import type { Readable, Writable } from 'node:stream';
import { printable } from './printable.ts';
import { UnusableError } from './unusable-error.ts';

/** What a command is run with: it reaches for nothing of the process itself. */
export interface Terminal {
  readonly input: Readable;
  /** What was asked for. */
  readonly output: Writable;
  /** Everything else: notes, progress, what was left out. */
  readonly messages: Writable;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the output is read by a person who wants colours. */
  readonly isColoured: boolean;
  /** Whether a person follows the messages. */
  readonly isFollowed: boolean;
  /** Whether the output is a screen, which can be cleared; absent: it is not. */
  readonly isScreen?: boolean;
  /** How many characters a line of the screen has; absent: the output is none. */
  readonly width?: number;
  /** A signal that the command is to end; absent: it ends by itself. */
  readonly whenInterrupted?: () => AbortSignal;
}

/** 0 done, nothing wrong; 1 done, and something is wrong with what was read; 2 could not run; 3 done, not proven. */
export type ExitStatus = 0 | 1 | 2 | 3;

/** Runs a command with the process's streams and environment, and sets the process's exit status. */
export async function runCommand(
  command: (terminal: Terminal) => ExitStatus | Promise<ExitStatus>,
): Promise<void> {
  // The YAML parser looks into the environment at every token, which is slow through Node's live object.
  process.env = { ...process.env };
  const { stdin, stdout, stderr, env } = process;
  try {
    process.exitCode = await command({
      input: stdin,
      output: stdout,
      messages: stderr,
      environment: env,
      isColoured: stdout.isTTY && !env['NO_COLOR'],
      isFollowed: stderr.isTTY,
      isScreen: stdout.isTTY,
      // A screen that does not know its width says 0.
      ...(stdout.isTTY && stdout.columns > 0 ? { width: stdout.columns } : {}),
      whenInterrupted,
    });
  } catch (error) {
    if (!(error instanceof UnusableError)) throw error;
    for (const line of error.message.split('\n')) stderr.write(`plimsoll: ${printable(line)}\n`);
    process.exitCode = error.status satisfies ExitStatus;
  }
}

/** Aborted by the first SIGINT or SIGTERM, which then end nothing themselves; a second one ends the process. */
function whenInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
