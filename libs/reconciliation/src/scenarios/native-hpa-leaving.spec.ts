import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { scaleTargetOf } from '../policies/scale-target.ts';
import {
  actuations,
  aRenderedPolicy,
  change,
  hpaName,
  key,
  last,
  lastMessage,
  passes,
  rendered,
  type RenderedFixture,
  specOf,
} from '../testing/a-rendered-policy.ts';
import { flushMicrotasks, World } from '../testing/a-world.ts';

describe('letting go of an HPA', () => {
  it('deletes it when the policy is disabled, and restores the replicas once it is seen gone', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy({ replicas: 2 });
    await passes(world, reconciler, 2);
    change(world, checkout, { enabled: false, replicas: 2 });
    world.nativeAutoscalers.lag();
    await passes(world, reconciler, 2);
    expect(world.nativeAutoscalers.document(hpaName)).toBeUndefined();
    world.nativeAutoscalers.catchUp();
    await passes(world, reconciler, 2);
    expect(world.scale.writes).toEqual([{ target: 'shop/Deployment/checkout', from: 4, to: 2 }]);
    world.scale.set(scaleTargetOf(checkout.policy), 5);
    await passes(world, reconciler, 2);
    await passes(world, await world.start(), 1);
    expect(world.replicasOf(checkout)).toBe(5);
    expect(actuations(world)).toEqual(['Create → Applied', 'Delete → Applied']);
  });

  it('restores the replicas as soon as the HPA is gone, before the interval has elapsed', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    change(world, checkout, { enabled: false, replicas: 2 });
    await passes(world, reconciler, 1);
    expect(last(world)).toBe('Done/HpaDeleted');
    await world.pass(reconciler, 1_000);
    expect(world.scale.writes).toEqual([{ target: 'shop/Deployment/checkout', from: 4, to: 2 }]);
  });

  it('corrects the bounds as soon as the HPA is gone where the actuation is switched', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    change(world, checkout, { actuation: 'Scale', minReplicas: 6 });
    await passes(world, reconciler, 1);
    await world.pass(reconciler, 1_000);
    expect(world.replicasOf(checkout)).toBe(6);
  });

  it('keeps the present count where the policy names none', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    change(world, checkout, { enabled: false });
    await passes(world, reconciler, 3);
    expect(world.nativeAutoscalers.document(hpaName)).toBeUndefined();
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.scale.writes).toEqual([]);
  });

  it('comes before the first own write when the actuation is switched, and back', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    world.proposes(checkout, 6);
    change(world, checkout, { actuation: 'Scale' });
    await passes(world, reconciler, 1);
    expect(last(world)).toBe('Done/HpaDeleted');
    expect(world.scale.writes).toEqual([]);
    await passes(world, reconciler, 1);
    expect(world.replicasOf(checkout)).toBe(6);
    change(world, checkout, rendered);
    await passes(world, reconciler, 2);
    expect(actuations(world)).toEqual(['Create → Applied', 'Delete → Applied', 'Create → Applied']);
    expect(world.scale.writes).toHaveLength(1);
    expect(
      world.ledger
        .payloadsOf('StrategyChange')
        .flatMap(({ field, after }) => (field === 'actuation' ? [after] : [])),
    ).toEqual(['Scale', 'HorizontalPodAutoscaler']);
  });

  it('does nothing in a dry run', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    change(world, checkout, { enabled: false, dryRun: true });
    await passes(world, reconciler, 2);
    expect(world.nativeAutoscalers.document(hpaName)).toBeDefined();
    expect(last(world)).toBe('Done/DryRun');
    expect(lastMessage(world)).toContain('would delete HorizontalPodAutoscaler checkout');
  });
});

describe('a crash in the write of an HPA', () => {
  it.each(['Yes', 'No'] as const)('is resolved to one outcome (made: %s)', async (taken) => {
    const { world, reconciler } = await aRenderedPolicy();
    world.nativeAutoscalers.faults.push({ kind: 'Hangs', taken });
    world.clock.advance(15_000);
    void reconciler.sweep();
    await flushMicrotasks();
    const next = await world.start();
    await passes(world, next, 2);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
    expect(actuations(world)).toEqual(
      taken === 'Yes' ? ['Create → Applied'] : ['Create → Failed', 'Create → Applied'],
    );
    expect(world.ledger.payloadsOf('ActuationIntent')).toHaveLength(taken === 'Yes' ? 1 : 2);
    expect(last(world)).toBe('Done/Unchanged');
  });

  it.each(['Yes', 'No'] as const)('of an update, too (made: %s)', async (taken) => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    change(world, checkout, { maxReplicas: 20 });
    world.nativeAutoscalers.faults.push({ kind: 'Hangs', taken });
    world.clock.advance(15_000);
    void reconciler.sweep();
    await flushMicrotasks();
    await passes(world, await world.start(), 2);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout', 'Update checkout']);
    expect(world.ledger.payloadsOf('ActuationIntent')).toHaveLength(taken === 'Yes' ? 2 : 3);
    expect(world.ledger.payloadsOf('ActuationOutcome')).toHaveLength(taken === 'Yes' ? 2 : 3);
    expect(specOf(world)).toMatchObject({ maxReplicas: 20 });
  });

  it('of a policy that is not in force is resolved, too', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    world.nativeAutoscalers.faults.push({ kind: 'Hangs', taken: 'Yes' });
    world.clock.advance(15_000);
    void reconciler.sweep();
    await flushMicrotasks();
    const active = world.activePolicies.policies;
    world.activePolicies.policies = [];
    const next = await world.start();
    expect(actuations(world)).toEqual(['Create → Applied']);
    world.activePolicies.policies = active;
    await passes(world, next, 2);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
  });
});

describe('a rendered policy that leaves', () => {
  /** What the sync records of a policy that left, and the reconciler's passes after it. */
  async function leave(
    { world, checkout, reconciler }: RenderedFixture,
    departure: 'Pruned' | 'Kept' | 'Released' | 'RolledBack' | 'SourceRemoved',
  ): Promise<void> {
    world.activePolicies.policies = [];
    await passes(world, reconciler, 1);
    expect(world.nativeAutoscalers.document(hpaName)).toBeDefined();
    await world.recordDeparture(checkout, departure);
    await passes(world, reconciler, 3);
  }

  it.each(['Pruned', 'RolledBack', 'SourceRemoved'] as const)(
    'as %s gets its HPA deleted once that is recorded, and keeps the count',
    async (departure) => {
      const fixture = await aRenderedPolicy({ replicas: 2 });
      const { world, reconciler } = fixture;
      await passes(world, reconciler, 2);
      await leave(fixture, departure);
      expect(world.nativeAutoscalers.document(hpaName)).toBeUndefined();
      expect(actuations(world)).toEqual(['Create → Applied', 'Delete → Applied']);
      expect(world.scale.writes).toEqual([]);
      expect(world.ledger.states.size).toBe(0);
      const texts = world.log.lines.map(({ text }) => text);
      expect(texts.at(-1)).toMatch(
        /^shop\/checkout  HorizontalPodAutoscaler checkout deleted: the (policy|source)/,
      );
      expect(texts.join()).not.toContain('write without answer');
    },
  );

  it('gets its HPA deleted, too, where somebody has cleared its managedFields', async () => {
    const fixture = await aRenderedPolicy();
    const { world, reconciler } = fixture;
    await passes(world, reconciler, 2);
    world.nativeAutoscalers.clearManagers(hpaName);
    await passes(world, reconciler, 1);
    expect(last(world)).toBe('Done/Unchanged');
    await leave(fixture, 'Pruned');
    expect(world.nativeAutoscalers.document(hpaName)).toBeUndefined();
  });

  it.each(['Kept', 'Released'] as const)('as %s keeps HPA and count', async (departure) => {
    const fixture = await aRenderedPolicy();
    const { world, reconciler } = fixture;
    await passes(world, reconciler, 2);
    await leave(fixture, departure);
    expect(world.nativeAutoscalers.document(hpaName)).toBeDefined();
    expect(world.ledger.states.size).toBe(0);
  });

  it('in a dry run keeps its HPA', async () => {
    const fixture = await aRenderedPolicy();
    const { world, checkout, reconciler } = fixture;
    await passes(world, reconciler, 2);
    change(world, checkout, { dryRun: true });
    const document = { ...checkout.document, spec: { dryRun: true } };
    await passes(world, reconciler, 1);
    await leave({ ...fixture, checkout: { ...checkout, document } }, 'Pruned');
    expect(world.nativeAutoscalers.document(hpaName)).toBeDefined();
  });

  it('while the controller is down gets its HPA deleted after the start', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    world.activePolicies.policies = [];
    await world.recordDeparture(checkout, 'Pruned');
    await passes(world, await world.start(), 2);
    expect(world.nativeAutoscalers.document(hpaName)).toBeUndefined();
    expect(actuations(world)).toEqual(['Create → Applied', 'Delete → Applied']);
    expect(world.ledger.states.size).toBe(0);
  });

  it.each(['Yes', 'No'] as const)('across a crash in the deletion (made: %s)', async (taken) => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    world.activePolicies.policies = [];
    await world.recordDeparture(checkout, 'Pruned');
    await passes(world, reconciler, 1);
    world.nativeAutoscalers.faults.push({ kind: 'Hangs', taken });
    world.clock.advance(15_000);
    void reconciler.sweep();
    await flushMicrotasks();
    await passes(world, await world.start(), 3);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout', 'Delete checkout']);
    expect(world.ledger.payloadsOf('ActuationOutcome')).toHaveLength(taken === 'Yes' ? 2 : 3);
    expect(world.ledger.states.size).toBe(0);
  });

  it('is tried less often to delete the HPA of where that is refused', async () => {
    const { world, reconciler } = await aRefusedDeletion('it is forbidden');
    await passes(world, reconciler, 240);
    const deletions = actuations(world).filter((actuation) => actuation.startsWith('Delete'));
    expect(deletions).toEqual(Array.from({ length: 16 }, () => 'Delete → Failed'));
    world.nativeAutoscalers.faults.length = 0;
    await passes(world, reconciler, 21);
    expect(world.nativeAutoscalers.document(hpaName)).toBeUndefined();
    expect(world.ledger.states.size).toBe(0);
  });

  it('says, where its HPA may not be deleted, who refuses it, since when, what helps, and when it is gone', async () => {
    const message = 'admission webhook "keep" denied the request';
    const { world, reconciler } = await aRefusedDeletion(message);
    await passes(world, reconciler, 40);
    expect(world.ledger.payloadsOf('ActuationOutcome').at(-1)).toMatchObject({
      result: 'Failed',
      code: 'Forbidden',
      message,
    });
    const told = (reason: string) => world.log.lines.filter(({ fields }) => fields['reason'] === reason);
    expect(told('HpaKept')).toMatchObject([{ level: 'warn', text: expect.stringContaining(message) }]);
    expect(told('Orphaned')).toEqual([]);
    expect(world.log.lines.filter(({ text }) => text.includes('a write without answer'))).toEqual([]);
    const [orphan] = reconciler.listOrphanedHpas();
    expect(orphan).toMatchObject({ ...hpaName, policy: key });
    expect(orphan?.message).toContain(`${message}. It is tried again`);
    expect(orphan?.message).toContain('kubectl --namespace shop delete hpa checkout');
    expect(Date.parse(orphan?.since ?? '')).toBeLessThan(Date.parse(world.clock.now()) - 540_000);
    world.nativeAutoscalers.faults.length = 0;
    await passes(world, reconciler, 21);
    expect(reconciler.listOrphanedHpas()).toEqual([]);
    expect(told('HpaLetGo')).toMatchObject([{ level: 'info', text: expect.stringContaining('is gone') }]);
  });

  it('waits on after a restart with a deletion that is refused, since when it was, and warns in the log of that process', async () => {
    const { world, checkout, reconciler } = await aRefusedDeletion('it is forbidden');
    await passes(world, reconciler, 40);
    const [before] = reconciler.listOrphanedHpas();
    const deletions = () => actuations(world).filter((actuation) => actuation.startsWith('Delete')).length;
    const asked = deletions();
    world.log.lines.length = 0;
    const next = await world.start();
    expect(next.listOrphanedHpas()).toEqual([before]);
    await passes(world, next, 4);
    expect(deletions()).toBe(asked);
    await passes(world, next, 16);
    expect(deletions()).toBe(asked + 1);
    expect(next.listOrphanedHpas()).toEqual([before]);
    expect(world.log.lines.filter(({ fields }) => fields['reason'] === 'HpaKept')).toHaveLength(1);
    world.activePolicies.policies = [checkout];
    await passes(world, next, 2);
    expect(last(world)).toBe('Done/Unchanged');
    expect([...world.ledger.states.values()].map(({ refusal }) => refusal)).toEqual([null]);
  });

  it('does not repeat a deletion that is answered and deletes nothing without waiting, and does not call it made', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    world.nativeAutoscalers.faults.push(
      ...Array.from({ length: 1_000 }, () => ({ kind: 'Ignored' }) as const),
    );
    world.activePolicies.policies = [];
    await world.recordDeparture(checkout, 'Pruned');
    await passes(world, reconciler, 240);
    const deletions = actuations(world).filter((actuation) => actuation.startsWith('Delete'));
    expect(deletions).toEqual(Array.from({ length: 16 }, () => 'Delete → Failed'));
    expect(reconciler.listOrphanedHpas()).toMatchObject([
      { message: expect.stringContaining('though the API server said that it did it') },
    ]);
  });

  it('names the finalizers that its HPA waits for, and asks for no other deletion', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    const document = world.nativeAutoscalers.document(hpaName);
    const metadata = document?.['metadata'] as JsonObject;
    const deletionTimestamp = world.clock.now();
    world.nativeAutoscalers.putAs('plimsoll', {
      ...document,
      metadata: { ...metadata, deletionTimestamp, finalizers: ['example.com/keep', 'other'] },
    });
    world.activePolicies.policies = [];
    await world.recordDeparture(checkout, 'Pruned');
    await passes(world, reconciler, 3);
    expect(actuations(world)).toEqual(['Create → Applied']);
    const waits = expect.stringContaining('waits for its finalizers (example.com/keep, other)') as unknown;
    expect(reconciler.listOrphanedHpas()).toMatchObject([{ message: waits, since: deletionTimestamp }]);
  });

  it('and comes back before that is recorded keeps its HPA, and nothing is a drift', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    world.activePolicies.policies = [];
    await passes(world, reconciler, 1);
    world.activePolicies.policies = [checkout];
    await passes(world, reconciler, 2);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
    expect(last(world)).toBe('Done/Unchanged');
  });

  it('and comes back after its HPA was deleted gets a new one', async () => {
    const fixture = await aRenderedPolicy();
    const { world, checkout, reconciler } = fixture;
    await passes(world, reconciler, 2);
    await leave(fixture, 'Pruned');
    world.activePolicies.policies = [checkout];
    await passes(world, reconciler, 2);
    expect(actuations(world)).toEqual(['Create → Applied', 'Delete → Applied', 'Create → Applied']);
    expect(world.ledger.payloadsOf('ActuationIntent').at(-1)).toMatchObject({ drift: null });
  });
});

describe('an HPA of ours that no policy explains', () => {
  it('stays, is reported once, and is taken up again by a policy of its name', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    const other = new World();
    other.nativeAutoscalers.putAs('plimsoll', world.nativeAutoscalers.document(hpaName) ?? {});
    const next = await other.start();
    await passes(other, next, 10);
    expect(next.listOrphanedHpas()).toEqual([
      { ...hpaName, policy: key, since: null, message: expect.stringContaining('it stays as it is') },
    ]);
    expect(other.log.lines.filter(({ fields }) => fields['reason'] === 'Orphaned')).toHaveLength(1);
    other.proposes(other.add(rendered, 4), 4);
    await passes(other, next, 1);
    expect(next.listOrphanedHpas()).toEqual([]);
    expect(other.nativeAutoscalers.writes).toEqual([]);
  });

  it('is reported from the record where its namespace is not managed any more, and deleted once it is again', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    await reconciler.shutdown();
    world.options = { ...world.options, namespaces: ['other'] };
    const narrowed = await world.start();
    await passes(world, narrowed, 1);
    expect(last(world)).toBe('Stalled/NamespaceNotManaged');
    const { nativeAutoscalers } = world;
    const listOwned = nativeAutoscalers.listOwned.bind(nativeAutoscalers);
    nativeAutoscalers.listOwned = () => [];
    world.activePolicies.policies = [];
    await world.recordDeparture(checkout, 'Pruned');
    const message = expect.stringContaining('add the namespace again');
    const orphan = { ...hpaName, policy: key, since: null, message };
    const told = () => world.log.lines.filter(({ fields }) => fields['reason'] === 'Orphaned');
    await passes(world, narrowed, 10);
    expect(narrowed.listOrphanedHpas()).toEqual([orphan]);
    expect(told()).toHaveLength(1);
    expect(told()[0]?.text).toContain('namespace shop is not among the configured namespaces any more');
    const reads = nativeAutoscalers.reads;
    await narrowed.shutdown();
    const again = await world.start();
    await passes(world, again, 10);
    expect(again.listOrphanedHpas()).toEqual([orphan]);
    expect([nativeAutoscalers.reads, nativeAutoscalers.writes]).toEqual([reads, ['Create checkout']]);
    await again.shutdown();
    world.options = { ...world.options, namespaces: ['*'] };
    nativeAutoscalers.listOwned = listOwned;
    const whole = await world.start();
    await passes(world, whole, 3);
    expect(nativeAutoscalers.writes).toEqual(['Create checkout', 'Delete checkout']);
    expect(whole.listOrphanedHpas()).toEqual([]);
    expect(world.ledger.states.size).toBe(0);
  });

  it('is not reported where its policy comes into force soon after the start', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    const other = new World();
    other.nativeAutoscalers.putAs('plimsoll', world.nativeAutoscalers.document(hpaName) ?? {});
    const next = await other.start();
    await passes(other, next, 1);
    other.proposes(other.add(rendered, 4), 4);
    await passes(other, next, 10);
    expect(other.log.lines.filter(({ fields }) => fields['reason'] === 'Orphaned')).toEqual([]);
  });
});

/** A policy that was pruned, whose HPA the API server does not delete, for this reason. */
async function aRefusedDeletion(message: string): Promise<RenderedFixture> {
  const fixture = await aRenderedPolicy();
  const { world, checkout, reconciler } = fixture;
  await passes(world, reconciler, 1);
  const failure = { code: 'Forbidden', message, retryable: false };
  world.nativeAutoscalers.faults.push(
    ...Array.from({ length: 1_000 }, () => ({ kind: 'Fails', failure }) as const),
  );
  world.activePolicies.policies = [];
  await world.recordDeparture(checkout, 'Pruned');
  return fixture;
}
