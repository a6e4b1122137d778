import { expect, it } from '@jest/globals';
import { FakeClock, FakeWindows } from '#reconciliation/testing';
import type { Principal } from '../../auth/callers/principal.ts';
import { listedPolicies } from '../testing/listed-policies.ts';
import { PolicyCharts } from './policy-charts.ts';

const caller: Principal = { name: 'viewer', grants: [{ role: 'viewer', namespaces: ['*'] }] };
const policy = { namespace: 'shop', name: 'web' };

/** Asks a question whose every read is told of, with more to read each time. */
type Question = (onRead: () => void, signal: AbortSignal) => Promise<unknown>;

const policiesOfStates: Question = (onRead, signal) =>
  listedPolicies(3_000, onRead).listPolicies(caller, { first: 1 }, { states: ['Short'], signal });

/** Of a policy with versions, or with rows, without end. */
const chartOf =
  (endless: 'Versions' | 'Rows'): Question =>
  (onRead, signal) => {
    const clock = new FakeClock();
    const validFrom = clock.now();
    const versions = Array.from({ length: 100 }, () => ({
      version: { document: null, validFrom, validTo: null },
      place: { time: validFrom, revision: 1 },
    }));
    const charts = new PolicyCharts({
      clock,
      windows: new FakeWindows(),
      sources: {
        listVersions: () => {
          if (endless === 'Versions') onRead();
          return Promise.resolve([endless === 'Versions' ? versions : []]);
        },
      },
      series: {
        completeUntil: () => 0,
        read: async function* () {
          await Promise.resolve();
          for (let row = 0; row < 1_000; row += 1) {
            onRead();
            yield { rows: 0, columns: [] };
          }
        },
      },
    } as unknown as ConstructorParameters<typeof PolicyCharts>[0]);
    const from = new Date(Date.parse(validFrom) - 3_600_000).toISOString();
    return charts.chart(caller, policy, { from, steps: 10, signal });
  };

it.each([
  { name: 'policies in a state', question: policiesOfStates },
  { name: 'the versions behind a chart', question: chartOf('Versions') },
  { name: 'the rows of a chart', question: chartOf('Rows') },
])('reads no more of $name for a caller who has left', async ({ question }) => {
  const leaving = new AbortController();
  const left = new Error('it has left');
  let reads = 0;
  const answered = question(() => {
    reads += 1;
    leaving.abort(left);
  }, leaving.signal);
  await expect(answered).rejects.toBe(left);
  expect(reads).toBe(1);
});
