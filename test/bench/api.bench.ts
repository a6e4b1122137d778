import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Pool } from 'undici';
import { openLedgerDatabase } from '#adapter-sql';
import { namespacedName } from '#kernel';
import { administrationScope, type DraftOf, LedgerWriter, policyStream } from '#ledger';
import { startSimulator } from '#simulator';
import type { ControllerProcess } from '../e2e/support/controller-process.ts';
import { createPolicyRepository } from '../e2e/support/policy-repository.ts';
import { aDecisionDraft, appended, timeAfter } from '../support/ledger-builders.ts';
import { type AskedRequest, askerOf, connections, measureFastest, type Rate, rateOf } from './asking.ts';
import { measureBare } from './bare-answers.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { measureFanOut, subscriberCount } from './fan-out.ts';
import { usageOf } from './sweep/process-usage.ts';
import { startLaunched } from './sweep/start-launched.ts';
import { takeFence } from './take-fence.ts';
import { measureWhy } from './why-process.ts';

const entryCount = Number(process.env['BENCH_ENTRIES'] ?? 1_000_000);
/** A ledger file that stays, filled where it is missing: of ten million entries, filling takes longer than measuring. */
const keptLedger = process.env['BENCH_LEDGER'];
const policyCount = 1_000;
const batchSize = 5_000;
/** Of a hundred entries so many are decisions; the others are runs. */
const decisionsPerHundred = 5;
/** Of one batch, on a disk that others use, too. */
const fillTimeoutMilliseconds = 600_000;
const budgetP99Nanoseconds = 20e6;

const page = `query ($after: String) { decisions(first: 50, after: $after) { edges { node {
  id time kind action reason currentReplicas desiredReplicas cluster hash previousHash } } pageInfo { endCursor } } }`;
/** Of as many policies as there are, so that few of the decisions have been read lately. */
const pageOfPolicy = page
  .replace('$after: String', '$policy: PolicyNameInput!')
  .replace('after: $after', 'where: { policy: $policy }');
const one =
  'query ($id: ID!) { decision(id: $id) { id time action reason currentReplicas desiredReplicas } }';

/** GraphQL and REST over HTTP, on the controller as it is built; of GraphQL persisted queries. */
export const apiBench: Bench = {
  description: `GraphQL and REST on a ledger of ${entryCount.toLocaleString('en-US')} entries (BENCH_ENTRIES, BENCH_LEDGER for a file that stays), ${subscriberCount} subscribers; built controller, SQLite (--cases questions,fan-out,why)`,
  run: measure,
};

async function* measure({ cases = 'questions,fan-out,why' }: BenchOptions): AsyncIterable<BenchResult> {
  const asked = new Set(cases.split(','));
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
  const simulator = await startSimulator();
  try {
    const file = keptLedger ?? join(folder, 'ledger.db');
    const url = `sqlite:${file}`;
    if (!existsSync(file)) await fill(url);
    if (asked.has('questions')) {
      yield { case: 'page of 50 decisions, the ledger alone', ...(await measureLedger(url)) };
      yield { case: 'page of 50 decisions, SQL alone', ...(await measureSql(url)) };
    }
    await writeFile(join(folder, 'kubeconfig'), simulator.kubeconfigYaml);
    const configuration = {
      cluster: { name: 'bench', kubeconfig: join(folder, 'kubeconfig'), ...movedFrom(file) },
      mode: 'Observe',
      namespaces: ['shop'],
      dataFolder: join(folder, 'data'),
      sources: [{ name: 'policies', url: createPolicyRepository(join(folder, 'policies')).url }],
      database: { url },
      listen: { subscribers: { perCaller: subscriberCount, total: subscriberCount } },
    };
    const controller = await startLaunched(folder, configuration, 'LookedAt');
    try {
      if (asked.has('questions'))
        for (const question of questions) yield* measureQuestion(controller, question);
      if (asked.has('fan-out')) yield await measureFanOut(controller);
      if (asked.has('why')) yield await measureWhy(controller, namespacedName(policyOf(0)));
    } finally {
      await controller.kill();
    }
  } finally {
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is asked of the API over and over. */
interface Question {
  readonly case: string;
  readonly budgetPerSecond: number;
  /** The requests by their numbers. */
  readonly request: AskedRequest;
}

/** Of all decisions of the ledger, in no order that a cache would like. */
function decisionId(index: number): string {
  const rounds = Math.floor(entryCount / policyCount / 100) * decisionsPerHundred;
  const number = (index * 7_919) % (rounds * policyCount);
  const round = Math.floor(number / policyCount);
  const seq = Math.floor(round / decisionsPerHundred) * 100 + (round % decisionsPerHundred) + 1;
  return `${policyStream(policyOf(number % policyCount))}#${seq}`;
}

const questions: readonly Question[] = [
  {
    case: 'page of 50 decisions, GraphQL',
    budgetPerSecond: 500,
    request: () => persisted(page, {}),
  },
  {
    case: 'page of 50 decisions of one of 1,000 policies, GraphQL',
    budgetPerSecond: 500,
    request: (index) => persisted(pageOfPolicy, { policy: policyOf((index * 7) % policyCount) }),
  },
  {
    case: 'decision by id, GraphQL',
    budgetPerSecond: 4_000,
    request: (index) => persisted(one, { id: decisionId(index) }),
  },
  {
    case: 'page of 50 decisions, REST',
    budgetPerSecond: 500,
    request: () => ({ method: 'GET', path: '/api/v1/decisions?first=50' }),
  },
  {
    case: 'page of 50 decisions of one of 1,000 policies, REST',
    budgetPerSecond: 500,
    request: (index) => {
      const { namespace, name } = policyOf((index * 7) % policyCount);
      return { method: 'GET', path: `/api/v1/policies/${namespace}/${name}/decisions?first=50` };
    },
  },
  {
    case: 'page of 50 summaries of one of 1,000 policies, REST',
    budgetPerSecond: 500,
    request: (index) => {
      const policy = namespacedName(policyOf((index * 7) % policyCount));
      return { method: 'GET', path: `/api/v1/decision-summaries?first=50&policy=${policy}` };
    },
  },
  {
    case: 'decision by id, REST',
    budgetPerSecond: 4_000,
    request: (index) => ({ method: 'GET', path: `${decisionPath(index)}?without=input` }),
  },
  {
    case: 'decision by id with its input, REST',
    budgetPerSecond: 4_000,
    request: (index) => ({ method: 'GET', path: decisionPath(index) }),
  },
];

function decisionPath(index: number): string {
  return `/api/v1/decisions/${encodeURIComponent(decisionId(index))}`;
}

function persisted(query: string, variables: object): ReturnType<AskedRequest> {
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, extensions, variables }) };
}

function policyOf(index: number): { readonly namespace: string; readonly name: string } {
  return { namespace: `team-${index % 100}`, name: `service-${index}` };
}

/** A ledger that stays is that of the last bench's cluster. */
function movedFrom(file: string): { readonly movedFrom?: string } {
  const database = new Database(file, { readonly: true });
  const uid: unknown = database.prepare('SELECT cluster_uid FROM ledger_identity').pluck().get();
  database.close();
  return typeof uid === 'string' ? { movedFrom: uid } : {};
}

/** The first entry of each policy is a decision. */
async function fill(url: string): Promise<void> {
  const database = await openLedgerDatabase({ url, timeoutMilliseconds: fillTimeoutMilliseconds });
  try {
    const fence = await takeFence(database.fences, administrationScope);
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'bench' });
    let before: Promise<unknown> = Promise.resolve();
    for (let start = 0; start < entryCount; start += batchSize) {
      const drafts = Array.from({ length: batchSize }, (_, index) => draftOf(start + index));
      // One is chained and packed while the one before it is stored.
      const stored = writer.append({ drafts }).then(appended);
      await before;
      before = stored;
    }
    await before;
  } finally {
    await database.close();
  }
}

function draftOf(index: number): DraftOf<'Decision'> | DraftOf<'DecisionRun'> {
  const policy = policyOf(index % policyCount);
  const time = timeAfter(index);
  const round = Math.floor(index / policyCount);
  if (round % 100 < decisionsPerHundred) return aDecisionDraft({ policy, time, reason: `round ${round}` });
  const folded = { first: time, last: time, count: 60, action: 'None', desiredReplicas: 4 } as const;
  const payload = { policy, ...folded, reason: 'the count is right', metrics: [] };
  return { stream: policyStream(policy), kind: 'DecisionRun', time, payload };
}

async function measureLedger(url: string): Promise<Pick<Rate, 'perSecond' | 'requests'>> {
  const { ledger, close } = await openLedgerDatabase({ url });
  const query = { kinds: ['Decision'], order: 'NewestFirst', limit: 50 } as const;
  const { perSecond, requests } = await rateOf(() => ledger.entries(query));
  await close();
  return { perSecond, requests };
}

/** The statement of such a page in the database, with nothing made of its rows. */
async function measureSql(url: string): Promise<Pick<Rate, 'perSecond' | 'requests'>> {
  const database = new Database(url.replace(/^sqlite:/, ''), { readonly: true });
  const statement = database.prepare(`SELECT entry.*, stream FROM ledger_entry AS entry
    JOIN stream_head ON stream_head.id = entry.stream_id
    WHERE kind = 'Decision' AND payload_hash IS NULL ORDER BY time_nanoseconds DESC, position DESC LIMIT 50`);
  const { perSecond, requests } = await rateOf(() => Promise.resolve(statement.all()));
  database.close();
  return { perSecond, requests };
}

/**
 * As fast as it goes, and then at half of the budget, where the time that an answer takes counts. On a busy machine
 * `perCpuSecond` says what one core would do: it counts all threads of the controller.
 */
async function* measureQuestion(
  { url, pid }: ControllerProcess,
  { budgetPerSecond, request, ...question }: Question,
): AsyncIterable<BenchResult> {
  const pool = new Pool(url, { connections });
  const ask = askerOf(pool, request);
  try {
    const fastest = await measureFastest(ask, pid);
    const bare = await measureBare(request);
    const timesBare = Math.round((10 * bare.perCpuSecond) / fastest.perCpuSecond) / 10;
    yield { ...question, ...fastest, barePerCpuSecond: bare.perCpuSecond, timesBare, budgetPerSecond };
    const waited = await waitedSeconds(pid);
    const half = await rateOf(ask, { maximumPerSecond: budgetPerSecond / 2 });
    const waitedAfter = await waitedSeconds(pid);
    yield {
      case: `${question.case}, at half of it`,
      ...half,
      budgetP99Nanoseconds,
      waitedSeconds: waitedAfter.controller - waited.controller,
      callerWaitedSeconds: waitedAfter.caller - waited.caller,
    };
  } finally {
    await pool.close();
  }
}

/** How long the main threads of the controller and of this process were ready to run and had no core. */
async function waitedSeconds(pid: number): Promise<{ readonly controller: number; readonly caller: number }> {
  const [controller, caller] = await Promise.all([usageOf(pid), usageOf(process.pid)]);
  return { controller: controller.waitedSeconds, caller: caller.waitedSeconds };
}
