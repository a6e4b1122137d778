import { readFileSync } from 'node:fs';

/** A launcher that is killed takes nothing with it; a port that stays taken for a second longer is noticed by few. */
const lookMilliseconds = 1_000;

/**
 * Calls back once when the process that a supervisor knows is gone, by SIGKILL too: the launcher of `bin/` or the npm of
 * `npm start`. Without it the controller would go on scaling, and keep its port and its ledger, unknown to anything.
 */
export function onLauncherLoss(lost: () => void): void {
  if (process.send !== undefined) followChannel(lost);
  else if (process.env['npm_lifecycle_event'] === 'start') followAncestors(lost);
}

/** The launcher's end of the channel is closed with the launcher, however it ends. */
function followChannel(lost: () => void): void {
  if (!process.connected) {
    lost();
    return;
  }
  process.once('disconnect', lost);
  // What waits for the launcher's end must not keep the process from its own.
  process.channel?.unref();
}

/** npm starts a shell, and the shell this process; a process whose parent has ended gets another one. */
function followAncestors(lost: () => void): void {
  const before = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(timer);
    lost();
  }, lookMilliseconds);
  timer.unref();
}

function ancestors(): string {
  return `${process.ppid} ${parentOf(process.ppid)}`;
}

/** Where there is no procfs, only the parent itself is followed. */
function parentOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold spaces; the state and the parent follow it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '';
  } catch {
    return '';
  }
}
