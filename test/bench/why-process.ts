import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testToken } from '../e2e/support/controller-process.ts';
import type { BenchResult } from './bench.ts';

const program = join(import.meta.dirname, '..', '..', 'apps', 'cli', 'bin', 'plimsoll.js');
const runs = 20;
const budgetNanoseconds = 300e6;
const run = promisify(execFile);

/** `plimsoll why` of the built command line, from the start of its process to its end, one after the other. */
export async function measureWhy({ url }: { readonly url: string }, policy: string): Promise<BenchResult> {
  const env = { PATH: process.env['PATH'], PLIMSOLL_SERVER: url, PLIMSOLL_TOKEN: testToken };
  const taken: number[] = [];
  for (let index = 0; index < runs; index += 1) {
    const started = performance.now();
    const { stdout } = await run(process.execPath, [program, 'why', policy], { env });
    taken.push(performance.now() - started);
    if (!stdout.includes('commit')) throw new Error(stdout);
  }
  taken.sort((left, right) => left - right);
  return {
    case: 'plimsoll why, the whole process',
    runs,
    p50Nanoseconds: Math.round((taken[runs / 2] ?? 0) * 1e6),
    slowestNanoseconds: Math.round((taken.at(-1) ?? 0) * 1e6),
    budgetNanoseconds,
  };
}
