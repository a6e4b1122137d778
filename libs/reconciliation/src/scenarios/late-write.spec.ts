import { describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import {
  actuations,
  aRenderedPolicy,
  change,
  hpaName,
  passes,
  specOf,
} from '../testing/a-rendered-policy.ts';
import { flushMicrotasks, World } from '../testing/a-world.ts';

const key = 'shop/checkout';

/** A policy whose write from 4 to 6 is under way when its process dies; nothing asks for more than 4 any more. */
async function aLateWrite(): Promise<{ readonly world: World; readonly checkout: ActivePolicy }> {
  const world = new World();
  const checkout = world.add({}, 4);
  world.proposes(checkout, 6);
  world.scale.faults.push({ kind: 'Late' });
  void (await world.start()).sweep();
  await flushMicrotasks();
  expect(world.ledger.kindsOf('shop', 'checkout').at(-1)).toBe('ScalingIntent');
  world.proposes(checkout, 4);
  return { world, checkout };
}

const failures = (world: World): unknown => world.ledger.payloadsOf('ScalingFailure');
const versionOf = (world: World, { policy }: ActivePolicy): unknown => {
  const [intent] = world.ledger.payloadsOf('ScalingIntent');
  expect(intent).toMatchObject({ policy: { name: policy.name } });
  return intent?.['resourceVersion'];
};

describe('a write of a scale that is called not made', () => {
  it('cannot be made any more by a request that arrives after the take-over', async () => {
    const { world, checkout } = await aLateWrite();
    const reconciler = await world.start();
    expect(failures(world)).toMatchObject([{ code: 'NotApplied' }]);
    expect(world.scale.retired).toEqual([
      { target: 'shop/Deployment/checkout', version: versionOf(world, checkout) },
    ]);
    await world.pass(reconciler);
    world.scale.deliverLate();
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.ledger.payloadsOf('ScalingEvent')).toEqual([]);
    world.proposes(checkout, 7);
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'Plimsoll', from: 4, to: 7 }]);
    expect(world.scale.retired).toHaveLength(1);
  });

  it('cannot be made any more in the process that gave up waiting for the answer', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    const reconciler = await world.start();
    world.scale.faults.push({ kind: 'Late' });
    await world.pass(reconciler);
    world.proposes(checkout, 4);
    await world.pass(reconciler);
    expect(failures(world)).toMatchObject([{ code: 'NotApplied' }]);
    world.scale.deliverLate();
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.ledger.payloadsOf('ScalingEvent')).toEqual([]);
  });

  it('cannot be made any more where its policy is not in force', async () => {
    const { world, checkout } = await aLateWrite();
    world.activePolicies.policies = [];
    await world.start();
    expect(failures(world)).toMatchObject([{ code: 'NotApplied' }]);
    world.scale.deliverLate();
    expect(world.replicasOf(checkout)).toBe(4);
  });

  it('cannot be made any more on a version that came after the one that was decided on', async () => {
    const { world, checkout } = await aLateWrite();
    const { policy } = checkout;
    // Something else of the object changes: a sender that was told so goes on with the new version.
    world.scale.set(scaleTargetOf(policy), 4);
    const version = await readVersion(world, checkout);
    await world.start();
    expect(failures(world)).toMatchObject([{ code: 'Overtaken' }]);
    expect(world.scale.retired).toEqual([{ target: 'shop/Deployment/checkout', version }]);
  });

  it('is looked at again where the version changes meanwhile: it has just been made', async () => {
    const { world, checkout } = await aLateWrite();
    world.scale.retirements.push(() => world.scale.deliverLate());
    await world.start();
    expect(world.replicasOf(checkout)).toBe(6);
    expect(failures(world)).toEqual([]);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'Plimsoll', from: 4, to: 6 }]);
    expect(world.scale.retired).toEqual([]);
  });

  it('waits for the answer of what makes its version a former one', async () => {
    const { world } = await aLateWrite();
    world.scale.retirements.push({ kind: 'Unknown', message: 'no answer within 10 s' });
    const reconciler = await world.start();
    expect(failures(world)).toEqual([]);
    world.scale.retirements.push({ kind: 'Unknown', message: 'no answer within 10 s' });
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Waiting/WriteInDoubt']);
    expect(world.reports.reports.at(-1)?.outcome.message).toContain('no answer within 10 s');
    await world.pass(reconciler);
    expect(failures(world)).toMatchObject([{ code: 'NotApplied' }]);
  });

  it('waits for longer between requests that keep failing, for a minute at most, and says so', async () => {
    const { world } = await aLateWrite();
    const said = 'failed calling webhook "gate"';
    const failing = Array.from({ length: 100 }, () => ({ kind: 'Unknown', message: said }) as const);
    world.scale.retirements.push(...failing);
    const reconciler = await world.start();
    const sent: number[] = [];
    for (let pass = 0; pass < 12; pass += 1) {
      const before = world.scale.retirements.length;
      await world.pass(reconciler);
      if (world.scale.retirements.length < before) sent.push(pass);
    }
    expect(sent).toEqual([0, 1, 5, 9]);
    expect(new Set(world.reports.outcomesOf(key))).toEqual(new Set(['Waiting/WriteInDoubt']));
    expect(world.reports.reports.at(-1)?.outcome.message).toMatch(
      /: failed calling webhook "gate"; failed 5 times, next attempt at 2026-11-20T12:03:30\.000Z$/,
    );
    world.scale.retirements.length = 0;
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(failures(world)).toMatchObject([{ code: 'NotApplied' }]);
  });

  it('waits until its process may write', async () => {
    const { world } = await aLateWrite();
    world.shards.isWriting = false;
    const reconciler = await world.start();
    expect([failures(world), world.scale.retired]).toEqual([[], []]);
    world.shards.isWriting = true;
    await world.pass(reconciler);
    expect(failures(world)).toMatchObject([{ code: 'NotApplied' }]);
  });

  it('says that it may come late where the Role lacks the verb, and names it', async () => {
    const { world, checkout } = await aLateWrite();
    const message = 'deployments.apps "checkout" is forbidden: cannot patch resource "deployments/scale"';
    world.scale.retirements.push({ kind: 'Refused', message });
    const reconciler = await world.start();
    expect(failures(world)).toMatchObject([
      { code: 'MayComeLate', message: expect.stringContaining(message) },
    ]);
    expect(world.log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', text: expect.stringContaining(message) }),
    );
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key).at(-1)).toBe('Done/Unchanged');
    world.scale.deliverLate();
    expect(world.replicasOf(checkout)).toBe(6);
  });

  it.each([
    { name: 'in mode Observe', mode: 'Observe', changes: {} },
    { name: 'in a dry run', mode: 'Act', changes: { dryRun: true } },
  ] as const)('leaves the version alone $name, and says so', async ({ mode, changes }) => {
    const { world, checkout } = await aLateWrite();
    world.options = { ...world.options, mode };
    change(world, checkout, changes);
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.scale.retired).toEqual([]);
    expect(failures(world)).toMatchObject([{ code: 'MayComeLate' }]);
  });
});

describe('a replacement of an HPA that is called not made', () => {
  it('cannot be made any more by a request that arrives late, and leaves no trace after the next one', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    change(world, checkout, { maxReplicas: 20 });
    world.nativeAutoscalers.faults.push({ kind: 'Late' });
    world.clock.advance(15_000);
    void reconciler.sweep();
    await flushMicrotasks();
    world.activePolicies.policies = [checkout];
    const next = await world.start();
    expect(actuations(world)).toEqual(['Create → Applied', 'Update → Failed']);
    expect(world.nativeAutoscalers.retired).toEqual(['checkout 2']);
    world.nativeAutoscalers.deliverLate();
    await passes(world, next, 2);
    expect(world.nativeAutoscalers.writes).toEqual(['Create checkout']);
    expect(specOf(world)).toMatchObject({ maxReplicas: 10 });
    change(world, checkout, { maxReplicas: 30 });
    await passes(world, next, 1);
    expect(world.nativeAutoscalers.document(hpaName)).toMatchObject({
      metadata: { annotations: { 'plimsoll.dev/policy': key } },
      spec: { maxReplicas: 30 },
    });
    const { annotations } = Object(world.nativeAutoscalers.document(hpaName)?.['metadata']) as {
      annotations: object;
    };
    expect(annotations).not.toHaveProperty(['plimsoll.dev/retired-version']);
    expect(world.ledger.payloadsOf('ActuationIntent').at(-1)).toMatchObject({ drift: null });
  });
});

async function readVersion(world: World, { policy }: ActivePolicy): Promise<string> {
  const reading = await world.scale.readScale({ target: scaleTargetOf(policy), freshness: 'Live' });
  if (!('state' in reading)) throw new Error('the scale is gone');
  return reading.state.resourceVersion;
}
