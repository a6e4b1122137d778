import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openLedgerDatabase } from '#adapter-sql';
import { type EntryDraft, LedgerWriter, shardScope } from '#ledger';
import { exportLedger } from '../../apps/cli/src/audit/export-ledger.ts';
import { verifyExport } from '../../apps/cli/src/audit/verify-export.ts';
import { aDecisionDraft, anEventDraft, appended, timeAfter } from '../support/ledger-builders.ts';
import type { Bench, BenchResult } from './bench.ts';
import { takeFence } from './take-fence.ts';

/** How much is measured; the budget is of 10 million entries. */
const entryCount = Number(process.env['BENCH_ENTRIES'] ?? 1_000_000);
const policyCount = 1_000;
const batchSize = 1_000;
/** One in so many is a decision in full. */
const entriesPerDecision = 50;
const minimumPerSecond = 100_000;

/** An export of a ledger of the usual mix, and its verification. */
export const auditBench: Bench = {
  description: `an export of ${entryCount.toLocaleString('en-US')} entries, 2 % of them decisions, and its verification`,
  async *run() {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
    try {
      const database = `sqlite:${join(folder, 'ledger.db')}`;
      await fill(database);
      const output = join(folder, 'export');
      yield await measure('export', () => exportLedger({ database, output }, aTerminal()));
      const bytes = await sizeOf(output);
      const verified = await measure('verify', () => verifyExport(output, { format: 'json' }, aTerminal()));
      yield { ...verified, meanBytes: bytes / entryCount, minimumPerSecond };
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function fill(url: string): Promise<void> {
  const database = await openLedgerDatabase({ url });
  const writer = new LedgerWriter({
    port: database.ledger,
    fence: await takeFence(database.fences, shardScope(0)),
    cluster: 'bench',
  });
  for (let start = 0; start < entryCount; start += batchSize) {
    const drafts = Array.from({ length: Math.min(batchSize, entryCount - start) }, (_, at) =>
      draftOf(start + at),
    );
    appended(await writer.append({ drafts }));
  }
  await database.close();
}

function draftOf(index: number): EntryDraft {
  const policy = { namespace: `team-${index % 10}`, name: `service-${index % policyCount}` };
  const time = timeAfter(index % 1_000);
  return index % entriesPerDecision === 0
    ? aDecisionDraft({ policy, time })
    : anEventDraft({ policy, to: index % 100 }, time);
}

async function measure(name: string, work: () => Promise<unknown>): Promise<BenchResult> {
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1_000;
  clearInterval(sampling);
  const { user, system } = process.cpuUsage(cpu);
  return {
    case: name,
    entries: entryCount,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    perSecond: entryCount / seconds,
    peakBytes: peak,
  };
}

async function sizeOf(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('entries-'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function aTerminal(): Parameters<typeof exportLedger>[1] {
  const stream = (): PassThrough => new PassThrough().resume();
  return {
    input: stream(),
    output: stream(),
    messages: stream(),
    environment: {},
    isColoured: false,
    isFollowed: false,
  };
}
