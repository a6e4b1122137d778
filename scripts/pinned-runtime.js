// What the two programs of package.json's "bin" share: the build that they run, and the runtime that the lockfile pins.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

/** The first release with everything that the sources use; older ones hand over to the pinned runtime. */
export const oldestMajor = 24;

/**
 * For glibc's allocator: few arenas, and large buffers apart from the small ones, so that what is freed goes back to
 * the machine. It reads these once, when a process begins.
 */
export const allocatorSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** Libraries that are loaded from now on leave out what helps who develops with them; what is set already stays. */
export function runForUse() {
  process.env.NODE_ENV ??= 'production';
}

/** The built module of a source file below the root; ends the process with status 2 where it is not built. */
export function builtModule(path) {
  const built = new URL(`../dist/${path}`, import.meta.url);
  if (existsSync(built)) return built.href;
  process.stderr.write('plimsoll: not built yet; run `npm run build` first\n');
  process.exit(2);
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program again on a runtime, and ends as it ends. The program has a channel to this process, which breaks when
 * this process is killed ({@link endWithLauncher}). A first signal breaks it too: a terminal, or a kill of the group,
 * sends the program the same signal itself, and it must not take one request to end for two. `reloads`: SIGHUP asks the
 * program to read its configuration anew, unless the terminal was closed.
 */
export function handOver(runtime, file, { flags = [], environment = {}, reloads = false } = {}) {
  if (runtime === undefined) {
    process.stderr.write(`plimsoll: needs Node ${oldestMajor} or newer, or the packages of \`npm ci\`\n`);
    process.exit(2);
  }
  const child = spawn(runtime, [...flags, fileURLToPath(file), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // What is set already stays.
    env: { ...environment, ...process.env },
  });
  const end = () => (child.connected ? child.disconnect() : child.kill('SIGKILL'));
  const hadTerminal = hasTerminal();
  const hangUp = () => (reloads && !(hadTerminal && !hasTerminal()) ? child.kill('SIGHUP') : end());
  for (const signal of signals) process.on(signal, signal === 'SIGHUP' ? hangUp : end);
  child.on('exit', (status, signal) => {
    if (signal === null) process.exit(status ?? 2);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** A terminal that was closed is none any more. */
function hasTerminal() {
  return [0, 1, 2].some((descriptor) => isatty(descriptor));
}

/** Ends this process when its launcher is gone; for a program that does nothing of its own about it. */
export function endWithLauncher() {
  if (process.send === undefined) return;
  if (!process.connected) process.kill(process.pid, 'SIGTERM');
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** Node of the platform's package; undefined where there is none. */
export function pinnedRuntime() {
  const { resolve } = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    try {
      return resolve(`${name}/bin/node${platform === 'win' ? '.exe' : ''}`);
    } catch {
      // Not the package of this platform; the next may be.
    }
  }
  return undefined;
}

/** Whether this process runs on a runtime that is recent enough. */
export function isRecent() {
  return Number(process.versions.node.split('.')[0]) >= oldestMajor;
}
