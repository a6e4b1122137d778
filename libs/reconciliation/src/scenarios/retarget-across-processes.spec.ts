import { describe, expect, it } from '@jest/globals';
import { LedgerWriter, policyStream } from '#ledger';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { Reconciler } from '../reconciler.ts';
import { anActivePolicy } from '../testing/a-policy.ts';
import { World } from '../testing/a-world.ts';

const key = 'shop/checkout';
const stream = 'policy:shop/former';

interface Taking {
  readonly world: World;
  /** Of shard 1, which another process holds; it has the Deployment `checkout`. */
  readonly former: ActivePolicy;
  readonly checkout: ActivePolicy;
}

function aTaking(): Taking {
  const world = new World();
  world.shards.byPrefix.set('former', 1);
  const checkout = world.add({}, 4);
  world.proposes(checkout, 6);
  const former = anActivePolicy({ name: 'former', target: checkout.policy.target });
  world.activePolicies.policies = [former];
  return { world, former, checkout };
}

/** What the other process has stored of `former`. */
function storeAccount({ world }: Taking, uid: string | null): void {
  world.ledger.states.set(stream, {
    policy: { namespace: 'shop', name: 'former' },
    memory: {},
    memoryIfWritten: null,
    openRun: null,
    lastDecision: null,
    strategy: null,
    account: uid === null ? null : { uid, replicas: 4, resourceVersion: '1' },
    contest: null,
    refusal: null,
    updatedAt: world.clock.now(),
  });
}

/** An intent of `former`, of a process that goes on. */
async function announce({ world, former }: Taking): Promise<void> {
  const fence = await world.ledger.takeOver('shard/1');
  const writer = new LedgerWriter({ port: world.ledger, fence, cluster: 'test' });
  const payload = {
    policy: { namespace: 'shop', name: 'former' },
    target: { ...former.policy.target, uid: 'uid-of-checkout' },
    from: 4,
    to: 5,
    reason: 'test',
    resourceVersion: '1',
    decision: null,
    commit: null,
  };
  const draft = { stream: policyStream(payload.policy), time: world.clock.now() } as const;
  await writer.append({ drafts: [{ ...draft, kind: 'ScalingIntent', payload }] });
}

/** The commit by which `checkout` comes for the target of `former`. */
async function passAfterTaking({ world, checkout }: Taking, reconciler: Reconciler): Promise<void> {
  await world.pass(reconciler);
  world.activePolicies.policies = [checkout];
  await world.pass(reconciler);
}

describe('a policy that takes over the target of a policy of another process', () => {
  it('begins when the other has left it, as the ledger says', async () => {
    const taking = aTaking();
    const { world, checkout } = taking;
    storeAccount(taking, 'uid-of-checkout');
    const reconciler = await world.start();
    await passAfterTaking(taking, reconciler);
    expect(world.reports.outcomesOf(key)).toEqual([]);
    world.ledger.states.delete(stream);
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Done/Scaled']);
    expect(world.replicasOf(checkout)).toBe(6);
  });

  it.each([
    { name: 'kept for its HPA', uid: null },
    { name: 'of another target', uid: 'uid-of-another' },
  ])('does not wait for a state that is $name', async ({ uid }) => {
    const taking = aTaking();
    const { world, checkout } = taking;
    const { namespace, target } = checkout.policy;
    world.scale.addWatched({ ...target, namespace });
    storeAccount(taking, uid);
    const reconciler = await world.start();
    await passAfterTaking(taking, reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Done/Scaled']);
  });

  it('begins after a minute where no process completes the record of the other, and says so', async () => {
    const taking = aTaking();
    const { world } = taking;
    storeAccount(taking, 'uid-of-checkout');
    const reconciler = await world.start();
    await passAfterTaking(taking, reconciler);
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual([]);
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Done/Scaled']);
    expect(world.log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', text: expect.stringContaining('the target of shop/former') }),
    );
  });

  it('waits after a start of its process for a write of the other that has no outcome', async () => {
    const taking = aTaking();
    const { world, checkout } = taking;
    await announce(taking);
    world.activePolicies.policies = [checkout];
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual([]);
    world.taken = [0, 1];
    await world.pass(await world.start());
    expect(world.ledger.payloadsOf('ScalingFailure')).toHaveLength(1);
    expect(world.reports.outcomesOf(key)).toEqual(['Done/Scaled']);
  });
});
