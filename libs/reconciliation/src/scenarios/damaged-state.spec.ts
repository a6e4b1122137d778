import { describe, expect, it } from '@jest/globals';
import { AdapterError, namespacedName } from '#kernel';
import { type PolicyKey, policyStream, recordDamaged } from '#ledger';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { aPolicy } from '../testing/a-policy.ts';
import { flushMicrotasks, World } from '../testing/a-world.ts';

const { behavior } = aPolicy();
const window = { ...behavior, scaleDown: { ...behavior.scaleDown, stabilizationWindowSeconds: 300 } };
const message = 'column memory of policy:shop/checkout holds no JSON; mend the row';

interface Damage {
  readonly mend: () => void;
}

/** From now on the policy's state cannot be read. */
function damage({ ledger }: World, { policy }: ActivePolicy): Damage {
  const read = ledger.policyStates.bind(ledger);
  const isDamaged = (asked: PolicyKey): boolean => namespacedName(asked) === namespacedName(policy);
  ledger.policyStates = (policies) =>
    policies.some(isDamaged)
      ? Promise.reject(new AdapterError({ code: recordDamaged, message, retryable: false }))
      : read(policies);
  return {
    mend: () => {
      ledger.policyStates = read;
    },
  };
}

/** Two policies over 4 replicas, looked at four times; both want 2 after that, and one has a window that remembers 4. */
async function twoPolicies() {
  const world = new World();
  const checkout = world.add({ behavior: window }, 4);
  const other = world.add({ name: 'other' }, 4);
  for (const policy of [checkout, other]) world.proposes(policy, 4);
  const reconciler = await world.start();
  for (let pass = 0; pass < 4; pass += 1) await world.pass(reconciler);
  for (const policy of [checkout, other]) world.proposes(policy, 2);
  return { world, checkout, other };
}

describe('a policy whose state cannot be read', () => {
  it('is held by itself, in every pass, with the row and the cure, and nothing of it is stored', async () => {
    const { world, checkout, other } = await twoPolicies();
    damage(world, checkout);
    const stored = world.ledger.states.get(policyStream(checkout.policy));
    const reconciler = await world.start();
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout')).toEqual(Array(3).fill('Failed/AdapterFailed'));
    const held = world.reports.reports.find(({ key }) => key === 'shop/checkout');
    expect(held?.outcome.message).toContain(message);
    expect([world.replicasOf(checkout), world.replicasOf(other)]).toEqual([4, 2]);
    expect(world.ledger.states.get(policyStream(checkout.policy))).toBe(stored);
  });

  it('goes on from it once it is mended: its window remembers', async () => {
    const { world, checkout } = await twoPolicies();
    const { mend } = damage(world, checkout);
    const reconciler = await world.start();
    await world.pass(reconciler);
    mend();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toMatch(/^Done/);
    expect(world.replicasOf(checkout)).toBe(4);
    const kinds = world.ledger.kindsOf('shop', 'checkout');
    expect(kinds.filter((kind) => kind === 'StrategyChange')).toHaveLength(1);
  });

  it('begins as one that is new once its state is deleted', async () => {
    const { world, checkout } = await twoPolicies();
    const { mend } = damage(world, checkout);
    const reconciler = await world.start();
    await world.pass(reconciler);
    mend();
    world.ledger.states.delete(policyStream(checkout.policy));
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toMatch(/^Done/);
    const { memory } = world.ledger.states.get(policyStream(checkout.policy)) ?? {};
    // As of a policy that was never seen: the count that it finds, and what it asks for.
    expect(memory?.recommendations?.map(({ replicas }) => replicas)).toEqual([4, 2]);
  });

  it.each([{ isDeleted: false }, { isDeleted: true }])(
    'has the outcome of its last write found out first (state deleted: $isDeleted)',
    async ({ isDeleted }) => {
      const { world, checkout, other } = await twoPolicies();
      for (const policy of [checkout, other]) world.proposes(policy, 8);
      world.scale.faults.push({ kind: 'Lost', taken: 'Yes' }, { kind: 'Lost', taken: 'Yes' });
      const crashing = await world.start();
      world.clock.advance(15_000);
      void crashing.sweep();
      await flushMicrotasks();
      expect(await world.ledger.pendingIntents({ limit: 10 })).toHaveLength(2);
      const { mend } = damage(world, checkout);
      const reconciler = await world.start();
      await world.pass(reconciler);
      const ends = () =>
        [...world.ledger.payloadsOf('ScalingEvent'), ...world.ledger.payloadsOf('ScalingFailure')].filter(
          ({ policy }) => (policy as { name?: string }).name === 'checkout',
        );
      expect(ends()).toEqual([]);
      mend();
      if (isDeleted) world.ledger.states.delete(policyStream(checkout.policy));
      await world.pass(reconciler);
      expect(ends()).toHaveLength(1);
      expect(await world.ledger.pendingIntents({ limit: 10 })).toEqual([]);
    },
  );

  it('is not decided where it comes into force after its shard was taken', async () => {
    const { world, checkout } = await twoPolicies();
    const { policies } = world.activePolicies;
    damage(world, checkout);
    world.activePolicies.policies = policies.filter((active) => active !== checkout);
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.activePolicies.policies = policies;
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout')).toEqual(['Failed/AdapterFailed']);
    expect(world.replicasOf(checkout)).toBe(4);
  });

  it('leaves once it can be read', async () => {
    const { world, checkout } = await twoPolicies();
    const { mend } = damage(world, checkout);
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.activePolicies.policies = world.activePolicies.policies.filter((active) => active !== checkout);
    await world.recordDeparture(checkout, 'Pruned');
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    expect(world.ledger.states.has(policyStream(checkout.policy))).toBe(true);
    mend();
    for (let pass = 0; pass < 6; pass += 1) await world.pass(reconciler);
    expect(world.ledger.states.has(policyStream(checkout.policy))).toBe(false);
  });
});

describe('conditions that cannot be read', () => {
  it('begin anew, and hold nothing up', async () => {
    const { world, other } = await twoPolicies();
    const code = recordDamaged;
    world.ledger.policyConditions = () =>
      Promise.reject(new AdapterError({ code, message, retryable: false }));
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.replicasOf(other)).toBe(2);
    expect(world.log.lines.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('shop/checkout  its conditions begin anew'),
    );
  });
});
