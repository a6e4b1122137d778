import { describe, expect, it } from '@jest/globals';
import type { ScalingEventPayload, ScalingIntentPayload } from '#ledger';
import type { EffectivePolicy } from '#policy';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { ScaleTarget } from '../policies/scale-target.ts';
import type { Reconciler } from '../reconciler.ts';
import { flushMicrotasks, World } from '../testing/a-world.ts';

const deployment = (name: string): ScaleTarget => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name,
});

/** Two Deployments of four replicas, each with its policy. */
async function aWorld(): Promise<{
  readonly world: World;
  readonly reconciler: Reconciler;
  readonly a: ActivePolicy;
  readonly b: ActivePolicy;
}> {
  const world = new World();
  const a = world.add({ name: 'a' }, 4);
  const b = world.add({ name: 'b' }, 4);
  world.proposes(a, 4);
  world.proposes(b, 4);
  const reconciler = await world.start();
  await world.pass(reconciler);
  return { world, reconciler, a, b };
}

/** Another version of a policy, as a commit would bring it. */
function versionOf(
  { policy, document, origin }: ActivePolicy,
  changes: Partial<EffectivePolicy>,
): ActivePolicy {
  const next = { ...policy, ...changes };
  const metadata = { name: next.name, namespace: next.namespace };
  const { target, maxReplicas } = next;
  const spec = { scaleTargetRef: { ...target }, minReplicas: 1, maxReplicas };
  const commit = { ...origin.commit, hash: 'b'.repeat(40) };
  return { policy: next, document: { ...document, metadata, spec }, origin: { ...origin, commit } };
}

const targetOf = ({ policy }: ActivePolicy): EffectivePolicy['target'] => policy.target;

type Policies = readonly ActivePolicy[];

/** What happens to policy a while it is busy; `first` comes before `then`, with a sweep between them. */
const events: readonly {
  readonly event: string;
  readonly first?: (a: ActivePolicy, b: ActivePolicy) => Policies;
  readonly then: (a: ActivePolicy, b: ActivePolicy) => Policies;
}[] = [
  { event: 'is removed', then: (_, b) => [b] },
  { event: 'is renamed', then: (a, b) => [versionOf(a, { name: 'a2' }), b] },
  { event: 'is replaced', then: (a, b) => [versionOf(a, { maxReplicas: 9 }), b] },
  { event: 'is retargeted', then: (a, b) => [versionOf(a, { target: deployment('c') }), b] },
  {
    event: 'is retargeted, and another takes its target',
    then: (a, b) => [versionOf(a, { target: deployment('c') }), b, versionOf(a, { name: 'a2' })],
  },
  {
    event: 'swaps targets with another',
    then: (a, b) => [versionOf(a, { target: targetOf(b) }), versionOf(b, { target: targetOf(a) })],
  },
  { event: 'leaves and comes back', first: (_, b) => [b], then: (a, b) => [a, b] },
  {
    event: 'is retargeted there and back',
    first: (a, b) => [versionOf(a, { target: deployment('c') }), b],
    then: (a, b) => [a, b],
  },
  {
    event: 'is renamed, and its successor removed',
    first: (a, b) => [versionOf(a, { name: 'a2' }), b],
    then: (_, b) => [b],
  },
];

type Reach = (world: World, until: Promise<unknown>) => void;

/** The write of the pass is carried out before or after it waited, and its answer may be lost. */
const holdWrite =
  (taken: 'Before' | 'After', answer: 'Given' | 'Lost'): Reach =>
  (world, until) =>
    world.scale.faults.push({ kind: 'Waits', until, taken, answer });

/** Where in its pass the policy is then; the pass goes on at the end of `until`. */
const moments: readonly {
  readonly moment: string;
  readonly reach: Reach;
  readonly meanwhile?: (world: World) => void;
  /** What of the write of the pass is made all the same. */
  readonly made: readonly string[];
}[] = [
  {
    moment: 'before its intent',
    reach: (world, until) =>
      world.metrics.set(
        { namespace: 'shop', selector: 'app=a' },
        { kind: 'Waits', until, metrics: [{ values: ['8'] }] },
      ),
    made: [],
  },
  {
    moment: 'before its write is sent',
    reach: (world, until) => world.ledger.faults.push({ until }),
    made: [],
  },
  {
    moment: 'before its write arrives',
    reach: holdWrite('After', 'Given'),
    made: ['a 4 → 8'],
  },
  {
    moment: 'before its write is answered',
    reach: holdWrite('Before', 'Given'),
    made: ['a 4 → 8'],
  },
  {
    moment: 'before its write is found to be overtaken',
    reach: holdWrite('After', 'Given'),
    meanwhile: (world) => world.scale.set(deployment('a'), 5, { manager: 'ada' }),
    made: ['a 4 → 5'],
  },
  {
    moment: 'before the answer to its write is lost',
    reach: holdWrite('Before', 'Lost'),
    made: ['a 4 → 8'],
  },
  {
    moment: 'before its write is lost',
    reach: holdWrite('After', 'Lost'),
    made: ['a 4 → 8'],
  },
];

const table = events.flatMap((event) => moments.map((moment) => ({ ...event, ...moment })));

/** Every change of replicas from now on, as the API server has it. */
function changesOf(world: World): string[] {
  const changes: string[] = [];
  world.scale.watch(({ target, from, to, manager }) =>
    changes.push(`${target.name} ${from} → ${to} by ${String(manager)}`),
  );
  return changes;
}

/** The same according to the ledger. */
function recordedOf(world: World): string[] {
  return world.ledger.payloadsOf('ScalingEvent').map((payload) => {
    const { target, from, to, manager } = payload as unknown as ScalingEventPayload;
    return `${target.name} ${from} → ${to} by ${String(manager)}`;
  });
}

/** Intents whose outcomes are not exactly one. */
function openIntents(world: World): readonly string[] {
  const outcomes = world.ledger.entriesInOrder.flatMap(({ resolvesIntent }) => resolvesIntent ?? []);
  return world.ledger.entriesInOrder
    .filter(({ kind }) => kind === 'ScalingIntent')
    .map(({ stream, seq }) => `${stream}#${seq}`)
    .filter((id) => outcomes.filter((outcome) => outcome === id).length !== 1);
}

/** `a2 a` is an intent of policy a2 for target a. */
function intentsOf(world: World): readonly string[] {
  return world.ledger.payloadsOf('ScalingIntent').map((payload) => {
    const { policy, target } = payload as unknown as ScalingIntentPayload;
    return `${policy.name} ${target.name}`;
  });
}

describe('a policy that is busy', () => {
  it.each(table)('and $event $moment', async ({ first, then, reach, meanwhile, made }) => {
    const { world, reconciler, a, b } = await aWorld();
    world.scale.set(deployment('c'), 4);
    world.pods.set({ namespace: 'shop', selector: 'app=c' }, [{ name: 'c-1', phase: 'Running' }]);
    world.metrics.set(
      { namespace: 'shop', selector: 'app=c' },
      { kind: 'Answers', metrics: [{ values: ['4'] }] },
    );
    const changes = changesOf(world);
    world.proposes(a, 8);
    const gate = Promise.withResolvers<undefined>();
    reach(world, gate.promise);
    world.clock.advance(14_000);
    const sweeps: Promise<void>[] = [];
    const sweep = async (): Promise<void> => {
      world.clock.advance(1_000);
      sweeps.push(reconciler.sweep());
      await flushMicrotasks();
    };
    await sweep();
    if (first !== undefined) {
      world.activePolicies.policies = first(a, b);
      await sweep();
    }
    world.activePolicies.policies = then(a, b);
    for (let second = 0; second < 3; second += 1) await sweep();
    const intents = intentsOf(world);
    // Nothing else touches the target of the busy policy.
    expect(intents.filter((intent) => intent !== 'a a')).toEqual([]);
    meanwhile?.(world);
    gate.resolve(undefined);
    await flushMicrotasks();
    expect(changes.slice(0, made.length).map((change) => change.replace(/ by .*/u, ''))).toEqual(made);
    world.proposes(a, 8);
    for (let pass = 0; pass < 4; pass += 1) await world.pass(reconciler);
    await Promise.all(sweeps);
    expect(recordedOf(world)).toEqual(changes);
    expect(openIntents(world)).toEqual([]);
    const inForce = then(a, b).map(({ policy }) => `${policy.name} ${policy.target.name}`);
    expect(
      intentsOf(world)
        .slice(intents.length)
        .filter((intent) => !inForce.includes(intent)),
    ).toEqual([]);
    const governed = inForce.some((place) => place.endsWith(' a'));
    expect(world.replicasOf(a)).toBe(
      governed || (made.length > 0 && meanwhile === undefined) ? 8 : made.length === 0 ? 4 : 5,
    );
    const known = then(a, b).map(({ policy }) => `policy:shop/${policy.name}`);
    expect([...world.ledger.states.keys()].sort()).toEqual(known.sort());
  });
});

describe('changes by others', () => {
  const byPolicy = (world: World): readonly string[] =>
    world.ledger.payloadsOf('ScalingEvent').map((payload) => {
      const { policy, target, from, to, manager } = payload as unknown as ScalingEventPayload;
      return `${policy.name}: ${target.name} ${from} → ${to} by ${String(manager)}`;
    });

  it.each(events)('before a policy $event are recorded as of its target, in its stream', async ({ then }) => {
    const { world, reconciler, a, b } = await aWorld();
    world.scale.set(deployment('c'), 4);
    for (const [replicas, manager] of [
      [9, 'ada'],
      [2, 'grace'],
    ] as const)
      world.scale.set(deployment('a'), replicas, { manager });
    world.activePolicies.policies = then(a, b);
    for (let second = 0; second < 2; second += 1) {
      world.clock.advance(1_000);
      await reconciler.sweep();
    }
    const events = byPolicy(world).filter((event) => event.includes(': a ') && !event.endsWith('plimsoll'));
    expect(events).toEqual(['a: a 4 → 9 by ada', 'a: a 9 → 2 by grace']);
  });

  it('between two policies of a target are recorded by the one that goes on', async () => {
    const { world, reconciler, a, b } = await aWorld();
    const gate = Promise.withResolvers<undefined>();
    world.metrics.set(
      { namespace: 'shop', selector: 'app=a' },
      { kind: 'Waits', until: gate.promise, metrics: [{ values: ['4'] }] },
    );
    world.clock.advance(15_000);
    const sweep = reconciler.sweep();
    await flushMicrotasks();
    world.activePolicies.policies = [
      versionOf(a, { target: targetOf(b) }),
      versionOf(b, { target: targetOf(a) }),
    ];
    world.clock.advance(1_000);
    await reconciler.sweep();
    world.proposes(b, 7);
    world.scale.set(deployment('b'), 7, { manager: 'ada' });
    gate.resolve(undefined);
    await sweep;
    world.proposes(a, 4);
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(byPolicy(world)).toEqual(['a: b 4 → 7 by ada']);
  });

  it('on a target that was made anew have its uid, and those before the uid that was', async () => {
    const { world, reconciler, a } = await aWorld();
    const target = deployment('a');
    world.proposes(a, 6);
    world.scale.set(target, 9, { manager: 'ada' });
    world.scale.replace(target, 5);
    world.scale.set(target, 6, { manager: 'eve' });
    await world.pass(reconciler);
    const found = world.ledger.payloadsOf('ScalingEvent').map((payload) => {
      const event = payload as unknown as ScalingEventPayload;
      return `${String(event.target.uid)} ${event.from} → ${event.to} by ${String(event.manager)}`;
    });
    expect(found).toEqual(['uid-of-a 4 → 9 by ada', 'uid-of-a-anew 5 → 6 by eve']);
  });

  it('on a target that is gone are recorded when its policy leaves', async () => {
    const { world, reconciler, b } = await aWorld();
    world.scale.set(deployment('a'), 9, { manager: 'ada' });
    world.scale.remove(deployment('a'));
    world.activePolicies.policies = [b];
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(byPolicy(world)).toEqual(['a: a 4 → 9 by ada']);
    expect([...world.ledger.states.keys()]).toEqual(['policy:shop/b']);
  });

  it('wait for an API server that does not answer, and are recorded when it does', async () => {
    const { world, reconciler, a, b } = await aWorld();
    world.scale.breakReads(deployment('a'), 'HTTP 503');
    world.scale.set(deployment('a'), 9, { manager: 'ada' });
    world.activePolicies.policies = [versionOf(a, { name: 'a2' }), b];
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    expect(byPolicy(world)).toEqual([]);
    expect(world.log.lines.filter(({ text }) => text.startsWith('shop/a  left'))).toHaveLength(1);
    world.scale.mend(deployment('a'));
    world.proposes(a, 9);
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(byPolicy(world)).toEqual(['a: a 4 → 9 by ada']);
    expect(world.ledger.states.has('policy:shop/a')).toBe(false);
  });
});
