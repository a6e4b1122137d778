import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 2_000;
/** A holder that has not touched its lock for this long is dead, or its machine sleeps. */
const STALE_MS = 30_000;

/**
 * Runs `work` while holding the lock file; waits as long as another live process holds it, and calls `onWait` once then.
 *
 * The lock saves work, it is not what keeps files whole: every artifact is written under a name of its own and renamed.
 * So a heartbeat by modification time is enough, and it also holds between containers, where process ids mean nothing.
 */
export async function withCacheLock(path, work, onWait = () => undefined) {
  mkdirSync(dirname(path), { recursive: true });
  for (let waited = false; !tryLock(path); await sleep(500)) {
    if (!waited) onWait();
    waited = true;
  }
  const heartbeat = setInterval(() => touch(path), HEARTBEAT_MS);
  const unlock = () => rmSync(path, { force: true });
  process.once('exit', unlock);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.removeListener('exit', unlock);
    unlock();
  }
}

function tryLock(path) {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (ageMilliseconds(path) > STALE_MS) rmSync(path, { force: true });
    return false;
  }
}

function ageMilliseconds(path) {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
