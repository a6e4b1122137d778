import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide, parseDecideInput } from '#decision';
import { arbitraryInput } from './support/arbitrary-input.ts';
import { compareAnswers } from './support/compare-answers.ts';
import { askUpstream } from './support/upstream-answer.ts';

const cases = Number(process.env['PLIMSOLL_UPSTREAM_CASES'] ?? 2_000);
const seed = Number(process.env['PLIMSOLL_UPSTREAM_SEED'] ?? 20_261_120);
/** Inputs a batch: bounds what is in memory at once. */
const batch = 2_000;
/** A first build takes about four minutes. */
const buildTimeoutMilliseconds = 900_000;
const runTimeoutMilliseconds = 3_600_000;

let program = '';

beforeAll(() => {
  const build = join(import.meta.dirname, 'build.mjs');
  program = execFileSync(process.execPath, [build], { encoding: 'utf8' }).trim();
}, buildTimeoutMilliseconds);

describe('the HPA controller of Kubernetes and decide', () => {
  it(
    `answer ${String(cases)} generated inputs alike`,
    async () => {
      for (let done = 0; done < cases; done += batch)
        await expectAgreement({ seed: seed + done, count: Math.min(batch, cases - done) });
    },
    runTimeoutMilliseconds,
  );
});

async function expectAgreement(run: { readonly seed: number; readonly count: number }): Promise<void> {
  const inputs = fc.sample(arbitraryInput, { seed: run.seed, numRuns: run.count });
  const answers = await askUpstream(program, inputs);
  expect(answers).toHaveLength(inputs.length);
  for (const [index, input] of inputs.entries()) {
    const parsed = parseDecideInput(input);
    const answer = answers[index];
    if (!parsed.ok || answer === undefined) throw new Error(`no answer to ${JSON.stringify(input)}`);
    const { ours, theirs } = compareAnswers(decide(parsed.value), answer);
    // The input is in both, so that a difference prints what it came from.
    const line = JSON.stringify(input);
    expect({ line, ...ours }).toEqual({ line, ...theirs });
  }
}
