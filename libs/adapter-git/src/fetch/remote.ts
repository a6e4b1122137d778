import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchLimits } from '#git-sync';
import { AdapterError, messageOf } from '#kernel';
import type { CredentialEnvironment } from '../credentials/credentials.ts';
import type { GitProtocol } from '../credentials/protocol-of.ts';
import { loadShallow } from '../objects/load-shallow.ts';
import { hasCode } from '../run/git-failure.ts';
import { maximumHistoryMemoryBytes, maximumLineBytes, sizePollMilliseconds } from '../run/git-limits.ts';
import type { GitRunner } from '../run/git-runner.ts';

/** One talk with the remote. */
export interface RemoteFetch {
  readonly what: string;
  /**
   * `tree:0`: commits alone; `blob:none`: commits and trees; `whole`: all, as if nothing were here yet. A server
   * without filters sends everything.
   */
  readonly filter: 'tree:0' | 'blob:none' | 'all' | 'whole';
  /** Refspecs, or nothing where `objects` are asked for. */
  readonly refspecs?: readonly string[];
  /** Objects by name: nothing is negotiated, only they and what hangs below them travels. */
  readonly objects?: readonly string[];
  readonly limits: FetchLimits;
  /** Whether objects are taken as they are; by default they are checked. */
  readonly isUnchecked?: boolean;
}

/** How one source's remote is reached. */
export interface RemoteAccess {
  readonly folder: string;
  readonly protocol: GitProtocol;
  readonly environment: () => Promise<CredentialEnvironment>;
  /** Drops what was refused; true where there may be another now. */
  readonly renew: () => boolean;
  /** Removes what a fetch's credentials left on disk. */
  readonly tidy: () => Promise<void>;
}

/**
 * Passed with each fetch rather than written into the repository: a read then finds no remote that promised it
 * anything, and says "missing" instead of asking the network.
 */
export const promisor: readonly string[] = [
  '-c',
  'remote.origin.promisor=true',
  '-c',
  'remote.origin.partialclonefilter=blob:none',
];

/**
 * Old tools wrote these into the histories of well-known repositories. Git before 2.45 takes no exceptions for a fetch with
 * a filter, so such a fetch is done again without the check; what is read of the wanted commit is checked by its readers.
 */
const toleratedDefects = /: (?:badTimezone|missingSpaceBeforeDate|zeroPaddedFilemode): /;

/**
 * Runs one bounded fetch, and once more where a kept credential was refused.
 *
 * @throws AdapterError; `FetchTooLarge` where more bytes arrive than allowed.
 */
export async function fetchRemote(
  runner: GitRunner,
  access: RemoteAccess,
  fetch: RemoteFetch,
): Promise<void> {
  try {
    await fetchTolerantly(runner, access, fetch);
  } catch (error) {
    if (!hasCode(error, 'AuthenticationFailed') || !access.renew()) throw error;
    await fetchTolerantly(runner, access, fetch);
  } finally {
    await access.tidy();
  }
}

async function fetchTolerantly(runner: GitRunner, access: RemoteAccess, fetch: RemoteFetch): Promise<void> {
  try {
    await fetchOnce(runner, access, fetch);
  } catch (error) {
    if (!hasCode(error, 'ObjectInvalid') || !toleratedDefects.test(messageOf(error))) throw error;
    await fetchOnce(runner, access, { ...fetch, isUnchecked: true });
  }
}

async function fetchOnce(runner: GitRunner, access: RemoteAccess, fetch: RemoteFetch): Promise<void> {
  const { objects } = fetch;
  const watch = await watchSize(access.folder, fetch);
  try {
    await runner.bytes({
      what: fetch.what,
      args: fetchArguments(fetch, await historyOptions(access.folder, fetch)),
      ...(objects === undefined ? {} : { input: objects.map((id) => `${id}\n`).join('') }),
      environment: {
        ...(await access.environment()),
        GIT_ALLOW_PROTOCOL: access.protocol,
      },
      timeoutMilliseconds: fetch.limits.milliseconds,
      maximumOutputBytes: maximumLineBytes,
      ...(objects === undefined ? { maximumMemoryBytes: maximumHistoryMemoryBytes } : {}),
      signal: watch.signal,
    });
  } finally {
    watch.stop();
  }
}

/**
 * A mirror may be shallow itself; where its history ends, ancestry is not established, which holds. What was cut off is
 * asked for again each time: the mirror may be whole by now, and git would go on without.
 */
async function historyOptions(folder: string, { objects }: RemoteFetch): Promise<readonly string[]> {
  if (objects !== undefined || (await loadShallow(folder)).size === 0) return ['--update-shallow'];
  return ['--update-shallow', '--unshallow'];
}

function fetchArguments(fetch: RemoteFetch, history: readonly string[]): readonly string[] {
  const wants = fetch.objects === undefined ? ['origin', ...(fetch.refspecs ?? [])] : ['--stdin', 'origin'];
  return [
    ...promisor,
    ...(fetch.isUnchecked === true ? ['-c', 'fetch.fsckObjects=false'] : []),
    ...(fetch.objects === undefined ? [] : ['-c', 'fetch.negotiationAlgorithm=noop']),
    'fetch',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--no-auto-maintenance',
    '--force',
    ...history,
    ...scope[fetch.filter],
    ...wants,
  ];
}

const scope: Readonly<Record<RemoteFetch['filter'], readonly string[]>> = {
  'tree:0': ['--filter=tree:0'],
  'blob:none': ['--filter=blob:none'],
  // The promise of the remote would bring a filter of its own.
  all: ['--no-filter'],
  whole: ['--no-filter', '--refetch'],
};

interface SizeWatch {
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

/** Git has no limit for what a fetch brings, so the growing pack is measured while it grows. */
async function watchSize(folder: string, fetch: RemoteFetch): Promise<SizeWatch> {
  const controller = new AbortController();
  const before = await packBytes(folder);
  const timer = setInterval(() => {
    void packBytes(folder).then((now) => {
      if (now - before > fetch.limits.bytes) controller.abort(tooLarge(fetch));
    });
  }, sizePollMilliseconds);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}

async function packBytes(folder: string): Promise<number> {
  const packs = join(folder, 'objects', 'pack');
  const names = await readdir(packs).catch(() => []);
  const sizes = await Promise.all(
    names.map(async (name) =>
      stat(join(packs, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function tooLarge(fetch: RemoteFetch): AdapterError {
  return new AdapterError({
    code: 'FetchTooLarge',
    message: `${fetch.what}: more than ${fetch.limits.bytes} bytes arrived`,
    retryable: false,
  });
}
