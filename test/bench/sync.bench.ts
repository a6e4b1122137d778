import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { GitAdapter } from '#adapter-git';
import { ParserPool } from '#adapter-parser';
import { openLedgerDatabase, SqlPullRequestStore, SqlRevisionStore } from '#adapter-sql';
import {
  ActivePolicySet,
  ConfiguredSource,
  defaultBlastRadius,
  defaultFetchLimits,
  type SourceConfiguration,
} from '#git-sync';
import { namespacedName } from '#kernel';
import { HeldFences, LedgerWriter, loadEarlierReplicas, sourceScope } from '#ledger';
import { defaultRepositoryLimits } from '#repository';
import { systemClock } from '../../apps/controller/src/configuration/system-clock.ts';
import { LedgerSyncJournal } from '../../apps/controller/src/git-sync/ledger-sync-journal.ts';
import type { Bench, BenchResult } from './bench.ts';
import { takeFence } from './take-fence.ts';

const run = promisify(execFile);

const policies = 10_000;
const folders = 100;

/** First sync, one changed file, 1,000 changed files and a force-push, over a real repository and SQLite. */
export const syncBench: Bench = {
  description: `a repository of ${policies} policies, over file:// and SQLite`,
  run: measure,
};

async function* measure(): AsyncIterable<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
  try {
    yield* measureIn(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* measureIn(folder: string): AsyncIterable<BenchResult> {
  const origin = join(folder, 'origin');
  await mkdir(origin);
  await git(origin, 'init', '--quiet', '--initial-branch=main');
  await git(origin, 'config', 'uploadpack.allowFilter', 'true');
  await commit(origin, policies, 10);
  const database = await openLedgerDatabase({ url: `sqlite:${join(folder, 'ledger.db')}` });
  const fence = await takeFence(database.fences, sourceScope('bench'));
  const fences = new HeldFences([fence]);
  const clock = systemClock((work) => {
    HoldMonitor.work = work;
  });
  const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'bench', clock });
  const pullRequests = new SqlPullRequestStore(database.sql, fences);
  const active = new ActivePolicySet();
  const parser = new ParserPool();
  const sync = new ConfiguredSource(configuration(origin), {
    git: await GitAdapter.create({ folder: join(folder, 'git'), now: () => Date.now() }),
    store: new SqlRevisionStore(database.sql, fences),
    journal: new LedgerSyncJournal({ writer, fences, ledger: database.ledger, pullRequests }),
    clock,
    parser,
    active,
    presentReplicas: (changed) =>
      Promise.resolve(new Map(changed.map((policy) => [namespacedName(policy), 1]))),
    earlierReplicas: (lowered) => loadEarlierReplicas(database.ledger, lowered),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
  });
  yield await timed('first sync', sync);
  yield await timed('nothing new', sync);
  await commit(origin, 1, 11);
  yield await timed('one changed file', sync);
  await commit(origin, 1_000, 12);
  yield await timed('1,000 changed files', sync);
  await commit(origin, 1, 13, '--amend');
  yield await timed('force-push, held', sync);
  await parser.close();
  await database.close();
}

async function timed(name: string, sync: ConfiguredSource): Promise<BenchResult> {
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const holds = new HoldMonitor();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { result } = await sync.sync();
  const milliseconds = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  loop.disable();
  const longestHold = holds.end();
  return {
    case: name,
    policies,
    result,
    milliseconds,
    cpuMilliseconds: (user + system) / 1000,
    // What a request or a decision waits for; a turn of the loop that does nothing counts as the resolution.
    loopDelayP99Milliseconds: loop.percentile(99) / 1e6,
    loopDelayMaximumMilliseconds: loop.max / 1e6,
    // Of the main thread's own time, and what was under way: other processes of the machine do not count.
    loopHoldMaximumMilliseconds: longestHold.milliseconds,
    loopHeldBy: longestHold.work,
    // Of the process and all its threads, since its start.
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
}

/** Measures the longest time that the main thread itself spent between two turns of the loop. */
class HoldMonitor {
  /** What began last, as the syncs say. */
  static work = '';
  readonly #beat: NodeJS.Timeout;
  #last = process.threadCpuUsage();
  #longest = { milliseconds: 0, work: '' };

  constructor() {
    this.#beat = setInterval(() => this.#note(), 1);
  }

  end(): { readonly milliseconds: number; readonly work: string } {
    clearInterval(this.#beat);
    this.#note();
    return this.#longest;
  }

  #note(): void {
    const now = process.threadCpuUsage();
    const milliseconds = (now.user - this.#last.user + now.system - this.#last.system) / 1000;
    if (milliseconds > this.#longest.milliseconds) this.#longest = { milliseconds, work: HoldMonitor.work };
    this.#last = now;
  }
}

function configuration(origin: string): SourceConfiguration {
  return {
    location: { source: 'bench', url: `file://${origin}`, ref: 'refs/heads/main' },
    repository: { path: '', include: [], exclude: [], tenants: [], limits: defaultRepositoryLimits },
    hasForge: false,
    blastRadius: { ...defaultBlastRadius, targets: policies },
    fetchLimits: defaultFetchLimits,
    read: {},
  };
}

async function commit(
  origin: string,
  count: number,
  ...[maximum, option]: readonly [number, string?]
): Promise<void> {
  for (let index = 0; index < folders; index += 1)
    await mkdir(join(origin, `team-${index}`), { recursive: true });
  for (let index = 0; index < count; index += 1)
    await writeFile(join(origin, `team-${index % folders}`, `p${index}.yaml`), policyText(index, maximum));
  await git(origin, 'add', '--all');
  await git(origin, 'commit', '--quiet', '--message=policies', ...(option === undefined ? [] : [option]));
}

function policyText(index: number, maximum: number): string {
  return `# Policy ${index}
apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata:
  name: p${index}
  namespace: team-${index % folders}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: p${index} }
  minReplicas: 2
  maxReplicas: ${maximum}
  metrics:
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: 60, tolerance: 0.05 } }
    - type: External
      external:
        metric: { name: requests, selector: { matchLabels: { service: p${index} } } }
        target: { type: AverageValue, averageValue: 150m }
  behavior:
    scaleDown: { stabilizationWindowSeconds: 300, policies: [{ type: Percent, value: 50, periodSeconds: 60 }] }
`;
}

async function git(folder: string, ...args: readonly string[]): Promise<void> {
  await run('git', [...args], {
    cwd: folder,
    maxBuffer: 16 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Bench',
      GIT_AUTHOR_EMAIL: 'bench@example.com',
      GIT_COMMITTER_NAME: 'Bench',
      GIT_COMMITTER_EMAIL: 'bench@example.com',
    },
  });
}
