import { describe, expect, it } from '@jest/globals';
import { defaultSettings } from '#decision';
import { LedgerWriter, policyStream, type StrategyChangePayload } from '#ledger';
import type { EffectivePolicy } from '#policy';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { aNativeAutoscaler } from '../testing/a-native-autoscaler.ts';
import { flushMicrotasks, World } from '../testing/a-world.ts';

const byOwner = { selectionStrategy: 'OwnerReference' } as const;
const closed = {
  ...defaultSettings,
  featureGates: { ...defaultSettings.featureGates, SelectionStrategy: false },
};
const ownersActive = "SelectionStrategyActive Pod selection strategy 'OwnerReference' is active";
const changed = (from: string, to: string) => `StrategyChanged ${from} changed from ${to}`;
const toOwner = changed('Pod selection strategy', 'LabelSelector to OwnerReference');
const toLabels = changed('Pod selection strategy', 'OwnerReference to LabelSelector');

/** A world with one policy that has been looked at once. */
async function aWorld(changes: Partial<EffectivePolicy> = {}) {
  const world = new World();
  const checkout = world.add(changes, 4);
  world.proposes(checkout, 4);
  const reconciler = await world.start();
  await world.pass(reconciler);
  return { world, checkout, reconciler };
}

/** The next version of a policy, from a commit of its own. */
function commit(
  world: World,
  policy: ActivePolicy,
  { hash, ...changes }: Partial<EffectivePolicy> & { readonly hash: string },
): void {
  const origin = { ...policy.origin, commit: { ...policy.origin.commit, hash } };
  const next = { ...policy, policy: { ...policy.policy, ...changes }, origin };
  world.activePolicies.policies = world.activePolicies.policies.map((known) =>
    known.policy.name === policy.policy.name ? next : known,
  );
}

function entriesOf(world: World): readonly string[] {
  return world.ledger.payloadsOf('StrategyChange').map((payload) => {
    const { field, before, after, commit: by } = payload as unknown as StrategyChangePayload;
    return `${field} ${String(before)} → ${after} ${by === null ? 'no commit' : by.hash.slice(0, 9)}`;
  });
}

function eventsOf(world: World): readonly string[] {
  return world.kubernetesEvents.emitted
    .filter(({ reason }) => reason.includes('Strategy'))
    .map(({ reason, message }) => `${reason} ${message}`);
}

const first = 'selectionStrategy null → LabelSelector a1b2c3d4e';

describe('a change of strategy', () => {
  it('is one entry and its events, once, whatever restarts follow', async () => {
    const { world, checkout, reconciler } = await aWorld();
    commit(world, checkout, { ...byOwner, hash: 'b' });
    await world.pass(reconciler);
    await world.pass(reconciler);
    await world.pass(await world.start());
    expect(entriesOf(world)).toEqual([first, 'selectionStrategy LabelSelector → OwnerReference b']);
    expect(eventsOf(world)).toEqual([toOwner, ownersActive]);
  });

  it('of actuation, algorithm and enabled is told in the same manner', async () => {
    const { world, checkout, reconciler } = await aWorld();
    const hpa = { actuation: 'HorizontalPodAutoscaler' } as const;
    commit(world, checkout, { ...hpa, hash: 'b' });
    await world.pass(reconciler);
    const [metric] = checkout.policy.metrics;
    const target = { type: 'Value', valueMilli: 1_000n } as const;
    const metrics = metric?.type === 'External' ? [{ ...metric, target }] : [];
    commit(world, checkout, { ...hpa, metrics, hash: 'c' });
    await world.pass(reconciler);
    commit(world, checkout, { ...hpa, metrics, enabled: false, hash: 'd' });
    await world.pass(reconciler);
    expect(entriesOf(world)).toEqual([
      first,
      'actuation Scale → HorizontalPodAutoscaler b',
      'algorithm AverageValue → Value c',
      'enabled true → false d',
    ]);
    expect(eventsOf(world).filter((event) => event.startsWith('StrategyChanged'))).toEqual([
      changed('Actuation', 'Scale to HorizontalPodAutoscaler'),
      changed('Algorithm', 'AverageValue to Value'),
      changed('Enabled', 'true to false'),
    ]);
  });

  it('of several parts in one commit is one entry and one event each', async () => {
    const { world, checkout, reconciler } = await aWorld();
    commit(world, checkout, { ...byOwner, actuation: 'HorizontalPodAutoscaler', hash: 'b' });
    await world.pass(reconciler);
    expect(entriesOf(world).slice(1)).toEqual([
      'selectionStrategy LabelSelector → OwnerReference b',
      'actuation Scale → HorizontalPodAutoscaler b',
    ]);
    expect(eventsOf(world)).toEqual([
      toOwner,
      ownersActive,
      changed('Actuation', 'Scale to HorizontalPodAutoscaler'),
    ]);
  });

  it('names the commit that brought it, though a later one came before any pass could look', async () => {
    const { world, checkout, reconciler } = await aWorld();
    const query = { namespace: 'shop', selector: 'app=checkout' };
    world.pods.unsync(query);
    commit(world, checkout, { ...byOwner, hash: 'b' });
    await world.pass(reconciler);
    commit(world, checkout, { ...byOwner, maxReplicas: 20, hash: 'c' });
    await world.pass(reconciler);
    expect(entriesOf(world)).toEqual([first]);
    world.pods.set(query, []);
    await world.pass(reconciler);
    expect(entriesOf(world)).toEqual([first, 'selectionStrategy LabelSelector → OwnerReference b']);
  });

  it('by the gate names no commit, in both directions', async () => {
    const { world } = await aWorld(byOwner);
    world.options = { ...world.options, settings: closed };
    await world.pass(await world.start());
    world.options = { ...world.options, settings: defaultSettings };
    await world.pass(await world.start());
    expect(entriesOf(world).slice(1)).toEqual([
      'selectionStrategy OwnerReference → LabelSelector no commit',
      'selectionStrategy LabelSelector → OwnerReference no commit',
    ]);
    expect(eventsOf(world).slice(1)).toEqual([toLabels, toOwner, ownersActive]);
  });

  it('is a matter of the policy where the gate keeps the selection as it is', async () => {
    const { world, checkout } = await aWorld();
    world.options = { ...world.options, settings: closed };
    commit(world, checkout, { ...byOwner, hash: 'b' });
    await world.pass(await world.start());
    expect(entriesOf(world)).toEqual([first]);
    world.options = { ...world.options, settings: defaultSettings };
    await world.pass(await world.start());
    expect(entriesOf(world).at(-1)).toBe('selectionStrategy LabelSelector → OwnerReference no commit');
  });

  it('of a disabled policy waits until it selects again', async () => {
    const { world, checkout, reconciler } = await aWorld({ enabled: false });
    expect(entriesOf(world)).toEqual([]);
    expect(eventsOf(world)).toEqual([]);
    commit(world, checkout, { ...byOwner, enabled: true, hash: 'b' });
    await world.pass(reconciler);
    expect(entriesOf(world)).toEqual(['selectionStrategy null → OwnerReference b', 'enabled false → true b']);
  });
});

describe('the filter cache of a policy', () => {
  it('is cleared by a change of its strategy, before the filter looks, and by nothing else', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    const web = world.add({ name: 'web', ...byOwner }, 4);
    world.proposes(checkout, 4);
    world.proposes(web, 4);
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.owners.cleared.length = 0;
    await world.pass(reconciler);
    commit(world, web, { ...byOwner, maxReplicas: 20, hash: 'b' });
    await world.pass(reconciler);
    expect(world.owners.cleared).toEqual([]);
    const seen = world.owners.queries.length;
    commit(world, checkout, { ...byOwner, hash: 'c' });
    world.owners.resolveOwners = (query) => {
      world.owners.queries.push(query);
      if (query.policy === 'shop/checkout') expect(world.owners.cleared).toEqual(['shop/checkout']);
      return Promise.resolve([]);
    };
    await world.pass(reconciler);
    expect(world.owners.queries.length - seen).toBe(2);
    await world.pass(reconciler);
    expect(world.owners.cleared).toEqual(['shop/checkout']);
  });

  it('is cleared once, however long the change cannot be recorded', async () => {
    const { world, checkout, reconciler } = await aWorld();
    world.owners.cleared.length = 0;
    commit(world, checkout, { ...byOwner, hash: 'b' });
    world.ledger.outage = 'Broken';
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(world.owners.cleared).toEqual(['shop/checkout']);
  });

  it('is empty at a start, so a gate that opens finds nothing in it', async () => {
    const { world } = await aWorld(byOwner);
    world.owners.cleared.length = 0;
    await world.start().then((reconciler) => world.pass(reconciler));
    expect(world.owners.cleared).toEqual(['shop/checkout']);
  });
});

describe('the events of a strategy', () => {
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' };
  const ours = { isWrittenByPlimsoll: true, uid: 'uid-of-hpa' };

  it.each([
    {
      name: 'the HPA of ours',
      hpas: [aNativeAutoscaler({ ...ours, policy: 'shop/checkout' })],
      isOurs: true,
    },
    { name: 'the target beside another’s HPA', hpas: [aNativeAutoscaler()] },
    {
      name: 'the target where another manages what was ours',
      hpas: [aNativeAutoscaler({ policy: 'shop/checkout' })],
    },
    {
      name: 'the target beside an HPA of ours with another name',
      hpas: [aNativeAutoscaler({ ...ours, name: 'web', policy: 'shop/web' })],
    },
  ])('are about $name', async ({ hpas, isOurs }) => {
    const world = new World();
    world.proposes(world.add(byOwner, 4), 4);
    world.nativeAutoscalers.set('shop', hpas);
    await world.pass(await world.start());
    const wanted =
      isOurs === true
        ? {
            apiVersion: 'autoscaling/v2',
            kind: 'HorizontalPodAutoscaler',
            namespace: 'shop',
            name: 'checkout',
            uid: 'uid-of-hpa',
          }
        : { ...target, namespace: 'shop', uid: 'uid-of-checkout' };
    const told = world.kubernetesEvents.emitted.find(({ reason }) => reason === 'SelectionStrategyActive');
    expect(told).toMatchObject({ type: 'Normal', subject: wanted });
  });

  it('are not made without an entry, and come with it when the ledger is back', async () => {
    const { world, checkout, reconciler } = await aWorld();
    commit(world, checkout, { ...byOwner, hash: 'b' });
    world.ledger.faults.push('Broken');
    await world.pass(reconciler);
    expect(eventsOf(world).filter((event) => event.startsWith('StrategyChanged'))).toEqual([]);
    await world.pass(reconciler);
    expect(entriesOf(world)).toHaveLength(2);
    expect(eventsOf(world).filter((event) => event.startsWith('StrategyChanged'))).toEqual([toOwner]);
  });

  it('and their entry come once where the ledger stored it and did not answer', async () => {
    const { world, checkout, reconciler } = await aWorld();
    commit(world, checkout, { ...byOwner, hash: 'b' });
    world.ledger.faults.push('LostAfterStoring');
    await world.pass(reconciler);
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(entriesOf(world)).toHaveLength(2);
    expect(eventsOf(world)).toEqual([toOwner, ownersActive]);
  });

  it('come once where the answer comes after the pass has ended', async () => {
    const { world, checkout, reconciler } = await aWorld();
    commit(world, checkout, { ...byOwner, hash: 'b' });
    world.ledger.faults.push('LostAfterStoring', ...Array<'Broken'>(40).fill('Broken'));
    await world.pass(reconciler);
    expect(eventsOf(world)).toEqual([]);
    await world.pass(reconciler);
    world.ledger.faults.length = 0;
    await world.pass(reconciler);
    expect(entriesOf(world)).toHaveLength(2);
    expect(eventsOf(world)).toEqual([toOwner, ownersActive]);
  });

  it('are lost, and the entry is not, where the process ends between the two', async () => {
    const { world, checkout, reconciler } = await aWorld();
    commit(world, checkout, { ...byOwner, hash: 'b' });
    world.clock.advance(15_000);
    world.ledger.faults.push('LostAfterStoring');
    void reconciler.sweep();
    await flushMicrotasks();
    await world.pass(await world.start());
    await world.pass(await world.start());
    expect(entriesOf(world)).toEqual([first, 'selectionStrategy LabelSelector → OwnerReference b']);
    expect(eventsOf(world)).toEqual([]);
  });
});

describe('a policy that goes and comes', () => {
  it('is a new one', async () => {
    const { world, checkout, reconciler } = await aWorld(byOwner);
    world.activePolicies.policies = [];
    await world.pass(reconciler);
    world.activePolicies.policies = [checkout];
    await world.pass(reconciler);
    const anew = 'selectionStrategy null → OwnerReference a1b2c3d4e';
    expect(entriesOf(world)).toEqual([anew, anew]);
    expect(eventsOf(world)).toEqual([ownersActive, ownersActive]);
  });

  it('is a new one also where it went while the controller was down', async () => {
    const { world, checkout } = await aWorld();
    const writer = new LedgerWriter({
      port: world.ledger,
      fence: await world.ledger.takeOver('ledger'),
      cluster: 'test',
    });
    const { document: before, origin } = checkout;
    const { source, commit: by } = origin;
    const policy = { namespace: 'shop', name: 'checkout' };
    const departure = 'Pruned' as const;
    const payload = { policy, source, before, after: null, departure, commit: by };
    const time = world.clock.now();
    await writer.append({ drafts: [{ stream: policyStream(policy), kind: 'PolicyChange', time, payload }] });
    world.activePolicies.policies = [];
    const reconciler = await world.start();
    expect(world.ledger.states.size).toBe(0);
    world.activePolicies.policies = [checkout];
    await world.pass(reconciler);
    expect(entriesOf(world)).toEqual([first, first]);
  });

  it('under another name is a new one', async () => {
    const { world, checkout, reconciler } = await aWorld();
    const policy = { ...checkout.policy, name: 'till' };
    world.activePolicies.policies = [{ ...checkout, policy }];
    await world.pass(reconciler);
    expect(world.ledger.kindsOf('shop', 'till')[0]).toBe('StrategyChange');
    expect(entriesOf(world)).toEqual([first, first]);
  });
});
