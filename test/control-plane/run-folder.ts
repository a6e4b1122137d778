import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where one control plane keeps its files. */
export interface RunFolder {
  readonly root: string;
  /** One log a process; stays when the control plane has stopped. */
  readonly logs: string;
  /** Database, keys and kubeconfigs; gone when it has stopped. */
  readonly state: string;
}

const prefix = 'plimsoll-control-plane-';
const keepLogsMilliseconds = 24 * 3_600_000;

/** Makes a new run's folder, and removes the logs of runs that ended more than a day ago. */
export function createRunFolder(): RunFolder {
  removeOldLogs();
  const root = mkdtempSync(join(tmpdir(), prefix));
  const folder = { root, logs: join(root, 'logs'), state: join(root, 'state') };
  mkdirSync(folder.logs);
  mkdirSync(folder.state, { mode: 0o700 });
  return folder;
}

function removeOldLogs(): void {
  for (const name of readdirSync(tmpdir()).filter((candidate) => candidate.startsWith(prefix))) {
    const root = join(tmpdir(), name);
    const age = Date.now() - (statSync(root, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > keepLogsMilliseconds && !existsSync(join(root, 'state')))
      rmSync(root, { recursive: true, force: true });
  }
}
