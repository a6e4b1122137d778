import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { openLedgerDatabase } from '#adapter-sql';
import { administrationScope, type DraftOf, LedgerWriter, policyStream } from '#ledger';
import { startSimulator } from '#simulator';
import { startControllerProcess, testToken } from '../e2e/support/controller-process.ts';
import { createPolicyRepository } from '../e2e/support/policy-repository.ts';
import { aDecisionDraft, appended, timeAfter } from '../support/ledger-builders.ts';
import type { Bench, BenchResult } from './bench.ts';
import { takeFence } from './take-fence.ts';

const entryCount = Number(process.env['PLIMSOLL_BENCH_ENTRIES'] ?? 1_000_000);
// The controller inherits the environment, and refuses settings that it does not know.
delete process.env['PLIMSOLL_BENCH_ENTRIES'];
const policyCount = 1_000;
const batchSize = 5_000;
/** Of a hundred entries so many are decisions; the others are runs. */
const decisionsPerHundred = 5;
/** Of one caller, below what may be under way at a time. */
const connections = 8;
const measuredMilliseconds = 10_000;

const page = `query ($after: String) { decisions(first: 50, after: $after) { edges { node {
  id time kind action reason currentReplicas desiredReplicas cluster hash previousHash } } pageInfo { endCursor } } }`;
const one =
  'query ($id: ID!) { decision(id: $id) { id time action reason currentReplicas desiredReplicas } }';

/** GraphQL over HTTP, on the controller as it is built, with persisted queries. */
export const apiBench: Bench = {
  description: `GraphQL on a ledger of ${entryCount.toLocaleString('en-US')} entries, built controller, SQLite`,
  run: measure,
};

async function* measure(): AsyncIterable<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
  const simulator = await startSimulator();
  try {
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    await fill(url);
    yield { case: 'page of 50 decisions, the ledger alone', ...(await measureLedger(url)) };
    await writeFile(join(folder, 'kubeconfig'), simulator.kubeconfigYaml);
    const controller = await startControllerProcess(folder, {
      cluster: { name: 'bench', kubeconfig: join(folder, 'kubeconfig') },
      mode: 'Observe',
      namespaces: ['shop'],
      dataFolder: join(folder, 'data'),
      sources: [{ name: 'policies', url: createPolicyRepository(join(folder, 'policies')).url }],
      database: { url },
    });
    try {
      yield {
        case: 'page of 50 decisions',
        ...(await measureQuery(controller.url, page, pageVariables)),
        budgetPerSecond: 500,
      };
      yield {
        case: 'decision by id',
        ...(await measureQuery(controller.url, one, oneVariables)),
        budgetPerSecond: 4_000,
      };
    } finally {
      await controller.kill();
    }
  } finally {
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const pageVariables = (): object => ({});
const oneVariables = (index: number): object => ({
  id: `${policyStream(policyOf((index * 7) % policyCount))}#1`,
});

function policyOf(index: number): { readonly namespace: string; readonly name: string } {
  return { namespace: `team-${index % 100}`, name: `service-${index}` };
}

/** The first entry of each policy is a decision. */
async function fill(url: string): Promise<void> {
  const database = await openLedgerDatabase({ url });
  try {
    const fence = await takeFence(database.fences, administrationScope);
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'bench' });
    for (let start = 0; start < entryCount; start += batchSize) {
      appended(
        await writer.append({
          drafts: Array.from({ length: batchSize }, (_, index) => draftOf(start + index)),
        }),
      );
    }
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

interface Rate {
  readonly requests: number;
  readonly perSecond: number;
  readonly p99Nanoseconds: number;
}

async function measureQuery(
  url: string,
  query: string,
  variablesOf: (index: number) => object,
): Promise<Rate> {
  const pool = new Pool(url, { connections });
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${testToken}` };
  const ask = async (body: object): Promise<void> => {
    const answer = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || text.includes('"errors"')) throw new Error(text.slice(0, 500));
  };
  try {
    await ask({ query, extensions, variables: variablesOf(0) });
    return await rateOf((index) => ask({ extensions, variables: variablesOf(index) }));
  } finally {
    await pool.close();
  }
}

/** As many at a time as there are connections, each after the one before it. */
async function rateOf(ask: (index: number) => Promise<unknown>): Promise<Rate> {
  const taken: number[] = [];
  const started = performance.now();
  let index = 0;
  const follow = async (): Promise<void> => {
    while (performance.now() - started < measuredMilliseconds) {
      const before = performance.now();
      await ask((index += 1));
      taken.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: connections }, follow));
  const seconds = (performance.now() - started) / 1_000;
  const slowest = taken.toSorted((left, right) => left - right)[Math.floor(taken.length * 0.99)] ?? 0;
  return {
    requests: taken.length,
    perSecond: Math.round(taken.length / seconds),
    p99Nanoseconds: Math.round(slowest * 1e6),
  };
}
