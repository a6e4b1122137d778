import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RunFolder } from './run-folder.ts';

/** A program to run until it is stopped. */
interface ProcessSpec {
  /** Unique among the running ones; also the log file's name. */
  readonly name: string;
  readonly command: string;
  /** What the program is told it is called (`argv[0]`); left out: its path. */
  readonly programName?: string | undefined;
  readonly arguments: readonly string[];
}

/** The processes of one control plane. All of them end with this process, however it ends. */
export interface SupervisedProcesses {
  readonly start: (spec: ProcessSpec) => void;
  /** Kills the process and waits until it is gone; does nothing where it is not running. */
  readonly stop: (name: string) => Promise<void>;
  /** Why a process that was started is not running: `exit code 1`, `SIGKILL`; undefined while it runs. */
  readonly endOf: (name: string) => string | undefined;
  /** Kills all and removes the run's state. */
  readonly stopAll: () => Promise<void>;
}

const supervisorProgram = fileURLToPath(new URL('./supervisor.mjs', import.meta.url));

type SupervisorEvent =
  | {
      readonly event: 'exit';
      readonly name: string;
      readonly code: number | null;
      readonly signal: string | null;
    }
  | { readonly event: 'error'; readonly name: string; readonly message: string };

/** Starts the supervisor, a process of its own that holds the others. */
export function superviseProcesses(folder: RunFolder): SupervisedProcesses {
  const supervisor = spawnSupervisor(folder);
  const ends = new Map<string, string>();
  const waiting = new Map<string, () => void>();
  const finish = (name: string, reason: string): void => {
    ends.set(name, reason);
    waiting.get(name)?.();
  };
  onEvent(supervisor, (event) => finish(event.name, describe(event)));
  const send = (order: object): boolean | undefined => supervisor.stdin?.write(`${JSON.stringify(order)}\n`);
  const started = new Set<string>();
  const isRunning = (name: string): boolean => started.has(name) && !ends.has(name);
  supervisor.once('exit', () =>
    [...started].filter(isRunning).forEach((name) => finish(name, 'the supervisor is gone')),
  );
  return {
    start: (spec) => {
      if (isRunning(spec.name)) throw new Error(`${spec.name} is running already`);
      ends.delete(spec.name);
      started.add(spec.name);
      send({ do: 'start', ...spec, log: join(folder.logs, `${spec.name}.log`) });
    },
    stop: async (name) => {
      if (!isRunning(name)) return;
      const gone = new Promise<void>((resolve) => waiting.set(name, resolve));
      send({ do: 'stop', name });
      await gone;
    },
    endOf: (name) => ends.get(name),
    stopAll: () => end(supervisor),
  };
}

function spawnSupervisor(folder: RunFolder): ChildProcess {
  const errors = openSync(join(folder.logs, 'supervisor.log'), 'a');
  // Detached: a Ctrl-C meant for the test would reach its group, and the processes would end in any order.
  const supervisor = spawn(process.execPath, [supervisorProgram, folder.state], {
    detached: true,
    stdio: ['pipe', 'pipe', errors],
  });
  closeSync(errors);
  letGo(supervisor);
  // Writing to a supervisor that is gone is no news: `endOf` says so.
  supervisor.stdin?.on('error', () => undefined);
  supervisor.once('exit', () => killGroup(supervisor.pid));
  return supervisor;
}

/** A test that forgets to stop must still end; its end closes the supervisor's input. */
function letGo(supervisor: ChildProcess): void {
  supervisor.unref();
  for (const stream of [supervisor.stdin, supervisor.stdout]) (stream as Socket | null)?.unref();
}

/** Also where the supervisor alone was killed: its children are still in its process group. */
function killGroup(leader: number | undefined): void {
  if (leader === undefined || process.platform === 'win32') return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // No process is left, as it should be.
  }
}

function onEvent(supervisor: ChildProcess, handle: (event: SupervisorEvent) => void): void {
  if (supervisor.stdout === null) throw new Error('the supervisor has no output');
  createInterface({ input: supervisor.stdout }).on('line', (line) =>
    handle(JSON.parse(line) as SupervisorEvent),
  );
}

function describe(event: SupervisorEvent): string {
  if (event.event === 'error') return event.message;
  return event.signal ?? `exit code ${event.code ?? 'unknown'}`;
}

async function end(supervisor: ChildProcess): Promise<void> {
  if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
  supervisor.ref();
  const gone = once(supervisor, 'exit');
  supervisor.stdin?.end();
  await gone;
}
