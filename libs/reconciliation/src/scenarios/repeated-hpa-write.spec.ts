import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import {
  actuations,
  aRenderedPolicy,
  change,
  hpaName,
  last,
  passes,
  type RenderedFixture,
  specOf,
} from '../testing/a-rendered-policy.ts';
import { flushMicrotasks } from '../testing/a-world.ts';

/** Admission that makes another maximum of what is written. */
const oneMore = (spec: JsonObject): JsonObject => ({ ...spec, maxReplicas: Number(spec['maxReplicas']) + 1 });

/** A policy whose HPA is there, and that is about to be rendered anew. */
async function aChangedPolicy(): Promise<RenderedFixture> {
  const fixture = await aRenderedPolicy({ maxReplicas: 12 });
  await passes(fixture.world, fixture.reconciler, 1);
  change(fixture.world, fixture.checkout, { maxReplicas: 15 });
  return fixture;
}

describe('a write of an HPA that is delivered twice, whose second answer is a conflict', () => {
  it('is made where it creates the HPA', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    world.nativeAutoscalers.faults.push({ kind: 'Twice' });
    await passes(world, reconciler, 2);
    expect(actuations(world)).toEqual(['Create → Applied']);
    expect(last(world)).toBe('Done/Unchanged');
  });

  it('is made where it replaces the HPA', async () => {
    const { world, reconciler } = await aChangedPolicy();
    world.nativeAutoscalers.faults.push({ kind: 'Twice' });
    await passes(world, reconciler, 2);
    expect(actuations(world)).toEqual(['Create → Applied', 'Update → Applied']);
    expect(specOf(world)).toMatchObject({ maxReplicas: 15 });
    expect(last(world)).toBe('Done/Unchanged');
  });

  it('is made where admission makes something else of it, and says what', async () => {
    const { world, reconciler } = await aChangedPolicy();
    world.nativeAutoscalers.keep = oneMore;
    world.nativeAutoscalers.faults.push({ kind: 'Twice' });
    await passes(world, reconciler, 2);
    expect(world.ledger.payloadsOf('ActuationOutcome').slice(1)).toMatchObject([
      { result: 'Applied', dropped: [{ field: 'spec.maxReplicas', found: '16', wanted: '15' }] },
    ]);
    expect(last(world)).toBe('Stalled/FieldNotSupported');
  });

  it('is not made where others were faster', async () => {
    const { world, reconciler } = await aChangedPolicy();
    const refusal = { code: 'Conflict', message: '409', retryable: true };
    world.nativeAutoscalers.faults.push({ kind: 'Fails', failure: refusal });
    await passes(world, reconciler, 1);
    expect(world.ledger.payloadsOf('ActuationOutcome').at(-1)).toMatchObject({
      result: 'Failed',
      code: 'Conflict',
    });
    expect(last(world)).toBe('Waiting/HpaChanged');
  });
});

describe('a write of an HPA whose answer was lost, and of which admission made something else', () => {
  it('is its outcome, is no drift, and is told by the next write', async () => {
    const { world, reconciler } = await aChangedPolicy();
    world.nativeAutoscalers.keep = oneMore;
    world.nativeAutoscalers.faults.push({ kind: 'Hangs', taken: 'Yes' });
    world.clock.advance(15_000);
    void reconciler.sweep();
    await flushMicrotasks();
    await passes(world, await world.start(), 3);
    expect(world.ledger.payloadsOf('ActuationOutcome').slice(1)).toMatchObject([
      { verb: 'Update', result: 'Applied', drift: null },
      { verb: 'Update', result: 'Applied', drift: null, dropped: [{ field: 'spec.maxReplicas' }] },
    ]);
    expect(world.nativeAutoscalers.document(hpaName)).toMatchObject({ spec: { maxReplicas: 16 } });
    expect(last(world)).toBe('Stalled/FieldNotSupported');
  });
});
