import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import {
  actuations,
  aRenderedPolicy,
  change,
  hpaName,
  last,
  lastMessage,
  passes,
  type RenderedFixture,
} from '../testing/a-rendered-policy.ts';

const forbidden = { code: 'Forbidden', message: 'it is forbidden', retryable: false };
const busy = { code: 'TooManyRequests', message: '429', retryable: true };
const unfounded = { code: 'UnfoundedConflict', message: '409', retryable: true };

/** From now on every write of an HPA is refused. */
function refuse({ world }: RenderedFixture, failure = forbidden): void {
  world.nativeAutoscalers.faults.push(
    ...Array.from({ length: 1_000 }, () => ({ kind: 'Fails', failure }) as const),
  );
}

function allow({ world }: RenderedFixture): void {
  world.nativeAutoscalers.faults.length = 0;
}

/** After how many seconds each of so many attempts came. */
async function waits({ world, reconciler }: RenderedFixture, count: number): Promise<readonly number[]> {
  const found: number[] = [];
  const attempts = (): number => world.ledger.payloadsOf('ActuationIntent').length;
  for (let before = attempts(), seconds = 15; found.length < count && seconds <= 600; seconds += 15) {
    await world.pass(reconciler);
    if (attempts() === before) continue;
    before = attempts();
    found.push(seconds);
    seconds = 0;
  }
  return found;
}

/** A policy whose HPA allows ten replicas at most, and is about to be rendered with another maximum. */
async function aChangedPolicy(maxReplicas: number): Promise<RenderedFixture> {
  const fixture = await aRenderedPolicy({ maxReplicas: 10 });
  await passes(fixture.world, fixture.reconciler, 1);
  change(fixture.world, fixture.checkout, { maxReplicas });
  return fixture;
}

describe('the deletion of an HPA', () => {
  it('that is answered and deletes nothing is not called made, and waits as a refused one', async () => {
    const fixture = await aRenderedPolicy();
    const { world, reconciler, checkout } = fixture;
    await passes(world, reconciler, 1);
    world.nativeAutoscalers.faults.push(
      ...Array.from({ length: 1_000 }, () => ({ kind: 'Ignored' }) as const),
    );
    change(world, checkout, { actuation: 'Scale' });
    expect(await waits(fixture, 6)).toEqual([15, 15, 15, 60, 60, 60]);
    await world.pass(reconciler, 1_000);
    expect(last(world)).toBe('Stalled/WriteRefused');
    expect(lastMessage(world)).toContain('though the API server said that it did it; refused 6 times since');
    expect(actuations(world)).toEqual([
      'Create → Applied',
      ...Array.from({ length: 6 }, () => 'Delete → Failed'),
    ]);
    allow(fixture);
    await passes(world, reconciler, 5);
    expect(actuations(world).at(-1)).toBe('Delete → Applied');
    expect(world.nativeAutoscalers.document(hpaName)).toBeUndefined();
  });

  it('that waits for finalizers names them, and is asked for once', async () => {
    const { world, reconciler, checkout } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    const document = world.nativeAutoscalers.document(hpaName);
    const deletion = { deletionTimestamp: world.clock.now(), finalizers: ['example.com/keep'] };
    const metadata = { ...(document?.['metadata'] as JsonObject), ...deletion };
    world.nativeAutoscalers.putAs('plimsoll', { ...document, metadata });
    change(world, checkout, { actuation: 'Scale' });
    await passes(world, reconciler, 3);
    expect(lastMessage(world)).toContain('is being deleted, and waits for its finalizers (example.com/keep)');
    expect(actuations(world)).toEqual(['Create → Applied']);
  });
});

describe('a write of an HPA that is refused', () => {
  it.each([
    { name: 'the API server is busy', failure: busy },
    { name: 'the API server answers 409, and nobody was quicker', failure: unfounded },
  ])('waits where $name', async ({ failure }) => {
    const fixture = await aChangedPolicy(8);
    refuse(fixture, failure);
    expect(await waits(fixture, 5)).toEqual([15, 15, 15, 60, 120]);
    expect(last(fixture.world)).toBe('Stalled/WriteRefused');
  });

  it('waits for a minute at most where it makes the HPA', async () => {
    const fixture = await aRenderedPolicy();
    refuse(fixture);
    expect(await waits(fixture, 6)).toEqual([15, 15, 15, 60, 60, 60]);
    await fixture.world.pass(fixture.reconciler);
    expect([last(fixture.world), lastMessage(fixture.world)]).toEqual([
      'Stalled/WriteRefused',
      'could not create the HPA: it is forbidden; refused 6 times since 2026-11-20T12:00:15.000Z, next attempt at 2026-11-20T12:04:45.000Z',
    ]);
  });

  it.each([
    { name: 'a minute at most where it allows more', maxReplicas: 12, want: [15, 15, 15, 60, 60, 60] },
    { name: 'longer each time where it allows less', maxReplicas: 8, want: [15, 15, 15, 60, 120, 240] },
  ])('waits for $name', async ({ maxReplicas, want }) => {
    const fixture = await aChangedPolicy(maxReplicas);
    refuse(fixture);
    expect(await waits(fixture, 6)).toEqual(want);
  });

  it('waits for a minute at most where it deletes the HPA', async () => {
    const fixture = await aRenderedPolicy();
    await passes(fixture.world, fixture.reconciler, 1);
    change(fixture.world, fixture.checkout, { actuation: 'Scale' });
    refuse(fixture);
    expect(await waits(fixture, 5)).toEqual([15, 15, 15, 60, 60]);
  });

  it.each([
    { name: 'makes', fixtureOf: () => aRenderedPolicy() },
    { name: 'changes', fixtureOf: () => aChangedPolicy(8) },
  ])(
    'keeps its reason while the API server answers what $name it with an error of its own',
    async ({ fixtureOf }) => {
      const fixture = await fixtureOf();
      const { world } = fixture;
      world.nativeAutoscalers.faults.push(
        ...Array.from({ length: 1_000 }, () => ({ kind: 'Breaks' }) as const),
      );
      const found: string[] = [];
      for (let pass = 0; pass < 60; pass += 1) {
        await world.pass(fixture.reconciler);
        found.push(last(world) ?? '');
      }
      const inDoubt = 'Waiting/WriteInDoubt';
      expect(found).toEqual([
        inDoubt,
        inDoubt,
        inDoubt,
        ...Array.from({ length: 57 }, () => 'Stalled/WriteRefused'),
      ]);
      const told = world.kubernetesEvents.emitted.map(({ reason }) => reason);
      expect(told.filter((reason) => reason.startsWith('Write'))).toEqual(['WriteInDoubt', 'WriteRefused']);
    },
  );

  it('does not keep another one waiting', async () => {
    const fixture = await aChangedPolicy(8);
    refuse(fixture);
    await waits(fixture, 6);
    change(fixture.world, fixture.checkout, { maxReplicas: 9 });
    allow(fixture);
    expect(await waits(fixture, 1)).toEqual([15]);
    expect(fixture.world.nativeAutoscalers.document(hpaName)?.['spec']).toMatchObject({ maxReplicas: 9 });
  });

  it('counts anew after one that was made', async () => {
    const fixture = await aRenderedPolicy();
    refuse(fixture);
    await waits(fixture, 4);
    allow(fixture);
    expect(await waits(fixture, 1)).toEqual([60]);
    refuse(fixture);
    fixture.world.nativeAutoscalers.remove(hpaName);
    expect(await waits(fixture, 4)).toEqual([15, 15, 15, 60]);
  });
});
