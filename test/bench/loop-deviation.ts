import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { LedgerWriter, sourceScope } from '#ledger';
import type { ReportRequest } from '#report';
import { makeReport } from '../../apps/controller/src/reports/report-thread.ts';
import { anEventDraft, appended } from '../support/ledger-builders.ts';
import type { BenchResult } from './bench.ts';
import { takeFence } from './take-fence.ts';

const intervalMilliseconds = 10;
/** As a sweep of some hundred policies appends. */
const entriesPerAppend = 200;
const appendEveryTicks = 25;
const maximumReportBytes = 1024 ** 3;

/**
 * How late timers of the main thread are that appends to a ledger of SQLite, without and with reports being made of it, one
 * after the other, on their thread. The time for which the main thread was ready and had no core is left out, where the
 * system tells it.
 */
export async function measureDeviation(
  url: string,
  { request, seconds }: { readonly request: ReportRequest; readonly seconds: number },
): Promise<BenchResult> {
  const database = await openLedgerDatabase({ url });
  const folder = await mkdtemp(`${url.replace(/^sqlite:/, '')}-reports-`);
  try {
    const alone = await deviations(database, sleep(seconds * 1_000));
    let reports = 0;
    const end = performance.now() + seconds * 1_000;
    const making = async (): Promise<void> => {
      while (performance.now() < end) {
        const file = join(folder, `${(reports += 1)}.csv`);
        const task = { url, request, format: 'csv', file, maximumBytes: maximumReportBytes } as const;
        await makeReport(task, new AbortController().signal);
        await rm(file);
      }
    };
    const beside = await deviations(database, making());
    return {
      case: 'deviation of the loop while reports are made',
      seconds,
      reports,
      aloneP99Milliseconds: alone.p99,
      aloneMaximumMilliseconds: alone.maximum,
      p99Milliseconds: beside.p99,
      maximumMilliseconds: beside.maximum,
      budgetMaximumMilliseconds: 100,
    };
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
}

interface Deviations {
  readonly p99: number;
  readonly maximum: number;
}

async function deviations({ ledger, fences }: LedgerDatabase, until: Promise<unknown>): Promise<Deviations> {
  const scope = sourceScope('bench');
  const fence = await takeFence(fences, scope);
  const writer = new LedgerWriter({ port: ledger, fence, cluster: 'bench' });
  const late: number[] = [];
  let appending: Promise<unknown> = Promise.resolve();
  const ended = new AbortController();
  const done = until.finally(() => ended.abort());
  for (let tick = 0; !ended.signal.aborted; tick += 1) {
    if (tick % appendEveryTicks === 0) {
      const drafts = Array.from({ length: entriesPerAppend }, (_, index) =>
        anEventDraft({ policy: { namespace: 'team', name: `beside-${index}` } }, new Date().toISOString()),
      );
      appending = writer.append({ drafts }).then(appended);
    }
    const waited = waitedMilliseconds();
    const started = performance.now();
    await sleep(intervalMilliseconds);
    const deviation = performance.now() - started - intervalMilliseconds;
    late.push(Math.max(0, deviation - (waitedMilliseconds() - waited)));
  }
  await Promise.all([done, appending]);
  await fences.giveUp([fence]);
  late.sort((a, b) => a - b);
  return { p99: rounded(late[Math.floor(late.length * 0.99)]), maximum: rounded(late.at(-1)) };
}

function rounded(milliseconds = 0): number {
  return Number(milliseconds.toFixed(1));
}

/** For how long the main thread has been ready and had no core; 0 where the system does not tell. */
function waitedMilliseconds(): number {
  return isTold ? Number(readFileSync(schedule, 'utf8').split(' ')[1]) / 1e6 : 0;
}

const schedule = '/proc/self/schedstat';
const isTold = existsSync(schedule);
