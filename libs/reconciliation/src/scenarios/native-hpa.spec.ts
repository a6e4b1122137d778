import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { Reconciler } from '../reconciler.ts';
import { aNativeAutoscaler } from '../testing/a-native-autoscaler.ts';
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
  specOf,
} from '../testing/a-rendered-policy.ts';
import { World } from '../testing/a-world.ts';

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
    expect(lastMessage(world)).toMatch(
      /  not written: HorizontalPodAutoscaler checkout, applied by helm, is not Plimsoll's[:;] .*delete it/,
    );
    expect(world.nativeAutoscalers.writes).toEqual([]);
  });

  it('names what differs where it is not taken over as equal, in Event, condition and log, and reads it once', async () => {
    const { world, reconciler } = await aRenderedPolicy({ annotations: { 'plimsoll.dev/adopt': 'IfEqual' } });
    put(world, { ...equal, minReplicas: 3, maxReplicas: 9 });
    await passes(world, reconciler, 3);
    const differs =
      "differs from the policy's (spec.minReplicas 3 → 1, spec.maxReplicas 9 → 10), so plimsoll.dev/adopt: IfEqual";
    expect(lastMessage(world)).toContain(differs);
    expect(world.kubernetesEvents.emitted.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(differs),
    );
    expect(world.reports.reports.at(-1)?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Conflict',
        status: 'True',
        message: expect.stringContaining(differs),
      }),
    );
    expect(world.nativeAutoscalers.reads).toBe(1);
    put(world, { ...equal, maxReplicas: 8 });
    await passes(world, reconciler, 2);
    expect(lastMessage(world)).toContain('(spec.maxReplicas 8 → 10)');
    expect(world.nativeAutoscalers.reads).toBe(2);
  });

  it('on its target under another name is a conflict, also in mode Observe', async () => {
    const world = new World();
    world.options = { ...world.options, mode: 'Observe' };
    world.proposes(world.add(rendered, 4), 4);
    world.nativeAutoscalers.set('shop', [aNativeAutoscaler({ name: 'web' })]);
    await passes(world, await world.start(), 2);
    expect(world.reports.outcomesOf(key)).toEqual(['Stalled/Conflict', 'Stalled/Conflict']);
  });

  it.each(['IfEqual', 'Always'])(
    'of another name is not taken over with adopt: %s, which says why',
    async (adopt) => {
      const { world, reconciler } = await aRenderedPolicy({ annotations: { 'plimsoll.dev/adopt': adopt } });
      world.nativeAutoscalers.set('shop', [aNativeAutoscaler({ name: 'web' })]);
      await passes(world, reconciler, 1);
      expect(last(world)).toBe('Stalled/Conflict');
      expect(lastMessage(world)).toContain(
        "HorizontalPodAutoscaler web, applied by helm, scales the same target; plimsoll.dev/adopt takes over an HPA of the policy's own name (checkout) only: rename the policy to web, or delete the HPA",
      );
      expect(world.nativeAutoscalers.writes).toEqual([]);
    },
  );

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

describe('an API server that does not support what is rendered', () => {
  const keepMaximum = (spec: JsonObject): JsonObject => ({ ...spec, maxReplicas: 10 });

  it('is told in every pass, and is not written to again until the policy or it changes', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy({ maxReplicas: 12 });
    world.nativeAutoscalers.keep = keepMaximum;
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

  it('that makes another value of a field, as admission does, is tried again after ten minutes', async () => {
    const { world, reconciler } = await aRenderedPolicy({ maxReplicas: 12 });
    world.nativeAutoscalers.keep = keepMaximum;
    await passes(world, reconciler, 3);
    expect(lastMessage(world)).toMatch(
      /it does not keep spec.maxReplicas 10 → 12 \(does an admission webhook set it\?\); .* or ten minutes have passed/,
    );
    world.nativeAutoscalers.keep = (spec) => spec;
    const next = await world.start();
    await passes(world, next, 2);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
    world.clock.advance(600_000);
    await passes(world, next, 2);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout', 'Update checkout']);
    expect(last(world)).toBe('Done/Unchanged');
  });

  it('is written to again where somebody edits the HPA', async () => {
    const { world, reconciler } = await aRenderedPolicy({ maxReplicas: 12 });
    world.nativeAutoscalers.keep = keepMaximum;
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

  it.each([
    { name: 'the name that its status is written under', writer: 'openshift-kcm', manager: 'openshift-kcm' },
    { name: 'the name of K3s before it wrote a status', writer: null, manager: 'k3s' },
    { name: 'the name of MicroK8s before it wrote a status', writer: null, manager: 'kubelite' },
  ])('is recognised by $name', async ({ writer, manager }) => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    if (writer !== null) world.nativeAutoscalers.report(hpaName, status(6), writer);
    world.scale.set(scaleTargetOf(checkout.policy), 6, { manager });
    await passes(world, reconciler, 1);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { origin: 'HorizontalPodAutoscaler', autoscaler: 'checkout', manager, from: 4, to: 6 },
    ]);
  });

  it('is told by what its status asked for where a count of 0 has left no manager', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    const target = scaleTargetOf(checkout.policy);
    await passes(world, reconciler, 1);
    for (const count of [0, 3]) {
      world.scale.set(target, count, { manager: null });
      world.nativeAutoscalers.report(hpaName, status(count));
    }
    await passes(world, reconciler, 1);
    world.scale.set(target, 5, { manager: null });
    await passes(world, reconciler, 1);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { origin: 'HorizontalPodAutoscaler', autoscaler: 'checkout', manager: null, from: 4, to: 0 },
      { origin: 'HorizontalPodAutoscaler', autoscaler: 'checkout', manager: null, from: 0, to: 3 },
      { origin: 'External', manager: null, from: 3, to: 5 },
    ]);
  });

  it('is not what a manager that wrote its spec, and no status, scales', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    world.nativeAutoscalers.report(hpaName, status(6), 'k3s');
    world.nativeAutoscalers.editAs('argocd-controller', hpaName, {});
    world.scale.set(scaleTargetOf(checkout.policy), 6, { manager: 'argocd-controller' });
    await passes(world, reconciler, 1);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'External' }]);
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

describe('a contest over an HPA', () => {
  /** So many edits by another, each followed by a pass. */
  async function edit(world: World, reconciler: Reconciler, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      world.nativeAutoscalers.editAs('argocd-controller', hpaName, { maxReplicas: 99 });
      await passes(world, reconciler, 1);
    }
  }

  it('lets corrections wait from the third edit within ten minutes on, and names who and what to do', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    await edit(world, reconciler, 3);
    expect(world.reports.outcomesOf(key).slice(1)).toEqual([
      'Done/HpaUpdated',
      'Done/HpaUpdated',
      'Stalled/Contested',
    ]);
    expect(lastMessage(world)).toContain('3 writes of Plimsoll were undone, the last by argocd-controller');
    expect(lastMessage(world)).toContain('stop what applies the HPA, or disable the policy');
    await passes(world, reconciler, 2);
    expect(last(world)).toBe('Stalled/Contested');
    await passes(world, reconciler, 2);
    expect(specOf(world)).toMatchObject({ maxReplicas: 10 });
    expect(actuations(world)).toHaveLength(4);
  });

  it('says the same in its condition, also of a policy that was disabled meanwhile', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    await edit(world, reconciler, 3);
    const message = () =>
      world.reports.reports.at(-1)?.conditions.find(({ type }) => type === 'Contested')?.message;
    expect(message()).toContain('stop what applies the HPA');
    expect(message()).not.toContain('spec.replicas');
    world.activePolicies.policies = world.activePolicies.policies.map((active) => ({
      ...active,
      policy: { ...active.policy, enabled: false },
    }));
    await passes(world, reconciler, 1);
    expect(message()).toContain('stop what applies the HPA');
  });

  it('ends its wait also while the HPA is edited again and again, and counts writes, not edits', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    for (let pass = 0; pass < 40; pass += 1) {
      world.nativeAutoscalers.editAs('argocd-controller', hpaName, { maxReplicas: 20 + pass });
      await passes(world, reconciler, 1);
    }
    const writes = actuations(world).length - 1;
    expect(writes).toBeGreaterThanOrEqual(5);
    expect(lastMessage(world)).toContain(`${writes + 1} writes of Plimsoll were undone`);
  });

  it('lets a stop of scaling in wait for a minute at most, as what allows more replicas', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    for (let pass = 0; pass < 60; pass += 1) {
      world.nativeAutoscalers.editAs('argocd-controller', hpaName, { maxReplicas: 20 });
      await passes(world, reconciler, 1);
    }
    const freeze = { kind: 'Freeze', name: 'sale', direction: 'Down', since: null, until: null } as const;
    world.windows.windows = [freeze];
    await passes(world, reconciler, 5);
    expect(specOf(world)).toMatchObject({ behavior: { scaleDown: { selectPolicy: 'Disabled' } } });
  });

  it('goes on over a restart: it begins with the third edit, and corrections wait as long as without one', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    await edit(world, reconciler, 2);
    await edit(world, await world.start(), 1);
    expect(last(world)).toBe('Stalled/Contested');
    const next = await world.start();
    await passes(world, next, 2);
    expect(last(world)).toBe('Stalled/Contested');
    await passes(world, next, 2);
    expect(last(world)).toBe('Done/HpaUpdated');
    expect(specOf(world)).toMatchObject({ maxReplicas: 10 });
    expect(actuations(world)).toHaveLength(4);
  });

  it('is none where edits are rare', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    for (let day = 0; day < 4; day += 1) {
      await edit(world, reconciler, 1);
      world.clock.advance(600_000);
    }
    expect(last(world)).toBe('Done/HpaUpdated');
  });
});
