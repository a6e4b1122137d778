import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LedgerFault } from '#ledger/testing';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { FakeWriteFault } from '../ports/scale.fake.ts';
import type { Reconciler } from '../reconciler.ts';
import { flushMicrotasks, queryOf, World } from '../testing/a-world.ts';

/** One thing that breaks, or a crash of the whole process. */
type Disaster =
  | { readonly part: 'Metrics'; readonly how: 'Hangs' | 'Rejects' | 'Empty' | 'NotANumber' }
  | { readonly part: 'Pods' | 'Autoscalers' | 'Scale' | 'Windows' }
  | { readonly part: 'Ledger'; readonly fault: LedgerFault }
  | { readonly part: 'Write'; readonly fault: FakeWriteFault }
  | { readonly part: 'Process' }
  /** Every request that was held up arrives. */
  | { readonly part: 'Network' };

const taken = fc.constantFrom('Yes' as const, 'No' as const);
const disaster: fc.Arbitrary<Disaster> = fc.oneof(
  fc.record({
    part: fc.constant('Metrics' as const),
    how: fc.constantFrom('Hangs' as const, 'Rejects' as const, 'Empty' as const, 'NotANumber' as const),
  }),
  fc.record({
    part: fc.constantFrom('Pods' as const, 'Autoscalers' as const, 'Scale' as const, 'Windows' as const),
  }),
  fc.record({
    part: fc.constant('Ledger' as const),
    fault: fc.constantFrom<LedgerFault>('Broken', 'LostAfterStoring', 'Hangs'),
  }),
  fc.record({
    part: fc.constant('Write' as const),
    fault: fc.oneof(
      fc.record({ kind: fc.constant('Lost' as const), taken }),
      fc.record({ kind: fc.constant('Hangs' as const), taken }),
      fc.constant<FakeWriteFault>({ kind: 'Late' }),
      fc.constant<FakeWriteFault>({ kind: 'Twice' }),
      fc.constant<FakeWriteFault>({
        kind: 'Fails',
        failure: { code: 'Forbidden', message: 'no', retryable: false },
      }),
    ),
  }),
  fc.record({ part: fc.constant('Process' as const) }),
  fc.record({ part: fc.constant('Network' as const) }),
);

/** Breaks a part for one interval. */
function strike(world: World, active: ActivePolicy, event: Disaster): void {
  const { policy } = active;
  if (event.part === 'Metrics') spoilMetrics(world, active, event.how);
  if (event.part === 'Pods') world.pods.unsync(queryOf(policy));
  if (event.part === 'Autoscalers') world.nativeAutoscalers.unsync(policy.namespace);
  if (event.part === 'Scale') world.scale.breakReads(scaleTargetOf(policy), 'gone');
  if (event.part === 'Windows') world.windows.fault = { policy: policy.name, error: new Error('bug') };
  if (event.part === 'Ledger') world.ledger.outage = event.fault;
  if (event.part === 'Write') world.scale.faults.push(event.fault);
  if (event.part === 'Network') world.scale.deliverLate();
}

function spoilMetrics(world: World, { policy }: ActivePolicy, how: string): void {
  const query = queryOf(policy);
  if (how === 'Hangs') world.metrics.set(query, { kind: 'Hangs' });
  if (how === 'Rejects') world.metrics.set(query, { kind: 'Rejects', message: 'no' });
  if (how === 'Empty') world.metrics.set(query, { kind: 'Answers', metrics: [] });
  if (how === 'NotANumber') world.metrics.set(query, { kind: 'Answers', metrics: [{ values: ['NaN'] }] });
}

function repair(world: World, active: ActivePolicy, wanted: number): void {
  const { policy } = active;
  world.proposes(active, wanted);
  world.pods.set(queryOf(policy), [{ name: 'checkout-1', phase: 'Running' }]);
  world.nativeAutoscalers.set(policy.namespace, []);
  world.scale.mend(scaleTargetOf(policy));
  world.windows.fault = null;
  world.ledger.outage = null;
  world.ledger.timeOut();
  world.scale.faults.length = 0;
}

/** One interval and one sweep; whatever hangs is ended by its deadlines. */
async function sweepOnce(world: World, reconciler: Reconciler): Promise<void> {
  world.clock.advance(15_000);
  const sweep = reconciler.sweep();
  await flushMicrotasks();
  world.clock.advance(world.options.passTimeoutMilliseconds);
  await sweep;
}

describe('safety', () => {
  it('never lowers a replica count below what the metric asks for, whatever fails in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(disaster, fc.integer({ min: 1, max: 10 })), { minLength: 1, maxLength: 8 }),
        async (story) => {
          const world = new World();
          const checkout = world.add({}, 10);
          let reconciler = await world.start();
          let least = 10;
          for (const [event, wanted] of story) {
            repair(world, checkout, wanted);
            strike(world, checkout, event);
            if (event.part !== 'Metrics') least = Math.min(least, wanted);
            if (event.part === 'Process') reconciler = await world.start();
            await sweepOnce(world, reconciler);
            expect(world.replicasOf(checkout)).toBeGreaterThanOrEqual(least);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('lowers nothing while the part that says what to do is broken', async () => {
    const harmless = new Set<Disaster['part']>(['Process', 'Write', 'Network']);
    const blinding = disaster.filter(({ part }) => !harmless.has(part));
    await fc.assert(
      fc.asyncProperty(fc.array(blinding, { minLength: 1, maxLength: 6 }), async (story) => {
        const world = new World();
        const checkout = world.add({}, 8);
        const reconciler = await world.start();
        for (const event of story) {
          repair(world, checkout, 2);
          strike(world, checkout, event);
          await sweepOnce(world, reconciler);
          expect(world.replicasOf(checkout)).toBe(8);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('records every change of replicas exactly once, whatever fails in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(disaster, fc.integer({ min: 1, max: 10 })), { minLength: 1, maxLength: 8 }),
        async (story) => {
          const world = new World();
          const checkout = world.add({}, 5);
          let reconciler = await world.start();
          for (const [event, wanted] of story) {
            repair(world, checkout, wanted);
            strike(world, checkout, event);
            if (event.part === 'Process') reconciler = await world.start();
            await sweepOnce(world, reconciler);
          }
          repair(world, checkout, world.replicasOf(checkout) ?? 0);
          world.scale.deliverLate();
          for (let pass = 0; pass < 2; pass += 1) await sweepOnce(world, reconciler);
          const recorded = world.ledger.payloadsOf('ScalingEvent').map(({ from, to }) => ({ from, to }));
          expect(recorded).toEqual(world.scale.writes.map(({ from, to }) => ({ from, to })));
          const intents = world.ledger.payloadsOf('ScalingIntent').length;
          const outcomes = recorded.length + world.ledger.payloadsOf('ScalingFailure').length;
          expect(outcomes).toBe(intents);
        },
      ),
      { numRuns: 300 },
    );
  });
});
