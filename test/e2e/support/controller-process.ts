import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stringify } from 'yaml';
import { soon } from './soon.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Starting means migrating a database, fetching a repository and listing a cluster, on a busy machine. */
const startTimeoutMilliseconds = 45_000;
const stopTimeoutMilliseconds = 15_000;

/** The token that every test's controller knows. */
export const testToken = 'plm_end-to-end';

/** Knows less: it may only look. */
export const viewerToken = 'plm_viewer';

const commands = {
  startScript: [process.execPath, join(root, 'scripts', 'start.js')],
  launcher: [process.execPath, join(root, 'apps', 'controller', 'bin', 'plimsoll-controller.js')],
  npm: ['npm', 'start', '--silent', '--prefix', root, '--'],
} as const;

/** One line of the controller's JSON log. */
export type LogEntry = Readonly<Record<string, unknown>>;

/** The built controller, running as a process of its own. */
export interface ControllerProcess {
  readonly pid: number;
  /** The latest, where the controller has started anew. */
  readonly url: string;
  readonly log: readonly LogEntry[];
  /** What it wrote last that is no entry of its log: what ends a process without a word in it. */
  readonly rest: readonly string[];
  readonly hasEnded: boolean;
  /** Whether its output is read, as it is from the start; what is not read fills the pipe. */
  readonly readOutput: (isRead: boolean) => void;
  /** Asks GraphQL; rejects when there are errors. */
  readonly query: <T>(text: string, variables?: Readonly<Record<string, unknown>>) => Promise<T>;
  /** SIGKILL: nothing is flushed. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
  /** Resolves when every process that writes to its output has ended: of a launcher, also what it launched. */
  readonly whenAllEnded: () => Promise<void>;
}

/** How a controller is started. */
export interface StartOptions {
  /** What is started: the start script alone, the program of package.json's `bin`, or npm. */
  readonly by?: keyof typeof commands;
  readonly until?: 'LookedAt' | 'Serving' | 'Listening';
  /** Whether it leads a process group, so that a signal can be sent to all of it. */
  readonly ownGroup?: boolean;
  /** Variables beside those of the tests' own environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** How long it may take to start; default 45,000. */
  readonly timeoutMilliseconds?: number;
}

/**
 * Starts the controller on a configuration (tokens, log and ports are filled in), and waits until every
 * source was looked at once; with `Serving`, until it carries policies out; with `Listening`, until its API answers.
 *
 * @throws Error with the end of its output where it ends or takes too long; it does not run on.
 */
export async function startControllerProcess(
  folder: string,
  configuration: object,
  {
    by = 'startScript',
    until = 'LookedAt',
    ownGroup = false,
    environment = {},
    timeoutMilliseconds,
  }: StartOptions = {},
): Promise<ControllerProcess> {
  const file = join(folder, 'plimsoll.yaml');
  await writeFile(file, stringify(completed(configuration)));
  const [program, ...args] = commands[by];
  const child = spawn(program, [...args, '--config', file], {
    cwd: folder,
    detached: ownGroup,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const allEnded = once(child, 'close');
  const log: LogEntry[] = [];
  const rest: string[] = [];
  try {
    const message = until === 'Listening' ? listening : 'carrying out policies';
    await waitForLog(child, { log, rest }, { message, timeoutMilliseconds });
    if (until === 'LookedAt') await waitForFirstLooks(urlIn(log));
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    get url() {
      return urlIn(log);
    },
    log,
    rest,
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    readOutput: (isRead) => {
      if (isRead) child.stdout.resume();
      else child.stdout.pause();
    },
    query: (text, variables) => query(urlIn(log), { query: text, variables: variables ?? {} }),
    kill: async () => {
      child.kill('SIGKILL');
      await exitOf(child);
    },
    stop: () => {
      child.kill('SIGTERM');
      return exitOf(child, log);
    },
    whenAllEnded: async () => {
      const late = AbortSignal.timeout(stopTimeoutMilliseconds);
      await Promise.race([allEnded, once(late, 'abort').then(() => Promise.reject(late.reason as Error))]);
    },
  };
}

interface Given {
  readonly listen?: object;
  readonly auth?: { readonly tokens?: readonly object[] };
}

function completed(configuration: Given): object {
  const requestsPerSecond = { perCaller: 1_000_000, perAddress: 1_000_000 };
  return {
    ...configuration,
    listen: { port: 0, metricsPort: 0, requestsPerSecond, ...configuration.listen },
    auth: {
      ...configuration.auth,
      tokens: [
        { name: 'end-to-end', sha256: sha256Of(testToken), role: 'admin' },
        { name: 'viewer', sha256: sha256Of(viewerToken), role: 'viewer' },
        ...(configuration.auth?.tokens ?? []),
      ],
    },
    log: { format: 'json', level: 'info' },
  };
}

/** As a configuration names a token. */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const listening = 'serving the admin API';

function urlIn(log: readonly LogEntry[]): string {
  return String(log.findLast(({ msg }) => msg === listening)?.['url']);
}

/** What a process has written. */
interface Output {
  readonly log: LogEntry[];
  readonly rest: string[];
}

function waitForLog(
  child: ChildProcess,
  { log, rest }: Output,
  {
    message,
    timeoutMilliseconds = startTimeoutMilliseconds,
  }: { readonly message: string; readonly timeoutMilliseconds: number | undefined },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const tail: string[] = [];
    const fail = (why: string): void => reject(new Error(`${why}\n${tail.join('\n')}`));
    const noteRest = (line: string): void => {
      keepLast(tail, line);
      keepLast(rest, line);
    };
    const timer = setTimeout(() => fail('the controller did not start'), timeoutMilliseconds);
    child.once('exit', (code) => fail(`the controller ended with ${String(code)}`));
    child.once('exit', () => clearTimeout(timer));
    if (child.stderr !== null) createInterface(child.stderr).on('line', noteRest);
    if (child.stdout === null) return;
    createInterface(child.stdout).on('line', (line) => {
      const entry = parseEntry(line);
      if (entry === undefined) {
        noteRest(line);
        return;
      }
      keepLast(tail, line);
      log.push(entry);
      if (entry['msg'] !== message) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

const keptLines = 40;

function keepLast(lines: string[], line: string): void {
  lines.push(line);
  if (lines.length > keptLines) lines.shift();
}

interface LookedAt {
  readonly sources: readonly { readonly lastSync: object | null }[];
}

async function waitForFirstLooks(url: string): Promise<void> {
  await soon('every source is looked at', async () => {
    const { sources } = await query<LookedAt>(url, { query: '{ sources { lastSync { result } } }' });
    return sources.every(({ lastSync }) => lastSync !== null) ? true : undefined;
  });
}

function parseEntry(line: string): LogEntry | undefined {
  try {
    return JSON.parse(line) as LogEntry;
  } catch {
    return undefined;
  }
}

async function query<T>(url: string, body: object): Promise<T> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}` },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = (await response.json()) as { readonly data: T; readonly errors?: readonly unknown[] };
  if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors));
  return answer.data;
}

function exitOf(child: ChildProcess, log: readonly LogEntry[] = []): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      const tail = log.slice(-15).map((entry) => JSON.stringify(entry));
      reject(new Error(`the controller did not end; its last lines:\n${tail.join('\n')}`));
    }, stopTimeoutMilliseconds);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}
