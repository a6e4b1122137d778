import { describe, expect, it } from '@jest/globals';
import { isJsonObject } from '#kernel';
import type { EffectivePolicy } from '#policy';
import { plainHpa } from '../hpa/plain-hpa.ts';
import type { LeaveOutcome } from '../leave/leave-target.ts';
import type { LeaveTarget } from '../leave/plan-leave.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { FakeHpaFault } from '../ports/native-autoscalers.fake.ts';
import type { Reconciler } from '../reconciler.ts';
import { aPolicy } from '../testing/a-policy.ts';
import { actuations, hpaName, rendered } from '../testing/a-rendered-policy.ts';
import { flushMicrotasks, World } from '../testing/a-world.ts';

interface Left {
  readonly world: World;
  readonly checkout: ActivePolicy;
  readonly reconciler: Reconciler;
}

/** A policy over 4 replicas that was in force for two passes, and was released. */
async function released(changes: Partial<EffectivePolicy> = {}): Promise<Left> {
  const world = new World();
  const checkout = world.add(changes, 4);
  world.proposes(checkout, 4);
  const reconciler = await world.start();
  for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
  world.activePolicies.policies = [];
  await world.recordDeparture(checkout, 'Released');
  for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
  return { world, checkout, reconciler };
}

async function leave(
  { world, checkout }: Left,
  to: LeaveTarget,
  reconciler: Reconciler,
): Promise<LeaveOutcome> {
  const { policy, origin } = checkout;
  const left = { outcome: null as LeaveOutcome | null };
  const ended = reconciler.leave({ policy, commit: origin.commit, to }).then((outcome) => {
    left.outcome = outcome;
  });
  await flushMicrotasks();
  while (left.outcome === null) {
    world.clock.advance(1_000);
    await flushMicrotasks();
  }
  await ended;
  return left.outcome;
}

const metadataOf = (world: World): unknown => {
  const { labels, annotations, ownerReferences } = (world.nativeAutoscalers.document(hpaName)?.['metadata'] ??
    {}) as Record<string, unknown>;
  return { labels, annotations, ownerReferences };
};
const nothingOfOurs = { labels: {}, annotations: {}, ownerReferences: [] };
const windows = {
  schedules: [{ name: 'sale', cron: '0 8 * * *', timeZone: 'UTC', durationSeconds: 3_600, minReplicas: 5 }],
  freezes: [
    { name: 'night', cron: '0 22 * * *', timeZone: 'UTC', durationSeconds: 60, direction: 'Both' as const },
  ],
};

describe('a policy that is left', () => {
  it('waits while it is in force', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    const reconciler = await world.start();
    await world.pass(reconciler);
    const left = { world, checkout, reconciler };
    expect(await leave(left, 'HorizontalPodAutoscaler', reconciler)).toMatchObject({ kind: 'Waiting' });
    expect(world.nativeAutoscalers.writes).toEqual([]);
  });

  it('gets an HPA that nothing tells from one of another, and keeps its count', async () => {
    const left = await released();
    const { world, reconciler } = left;
    const outcome = await leave(left, 'HorizontalPodAutoscaler', reconciler);
    expect(outcome).toEqual({
      kind: 'Done',
      message: 'HorizontalPodAutoscaler checkout is made, and scales it',
    });
    const document = world.nativeAutoscalers.document(hpaName);
    expect(document?.['spec']).toMatchObject({ minReplicas: 1, maxReplicas: 10 });
    expect(isJsonObject(document?.['metadata']) && document['metadata']['annotations']).toBeUndefined();
    expect([world.nativeAutoscalers.listOwned(), reconciler.listOrphanedHpas()]).toEqual([[], []]);
    expect([actuations(world), world.scale.writes]).toEqual([['Create → Applied'], []]);
    const again = await leave(left, 'HorizontalPodAutoscaler', reconciler);
    expect(again).toEqual({ kind: 'Done', message: 'HorizontalPodAutoscaler checkout scales it' });
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
  });

  it('keeps the HPA that it was rendered into, without what is Plimsoll’s', async () => {
    const left = await released(rendered);
    const { world, reconciler } = left;
    const document = world.nativeAutoscalers.document(hpaName)!;
    const metadata = document['metadata'] as Record<string, Record<string, string>>;
    const ofOthers = { ...metadata, labels: { ...metadata['labels'], team: 'shop' } };
    world.nativeAutoscalers.putAs('kubectl', { ...document, metadata: ofOthers });
    expect(await leave(left, 'HorizontalPodAutoscaler', reconciler)).toMatchObject({ kind: 'Done' });
    expect(metadataOf(world)).toEqual({ ...nothingOfOurs, labels: { team: 'shop' } });
    expect(reconciler.listOrphanedHpas()).toEqual([]);
    expect(actuations(world)).toEqual(['Create → Applied', 'Update → Applied']);
  });

  it('loses the HPA that it was rendered into where it is left to nothing, and keeps its count', async () => {
    const left = await released(rendered);
    const { world, checkout, reconciler } = left;
    expect(await leave(left, 'None', reconciler)).toMatchObject({ kind: 'Done' });
    expect(world.nativeAutoscalers.document(hpaName)).toBeUndefined();
    expect([world.replicasOf(checkout), world.scale.writes]).toEqual([4, []]);
    const count = await leave(left, 'None', reconciler);
    expect(count).toEqual({ kind: 'Done', message: 'its count stays, and nothing scales it' });
  });

  it('is not said to have lost an HPA whose deletion is answered and deletes nothing', async () => {
    const left = await released(rendered);
    const { world, reconciler } = left;
    world.nativeAutoscalers.faults.push({ kind: 'Ignored' });
    expect(await leave(left, 'None', reconciler)).toEqual({
      kind: 'Blocked',
      message: expect.stringContaining('though the API server said that it did it'),
    });
    expect(actuations(world)).toEqual(['Create → Applied', 'Delete → Failed']);
    expect(await leave(left, 'None', reconciler)).toMatchObject({ kind: 'Done' });
  });

  const forbidden = { code: 'Forbidden', message: 'it is forbidden', retryable: false };

  it.each<{
    readonly name: string;
    readonly to: LeaveTarget;
    readonly fault: FakeHpaFault;
    readonly verb: string;
    readonly want?: LeaveOutcome['kind'];
  }>([
    {
      name: 'refused',
      to: 'HorizontalPodAutoscaler',
      fault: { kind: 'Fails', failure: forbidden },
      verb: 'Update',
    },
    { name: 'refused', to: 'None', fault: { kind: 'Fails', failure: forbidden }, verb: 'Delete' },
    {
      name: 'answered with an error of the API server’s own',
      to: 'None',
      fault: { kind: 'Breaks' },
      verb: 'Delete',
    },
    {
      name: 'refused for too many requests',
      to: 'HorizontalPodAutoscaler',
      fault: { kind: 'Fails', failure: { code: 'TooManyRequests', message: '429', retryable: true } },
      verb: 'Update',
      want: 'Waiting',
    },
    {
      name: 'refused for a credential that has expired',
      to: 'None',
      fault: { kind: 'Fails', failure: { code: 'Unauthorized', message: '401', retryable: true } },
      verb: 'Delete',
      want: 'Waiting',
    },
  ])(
    'is written three times and then once in a minute where its $verb is $name',
    async ({ to, fault, verb, want = 'Blocked' }) => {
      const left = await released(rendered);
      const { world, reconciler } = left;
      world.nativeAutoscalers.faults.push(...Array.from({ length: 100 }, () => fault));
      const attempts = (): number => world.ledger.payloadsOf('ActuationIntent').length - 1;
      for (let asked = 0; asked < 10; asked += 1) await leave(left, to, reconciler);
      expect(attempts()).toBe(3);
      expect(await leave(left, to, reconciler)).toEqual({
        kind: want,
        message: expect.stringMatching(/; refused 3 times since .*, next attempt at /),
      });
      world.clock.advance(60_000);
      for (let asked = 0; asked < 3; asked += 1) await leave(left, to, reconciler);
      expect(attempts()).toBe(4);
      world.nativeAutoscalers.faults.length = 0;
      world.clock.advance(60_000);
      expect(await leave(left, to, reconciler)).toMatchObject({ kind: 'Done' });
      expect(actuations(world).at(-1)).toBe(`${verb} → Applied`);
    },
  );

  it('does not wait for what it was refused where it is left otherwise', async () => {
    const left = await released(rendered);
    const { world, reconciler } = left;
    const faults = Array.from({ length: 3 }, () => ({ kind: 'Fails', failure: forbidden }) as const);
    world.nativeAutoscalers.faults.push(...faults);
    for (let asked = 0; asked < 3; asked += 1) await leave(left, 'None', reconciler);
    expect(await leave(left, 'HorizontalPodAutoscaler', reconciler)).toMatchObject({ kind: 'Done' });
  });

  it('leaves alone an HPA of another on the same target', async () => {
    const left = await released();
    const { world, reconciler, checkout } = left;
    const spec = { scaleTargetRef: { ...checkout.policy.target }, maxReplicas: 3 };
    const metadata = { name: 'theirs', namespace: 'shop' };
    world.nativeAutoscalers.putAs('kubectl', { metadata, spec });
    expect(await leave(left, 'HorizontalPodAutoscaler', reconciler)).toEqual({
      kind: 'Done',
      message: 'HorizontalPodAutoscaler theirs scales it',
    });
    expect(world.nativeAutoscalers.writes).toEqual([]);
  });

  it.each([
    { taken: 'Yes' as const, want: ['Create → Applied'] },
    { taken: 'No' as const, want: ['Create → Failed', 'Create → Applied'] },
  ])('whose write a crash cut off (taken: $taken) is left by the next process', async ({ taken, want }) => {
    const left = await released();
    const { world, checkout, reconciler } = left;
    world.nativeAutoscalers.faults.push({ kind: 'Hangs', taken });
    void reconciler.leave({ policy: checkout.policy, commit: null, to: 'HorizontalPodAutoscaler' });
    await flushMicrotasks();
    const next = await world.start();
    for (let round = 0; round < 2; round += 1) {
      const outcome = await leave(left, 'HorizontalPodAutoscaler', next);
      if (outcome.kind === 'Done') break;
    }
    expect(actuations(world)).toEqual(want);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
  });

  it.each([
    { name: 'makes its HPA', changes: {}, want: ['Create → Applied'] },
    { name: 'changes its HPA', changes: rendered, want: ['Create → Applied', 'Update → Applied'] },
  ])('is left by a write that is delivered twice and $name', async ({ changes, want }) => {
    const left = await released(changes);
    const { world, reconciler } = left;
    world.nativeAutoscalers.faults.push({ kind: 'Twice' });
    expect(await leave(left, 'HorizontalPodAutoscaler', reconciler)).toMatchObject({ kind: 'Done' });
    expect(actuations(world)).toEqual(want);
    expect(await leave(left, 'HorizontalPodAutoscaler', reconciler)).toMatchObject({ kind: 'Done' });
    expect(world.ledger.payloadsOf('ActuationIntent')).toHaveLength(want.length);
  });

  it('waits where its HPA is not made and others are faster, and leaves theirs alone', async () => {
    const left = await released();
    const { world, checkout, reconciler } = left;
    const failure = { code: 'Conflict', message: '409', retryable: true };
    world.nativeAutoscalers.faults.push({ kind: 'Fails', failure });
    expect(await leave(left, 'HorizontalPodAutoscaler', reconciler)).toEqual({
      kind: 'Waiting',
      message: '409',
    });
    expect(world.ledger.payloadsOf('ActuationOutcome')).toMatchObject([
      { result: 'Failed', code: 'Conflict' },
    ]);
    const spec = { scaleTargetRef: { ...checkout.policy.target }, maxReplicas: 3 };
    world.nativeAutoscalers.putAs('kubectl', { metadata: { name: 'checkout', namespace: 'shop' }, spec });
    expect(await leave(left, 'HorizontalPodAutoscaler', reconciler)).toEqual({
      kind: 'Done',
      message: 'HorizontalPodAutoscaler checkout scales it',
    });
  });

  it('has no write in mode Observe', async () => {
    const left = await released();
    left.reconciler.reconfigure({ ...left.world.options, mode: 'Observe' });
    expect(await leave(left, 'HorizontalPodAutoscaler', left.reconciler)).toEqual({
      kind: 'Blocked',
      message:
        'in mode Observe nothing is written: set mode to Act and ask again, or apply its manifest by hand',
    });
  });
});

describe('plainHpa', () => {
  const prometheus = {
    type: 'Prometheus' as const,
    server: 'main',
    query: 'up',
    target: { type: 'Value' as const, valueMilli: 1n },
    targetDocument: {},
  };
  const watermark = {
    type: 'External' as const,
    metric: { name: 'queue' },
    target: {
      type: 'Watermark' as const,
      lowMilli: 1n,
      highMilli: 2n,
      algorithm: 'absolute' as const,
      toleranceMilli: 0,
    },
    targetDocument: {},
  };

  it.each([
    { name: 'a dry run', changes: { dryRun: true }, want: 'dry run' },
    { name: 'a disabled policy', changes: { enabled: false }, want: 'disabled' },
    { name: 'watermarks', changes: { metrics: [watermark] }, want: 'metric queue' },
    { name: 'a Prometheus metric', changes: { metrics: [prometheus] }, want: 'Prometheus' },
  ])('has none for $name, and says so', ({ changes, want }) => {
    const { spec, gaps } = plainHpa(aPolicy(changes));
    expect([spec, gaps]).toEqual([null, [expect.stringContaining(want)]]);
  });

  it('says what it does not carry on', () => {
    const [metric] = aPolicy().metrics;
    const tolerant = {
      ...metric!,
      target: { ...metric!.target, tolerance: { text: '0.2', fraction: 0.2 } },
      targetDocument: { ...metric!.targetDocument, tolerance: '0.2' },
    } as typeof metric & object;
    const { spec, gaps } = plainHpa(
      aPolicy({
        ...windows,
        metrics: [tolerant],
        intervalSeconds: 60,
        minReplicas: 0,
        selectionStrategy: 'OwnerReference',
        behavior: { isSet: false, scaleUp: { forbiddenWindowSeconds: 9 }, scaleDown: {} },
      }),
    );
    expect(gaps).toEqual([
      'its schedules do not go on: sale',
      'its freezes do not go on: night',
      'forbiddenWindowSeconds of its behavior have no place in autoscaling/v2',
      'a tolerance of a single metric has no place in autoscaling/v2',
      'pods are counted by the label selector alone, and not by their owners',
      'minReplicas 0 needs the feature HPAScaleToZero of the API server',
      'it is looked at every 15 s, and not every 60 s',
    ]);
    expect(spec).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
      minReplicas: 0,
      maxReplicas: 10,
      metrics: [
        {
          type: 'External',
          external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '1' } },
        },
      ],
    });
  });
});

describe('what a leave is said to come to, beforehand', () => {
  const ofAnother = (name: string, target: string) => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'shop', name },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target }, maxReplicas: 9 },
  });

  it.each<{
    readonly name: string;
    readonly hpas: readonly (readonly [string, string])[];
    readonly want: unknown;
  }>([
    { name: 'no HPA is there', hpas: [], want: ['to a plain HPA', true] },
    {
      name: 'an HPA of somebody else scales the target',
      hpas: [['of-the-shop', 'checkout']],
      want: ['HorizontalPodAutoscaler of-the-shop scales it', false],
    },
    {
      name: 'the plain HPA is there',
      hpas: [['checkout', 'checkout']],
      want: ['HorizontalPodAutoscaler checkout scales it', true],
    },
    {
      name: 'an HPA of its name scales another target',
      hpas: [['checkout', 'api']],
      want: [
        'without an HPA: HorizontalPodAutoscaler checkout scales another target: delete it, or give it another name, and ask again',
        false,
      ],
    },
  ])('is what it then does where $name', async ({ hpas, want }) => {
    const left = await released();
    const { world, checkout, reconciler } = left;
    for (const [name, target] of hpas) world.nativeAutoscalers.putAs('kubectl', ofAnother(name, target));
    const { policy } = checkout;
    const { rest, manifest } = reconciler.foreseeLeave({ policy, to: 'HorizontalPodAutoscaler' });
    expect([rest.replace(/^[,:] /u, ''), manifest !== null]).toEqual(want);
    const { message } = await leave(left, 'HorizontalPodAutoscaler', reconciler);
    if (hpas.length > 0) expect(rest).toContain(message);
  });

  it('is that nothing is written, where the controller observes alone', async () => {
    const { world, checkout, reconciler } = await released();
    reconciler.reconfigure({ ...world.options, mode: 'Observe' });
    const { policy } = checkout;
    const { rest, manifest } = reconciler.foreseeLeave({ policy, to: 'HorizontalPodAutoscaler' });
    expect([rest, manifest !== null]).toEqual([
      expect.stringContaining('in mode Observe nothing is written'),
      true,
    ]);
  });

  it('is not that nothing scales the target, where an HPA of somebody else does', async () => {
    const left = await released();
    const { world, checkout, reconciler } = left;
    world.nativeAutoscalers.putAs('kubectl', ofAnother('of-the-shop', 'checkout'));
    const message = 'HorizontalPodAutoscaler of-the-shop scales it';
    const { policy } = checkout;
    expect(reconciler.foreseeLeave({ policy, to: 'None' }).rest).toBe(`: ${message}`);
    expect(await leave(left, 'None', reconciler)).toEqual({ kind: 'Done', message });
  });

  it('names the HPA that it would delete, and that it does not know of any', async () => {
    const { world, checkout, reconciler } = await released(rendered);
    const { policy } = checkout;
    expect(reconciler.foreseeLeave({ policy, to: 'None' }).rest).toBe(
      ': its HPA is deleted, and its count stays',
    );
    world.nativeAutoscalers.unsync('shop');
    expect(reconciler.foreseeLeave({ policy, to: 'HorizontalPodAutoscaler' }).gaps).toEqual([
      expect.stringContaining('whether an HPA scales it is not known: '),
    ]);
  });
});
