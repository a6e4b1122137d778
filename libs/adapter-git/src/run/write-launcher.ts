import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Starts git with a bounded address space and in a session of its own, so that ending this script ends git and
 * everything that git has started: a transport helper that waits for a silent server would outlive git for ever. The
 * standard input of a background command is /dev/null unless it is passed on under another number.
 */
const launcher = `#!/bin/sh
ulimit -v "$PLIMSOLL_GIT_KIBIBYTES" 2>/dev/null
command -v setsid >/dev/null || exec git "$@"
trap 'kill -s KILL -- "-$!" 2>/dev/null; kill -s KILL "$!" 2>/dev/null' HUP INT TERM
exec 3<&0
setsid git "$@" <&3 3<&- &
exec 3<&- </dev/null
wait "$!"
`;

/** Writes the script that git is started with; answers its path. */
export async function writeLauncher(folder: string): Promise<string> {
  const file = join(folder, 'git-launcher.sh');
  await writeFile(file, launcher, { mode: 0o600 });
  // Of a file that was there the mode stays as it was.
  await chmod(file, 0o600);
  return file;
}
