import { describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '#kernel';
import type { EffectivePolicy } from '#policy';
import type { ActivePolicy } from './active-policy.ts';
import type { Reconciler } from './reconciler.ts';
import { scaleTargetOf } from './scale-target.ts';
import { aNativeAutoscaler } from './testing/a-native-autoscaler.ts';
import { flushMicrotasks, World } from './testing/a-world.ts';

const key = 'shop/checkout';
const hpaName = { namespace: 'shop', name: 'checkout' };
const rendered = { actuation: 'HorizontalPodAutoscaler' } as const;

interface Fixture {
  readonly world: World;
  readonly checkout: ActivePolicy;
  readonly reconciler: Reconciler;
}

/** A rendered policy over 4 replicas, before its first pass. */
async function aRenderedPolicy(changes: Partial<EffectivePolicy> = {}): Promise<Fixture> {
  const world = new World();
  const checkout = world.add({ ...rendered, ...changes }, 4);
  world.proposes(checkout, 4);
  return { world, checkout, reconciler: await world.start() };
}

async function passes(world: World, reconciler: Reconciler, count: number): Promise<void> {
  for (let pass = 0; pass < count; pass += 1) await world.pass(reconciler);
}

/** The same policy in another version. */
function change(world: World, { policy, ...rest }: ActivePolicy, changes: Partial<EffectivePolicy>): void {
  world.activePolicies.policies = [{ ...rest, policy: { ...policy, ...changes } }];
}

function specOf(world: World): JsonObject {
  const spec = world.nativeAutoscalers.document(hpaName)?.['spec'];
  if (!isJsonObject(spec)) throw new Error('there is no HPA');
  return spec;
}

/** `Create → Applied` for each write that is recorded. */
function actuations(world: World): string[] {
  return world.ledger
    .payloadsOf('ActuationOutcome')
    .map((payload) => `${payload['verb'] as string} → ${payload['result'] as string}`);
}

const last = (world: World): string | undefined => world.reports.outcomesOf(key).at(-1);
const lastMessage = (world: World): string | undefined => world.reports.reports.at(-1)?.outcome.message;

describe('a policy that is rendered', () => {
  it('gets an HPA, with an intent before and an outcome after, and no second write', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 3);
    expect(world.reports.outcomesOf(key)).toEqual(['Done/HpaCreated', 'Done/Unchanged', 'Done/Unchanged']);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
    expect(world.scale.writes).toEqual([]);
    expect(world.ledger.kindsOf('shop', 'checkout')).toEqual([
      'StrategyChange',
      'Decision',
      'ActuationIntent',
      'ActuationOutcome',
    ]);
    const [intent] = world.ledger.payloadsOf('ActuationIntent');
    expect(intent).toMatchObject({
      verb: 'Create',
      uid: null,
      resourceVersion: null,
      specDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      target: { name: 'checkout', uid: 'uid-of-checkout' },
      decision: 'policy:shop/checkout#2',
      drift: null,
    });
    expect(world.ledger.payloadsOf('ActuationOutcome')).toMatchObject([
      { ...intent, intent: 'policy:shop/checkout#3', result: 'Applied', uid: 'uid-1' },
    ]);
    expect(world.nativeAutoscalers.document(hpaName)).toMatchObject({
      apiVersion: 'autoscaling/v2',
      metadata: {
        labels: {
          'app.kubernetes.io/name': 'checkout',
          'app.kubernetes.io/instance': 'checkout',
          'app.kubernetes.io/managed-by': 'plimsoll',
        },
        annotations: { 'plimsoll.dev/policy': 'shop/checkout' },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            name: 'checkout',
            uid: 'uid-of-checkout',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { minReplicas: 1, maxReplicas: 10 },
    });
  });

  it('writes no replicas, whatever its decision asks for', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    world.proposes(checkout, 9);
    await passes(world, reconciler, 3);
    expect(world.scale.writes).toEqual([]);
    expect(last(world)).toBe('Done/Unchanged');
  });

  it('gets its HPA updated where it says something else', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    change(world, checkout, { maxReplicas: 20 });
    await passes(world, reconciler, 2);
    expect(specOf(world)).toMatchObject({ maxReplicas: 20 });
    expect(actuations(world)).toEqual(['Create → Applied', 'Update → Applied']);
    expect(world.ledger.payloadsOf('ActuationIntent').at(-1)).toMatchObject({
      verb: 'Update',
      uid: 'uid-1',
      differences: [{ field: 'spec.maxReplicas', found: '10', wanted: '20' }],
      drift: null,
      reason: 'the policy says so',
    });
    expect(world.reports.outcomesOf(key).slice(-2)).toEqual(['Done/HpaUpdated', 'Done/Unchanged']);
  });

  it('writes once more, and not twice, where the watch is behind', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    world.nativeAutoscalers.lag();
    await passes(world, reconciler, 3);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
    world.nativeAutoscalers.catchUp();
    world.nativeAutoscalers.lag();
    change(world, checkout, { maxReplicas: 20 });
    await passes(world, reconciler, 3);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout', 'Update checkout']);
  });

  it('gets an edit corrected and recorded, with who and what', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    world.nativeAutoscalers.editAs('kubectl-edit', hpaName, { maxReplicas: 99, minReplicas: 3 });
    await passes(world, reconciler, 2);
    expect(specOf(world)).toMatchObject({ minReplicas: 1, maxReplicas: 10 });
    expect(world.ledger.payloadsOf('ActuationOutcome').at(-1)).toMatchObject({
      verb: 'Update',
      drift: { kind: 'Edited', manager: 'kubectl-edit' },
      differences: [
        { field: 'spec.minReplicas', found: '3', wanted: '1' },
        { field: 'spec.maxReplicas', found: '99', wanted: '10' },
      ],
    });
    const corrected = world.reports.reports.find(({ outcome }) => outcome.reason === 'HpaUpdated');
    expect(corrected?.outcome.message).toBe(
      'HorizontalPodAutoscaler checkout updated, which kubectl-edit had changed: spec.minReplicas 3 → 1, spec.maxReplicas 99 → 10',
    );
  });

  it('gets an HPA that somebody deleted made again, and the deletion recorded', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    world.nativeAutoscalers.remove(hpaName);
    await passes(world, reconciler, 2);
    expect(actuations(world)).toEqual(['Create → Applied', 'Create → Applied']);
    expect(world.ledger.payloadsOf('ActuationIntent').at(-1)).toMatchObject({
      reason: 'the HPA is gone',
      drift: { kind: 'Deleted', manager: null },
    });
  });

  it('gets a new HPA for a target that was made anew, and no drift', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    world.scale.replace(scaleTargetOf(checkout.policy), 4);
    await passes(world, reconciler, 3);
    expect(actuations(world)).toEqual(['Create → Applied', 'Delete → Applied', 'Create → Applied']);
    expect(world.ledger.payloadsOf('ActuationIntent').at(-1)).toMatchObject({
      target: { uid: 'uid-of-checkout-anew' },
      drift: null,
    });
    expect(last(world)).toBe('Done/Unchanged');
  });

  it('waits for the target where there is none', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    world.scale.remove(scaleTargetOf(checkout.policy));
    await passes(world, reconciler, 1);
    expect(last(world)).toBe('Failed/FailedGetScale');
    expect(world.nativeAutoscalers.writes).toEqual([]);
  });

  it('takes its own HPA up again after the ledger was lost', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    const other = new World();
    const checkout = other.add(rendered, 4);
    other.proposes(checkout, 4);
    other.nativeAutoscalers.putAs('plimsoll', world.nativeAutoscalers.document(hpaName) ?? {});
    const next = await other.start();
    await passes(other, next, 1);
    expect(other.nativeAutoscalers.writes).toEqual([]);
    other.nativeAutoscalers.editAs('kubectl-edit', hpaName, { maxReplicas: 99 });
    await passes(other, next, 1);
    expect(other.ledger.payloadsOf('ActuationIntent')).toMatchObject([
      { verb: 'Update', drift: { manager: 'kubectl-edit' } },
    ]);
  });

  it('waits where the native controller cannot scale, in its words', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    const condition = { type: 'ScalingActive', status: 'False', reason: 'FailedGetExternalMetric' };
    world.nativeAutoscalers.report(hpaName, {
      currentReplicas: 4,
      desiredReplicas: 4,
      conditions: [{ ...condition, message: 'no metrics returned' }],
    });
    await passes(world, reconciler, 1);
    expect(last(world)).toBe('Waiting/FailedGetExternalMetric');
    expect(lastMessage(world)).toContain('no metrics returned (HPA-managed)');
  });
});

describe('an HPA that is not ours', () => {
  const foreign = {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' } },
  };
  const metric = { name: 'queue' };
  const equal = {
    ...foreign.spec,
    maxReplicas: 10,
    metrics: [
      { type: 'External', external: { metric, target: { type: 'AverageValue', averageValue: '1000m' } } },
    ],
    behavior: behaviorOfPolicy(),
  };
  const put = (world: World, spec: JsonObject): void =>
    world.nativeAutoscalers.putAs('helm', {
      metadata: { ...hpaName, labels: { team: 'shop' }, finalizers: ['example.com/keep'] },
      spec,
    });

  it.each([
    { name: 'of its name', spec: equal, adopt: undefined },
    {
      name: 'of its name that differs, adopt: IfEqual',
      spec: { ...equal, maxReplicas: 9 },
      adopt: 'IfEqual',
    },
  ])('$name is left alone and told in every pass, with who applies it', async ({ spec, adopt }) => {
    const { world, reconciler } = await aRenderedPolicy({
      annotations: adopt === undefined ? {} : { 'plimsoll.dev/adopt': adopt },
    });
    put(world, spec);
    await passes(world, reconciler, 3);
    expect(world.reports.outcomesOf(key)).toEqual(Array<string>(3).fill('Stalled/Conflict'));
    expect(lastMessage(world)).toContain('applied by helm');
    expect(world.nativeAutoscalers.writes).toEqual([]);
  });

  it('on its target under another name is a conflict, also in mode Observe', async () => {
    const world = new World();
    world.options = { ...world.options, mode: 'Observe' };
    world.proposes(world.add(rendered, 4), 4);
    world.nativeAutoscalers.set('shop', [aNativeAutoscaler({ name: 'web' })]);
    await passes(world, await world.start(), 2);
    expect(world.reports.outcomesOf(key)).toEqual(['Stalled/Conflict', 'Stalled/Conflict']);
  });

  it.each([
    { adopt: 'IfEqual', spec: equal, differences: false },
    { adopt: 'Always', spec: { ...equal, maxReplicas: 9 }, differences: true },
  ])('is taken over with adopt: $adopt, which is a StrategyChange', async ({ adopt, spec }) => {
    const { world, reconciler } = await aRenderedPolicy({ annotations: { 'plimsoll.dev/adopt': adopt } });
    put(world, spec);
    await passes(world, reconciler, 2);
    expect(world.reports.outcomesOf(key)).toEqual(['Done/HpaAdopted', 'Done/Unchanged']);
    expect(actuations(world)).toEqual(['Adopt → Applied']);
    expect(specOf(world)).toMatchObject({ maxReplicas: 10 });
    expect(world.nativeAutoscalers.document(hpaName)?.['metadata']).toMatchObject({
      labels: { team: 'shop' },
      finalizers: ['example.com/keep'],
      annotations: { 'plimsoll.dev/policy': key },
    });
    expect(world.ledger.payloadsOf('StrategyChange').at(-1)).toMatchObject({
      field: 'adoption',
      before: 'helm',
      after: 'plimsoll',
      commit: { subject: 'Add checkout policy' },
    });
    expect(world.kubernetesEvents.emitted.map(({ message }) => message)).toContain(
      'HorizontalPodAutoscaler taken over from helm',
    );
  });
});

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

describe('an API server that does not support what is rendered', () => {
  const dropTolerance = (spec: JsonObject): JsonObject => ({ ...spec, maxReplicas: 10 });

  it('is told in every pass, and is not written to again until the policy or it changes', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy({ maxReplicas: 12 });
    world.nativeAutoscalers.keep = dropTolerance;
    await passes(world, reconciler, 2);
    await passes(world, await world.start(), 2);
    expect(world.reports.outcomesOf(key)).toEqual(['Stalled/FieldNotSupported', 'Stalled/FieldNotSupported']);
    expect(lastMessage(world)).toContain('spec.maxReplicas 10 → 12');
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
    expect(world.ledger.payloadsOf('ActuationOutcome')).toMatchObject([
      { result: 'Applied', dropped: [{ field: 'spec.maxReplicas', found: '10', wanted: '12' }] },
    ]);
    const next = await world.start();
    world.nativeAutoscalers.version = 'v1.37.0';
    world.nativeAutoscalers.keep = (spec) => spec;
    await passes(world, next, 2);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout', 'Update checkout']);
    expect(last(world)).toBe('Done/Unchanged');
    change(world, checkout, { maxReplicas: 10 });
    await passes(world, next, 2);
    expect(last(world)).toBe('Done/Unchanged');
  });

  it('that refuses it is tried again after ten minutes', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    const failure = { code: 'Invalid', message: 'spec.minReplicas: must be 1', retryable: false };
    world.nativeAutoscalers.faults.push({ kind: 'Fails', failure });
    await passes(world, reconciler, 3);
    expect(world.reports.outcomesOf(key)).toEqual(Array<string>(3).fill('Stalled/FieldNotSupported'));
    expect(lastMessage(world)).toContain('spec.minReplicas: must be 1');
    expect(actuations(world)).toEqual(['Create → Failed']);
    world.clock.advance(600_000);
    await passes(world, reconciler, 2);
    expect(last(world)).toBe('Done/Unchanged');
  });

  it('is written to again where somebody edits the HPA', async () => {
    const { world, reconciler } = await aRenderedPolicy({ maxReplicas: 12 });
    world.nativeAutoscalers.keep = dropTolerance;
    await passes(world, reconciler, 2);
    world.nativeAutoscalers.editAs('kubectl-edit', hpaName, { minReplicas: 7 });
    await passes(world, reconciler, 3);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout', 'Update checkout']);
    expect(last(world)).toBe('Stalled/FieldNotSupported');
  });

  it('whose defaults are newer ones is not written to again', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    world.nativeAutoscalers.keep = (spec) => ({ ...spec, selectionStrategy: 'LabelSelector' });
    await passes(world, reconciler, 3);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
    expect(last(world)).toBe('Done/Unchanged');
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

describe('what an HPA does', () => {
  const status = (desiredReplicas: number): JsonObject => ({
    currentReplicas: 4,
    desiredReplicas,
    conditions: [{ type: 'AbleToScale', status: 'True', reason: 'ReadyForNewScale', message: 'ready' }],
    currentMetrics: [
      { type: 'External', external: { metric: { name: 'queue' }, current: { averageValue: '1' } } },
    ],
  });

  it('is recorded on change, and folded while it stays', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    world.nativeAutoscalers.report(hpaName, status(4));
    await passes(world, reconciler, 4);
    expect(world.ledger.payloadsOf('HpaObservation')).toMatchObject([{ count: 1, desiredReplicas: 4 }]);
    world.nativeAutoscalers.report(hpaName, status(6));
    await passes(world, reconciler, 3);
    await reconciler.shutdown();
    expect(world.ledger.payloadsOf('HpaObservation')).toMatchObject([
      { count: 1, desiredReplicas: 4 },
      { count: 3, desiredReplicas: 4 },
      { count: 1, desiredReplicas: 6, metrics: [{ name: 'queue', current: { averageValue: { min: '1' } } }] },
      { count: 2, desiredReplicas: 6 },
    ]);
    await passes(world, await world.start(), 1);
    expect(world.ledger.payloadsOf('HpaObservation')).toHaveLength(4);
  });

  it('is one scaling event each, and people stay others', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    const target = scaleTargetOf(checkout.policy);
    await passes(world, reconciler, 2);
    world.scale.set(target, 6, { manager: 'kube-controller-manager' });
    await passes(world, reconciler, 1);
    world.scale.set(target, 5, { manager: 'kubectl' });
    await passes(world, reconciler, 1);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { origin: 'HorizontalPodAutoscaler', autoscaler: 'checkout', from: 4, to: 6, intent: null },
      { origin: 'External', manager: 'kubectl', from: 6, to: 5 },
    ]);
  });
});

function behaviorOfPolicy(): JsonObject {
  const direction = {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 900, periodSeconds: 15 }],
  };
  return { scaleUp: direction, scaleDown: direction };
}

describe('a rendered policy that leaves', () => {
  /** What the sync records of a policy that left, and the reconciler's passes after it. */
  async function leave(
    { world, checkout, reconciler }: Fixture,
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
    },
  );

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
    expect(next.listOrphanedHpas()).toEqual([{ ...hpaName, policy: key }]);
    expect(other.log.lines.filter(({ fields }) => fields['reason'] === 'Orphaned')).toHaveLength(1);
    other.proposes(other.add(rendered, 4), 4);
    await passes(other, next, 1);
    expect(next.listOrphanedHpas()).toEqual([]);
    expect(other.nativeAutoscalers.writes).toEqual([]);
  });
});
