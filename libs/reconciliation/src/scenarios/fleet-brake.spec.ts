import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { Reconciler } from '../reconciler.ts';
import { World } from '../testing/a-world.ts';

const fleetSize = 12;
const source = 'external.metrics.k8s.io';
const aBrakeSuspension = {
  kind: 'Suspend',
  direction: 'Down',
  actor: 'fleet-brake',
  reason: 'too much',
} as const;
const unrecorded = `the leader records no suspension of what ${source} scales, though too much would be lost; each replica that counts so stops its own scale-ins`;

let world: World;
let fleet: readonly ActivePolicy[];
let reconciler: Reconciler;

beforeEach(async () => {
  world = new World();
  fleet = Array.from({ length: fleetSize }, (_, index) =>
    world.add({ name: `app-${index + 1}`, minReplicas: 2, maxReplicas: 40 }, 20),
  );
  propose(20);
  reconciler = await world.start();
  await intervals(1);
});

function propose(replicas: number, policies = fleet): void {
  for (const active of policies) world.proposes(active, replicas);
}

/** Whole intervals, and after each the passes that something has started at once. */
async function intervals(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await world.pass(reconciler);
    await world.pass(reconciler, 10);
  }
}

const minutes = (count: number) => intervals(count * 4);
const counts = (policies = fleet) => policies.map((active) => world.replicasOf(active));
const all = (replicas: number, length = fleetSize) => Array.from({ length }, () => replicas);
const suspensions = () =>
  world.interventions.list().filter(({ intervention }) => intervention.actor === 'fleet-brake');
const warnings = () => world.log.lines.filter(({ level }) => level === 'warn').map(({ text }) => text);
const later = (seconds: number) => new Date(Date.parse(world.clock.now()) + seconds * 1_000).toISOString();

async function closingFor(count: number): Promise<void> {
  world.brakeSettings = { ...world.brakeSettings, minutes: count };
  reconciler = await world.start();
  await intervals(1);
}

async function endByAda(): Promise<void> {
  const [standing] = suspensions();
  expect(
    await world.interventions.end(standing?.id ?? '', { actor: 'ada', reason: 'it is night' }),
  ).toBeNull();
}

describe('the fleet brake', () => {
  it('holds every scale-in where a source would take half of their replicas from many of its targets', async () => {
    propose(0);
    await intervals(3);
    expect(counts()).toEqual(all(20));
    const reason = `by ${source}, 10 of 12 targets would each lose 50 % of their replicas or more within 5 minutes`;
    expect(suspensions()).toMatchObject([
      {
        scope: { kind: 'MetricSource', metricSource: source },
        intervention: { kind: 'Suspend', direction: 'Down', reason },
      },
    ]);
    expect(world.ledger.payloadsOf('OperatorAction')).toMatchObject([
      {
        actor: 'fleet-brake',
        action: 'SuspendScaling',
        outcome: 'Accepted',
        effect: { targets: 12, losing: 10 },
      },
    ]);
    expect(warnings()).toContainEqual(expect.stringContaining(`fleet brake: ${reason}`));
    expect(world.reports.reports.at(-1)?.decision?.steps).toContainEqual(
      expect.objectContaining({ rule: 'suspend', because: expect.stringContaining('by fleet-brake until') }),
    );
  });

  it('holds them also where interventions of people have taken every place', async () => {
    const places = [...Array(90).keys()].flatMap((place) =>
      [...Array(10).keys()].map((person) => ({ person: `person-${person}`, source: `prometheus/${place}` })),
    );
    for (const [index, { person, source: metricSource }] of places.entries()) {
      const intervention = {
        kind: 'Suspend',
        direction: 'Up',
        actor: person,
        expires: later(3_600),
      } as const;
      const standing = {
        id: `${index}`,
        scope: { kind: 'MetricSource', metricSource },
        intervention: { ...intervention, reason: 'incident 7', since: world.clock.now() },
      } as const;
      expect(await world.interventions.begin(standing)).toBeNull();
    }
    expect(world.interventions.list()).toHaveLength(900);
    propose(0);
    await intervals(3);
    expect(counts()).toEqual(all(20));
    expect(suspensions()).toHaveLength(1);
  });

  it.each([
    { name: 'all zero', answer: 0 },
    { name: 'all equal and low', answer: 3 },
    { name: 'one tenth of before', answer: 2 },
  ])('holds a source that answers freshly and wrongly: $name', async ({ answer }) => {
    propose(answer);
    await minutes(6);
    expect(counts()).toEqual(all(20));
  });

  it('lets a target scale in by half one interval later, and by less at once', async () => {
    const [few, others] = [fleet.slice(0, 2), fleet.slice(2, 4)];
    propose(10, few);
    propose(11, others);
    await intervals(1);
    expect(counts([...few, ...others])).toEqual([20, 20, 11, 11]);
    await intervals(1);
    expect(counts([...few, ...others])).toEqual([10, 10, 11, 11]);
    expect(suspensions()).toEqual([]);
  });

  it('never closes over fewer targets than it takes, nor over a small share of many', async () => {
    world.brakeSettings = { ...world.brakeSettings, minimumTargets: 2, targetsPercent: 50 };
    reconciler = await world.start();
    await intervals(1);
    propose(2, fleet.slice(0, 6));
    await intervals(2);
    expect(counts()).toEqual([...all(2, 6), ...all(20, 6)]);
    expect(suspensions()).toEqual([]);
  });

  it('looks at policies of longer intervals before the first of shorter ones loses anything', async () => {
    world = new World();
    fleet = Array.from({ length: fleetSize }, (_, index) => {
      const intervalSeconds = index < 6 ? 5 : 15;
      return world.add({ name: `app-${index + 1}`, minReplicas: 2, maxReplicas: 40, intervalSeconds }, 20);
    });
    propose(20);
    reconciler = await world.start();
    await intervals(2);
    propose(0);
    for (let pass = 0; pass < 6; pass += 1) await world.pass(reconciler, 5_000);
    expect(counts()).toEqual(all(20));
    expect(suspensions()).toHaveLength(1);
  });

  it('takes what is lost within five minutes together, however slowly each count falls', async () => {
    for (const replicas of [18, 16, 14, 12]) {
      propose(replicas);
      await minutes(0.5);
    }
    expect(counts()).toEqual(all(12));
    propose(10);
    await intervals(2);
    expect(counts()).toEqual(all(12));
    expect(suspensions()).toHaveLength(1);
  });

  it('does not count what was lost longer ago', async () => {
    propose(11);
    await minutes(6);
    propose(6);
    await intervals(2);
    expect(counts()).toEqual(all(6));
    expect(suspensions()).toEqual([]);
  });

  it('lets counts grow, and sources that answer rightly scale in', async () => {
    const resource = world.add(
      {
        name: 'by-cpu',
        minReplicas: 2,
        maxReplicas: 40,
        metrics: [
          {
            type: 'Prometheus',
            server: 'main',
            query: 'load',
            target: { type: 'AverageValue', averageValueMilli: 1_000n },
            targetDocument: { type: 'AverageValue', averageValue: '1' },
          },
        ],
      },
      20,
    );
    world.proposes(resource, 20);
    await intervals(1);
    propose(0);
    await intervals(2);
    propose(30, fleet.slice(0, 1));
    world.proposes(resource, 5);
    await intervals(2);
    expect(counts()).toEqual([30, ...all(20, 11)]);
    expect(world.replicasOf(resource)).toBe(5);
  });

  it('never stops what an operator overrides', async () => {
    propose(0);
    await intervals(2);
    await world.interventions.begin({
      id: 'pin',
      scope: { kind: 'Policy', namespace: 'shop', name: 'app-1' },
      intervention: {
        kind: 'Override',
        replicas: 4,
        actor: 'ada',
        reason: 'it is broken',
        since: world.clock.now(),
        expires: later(600),
      },
    });
    await intervals(1);
    expect(counts()).toEqual([4, ...all(20, 11)]);
  });

  it('does not close by what overrides, suspensions, dry runs and changed policies let go at their end', async () => {
    propose(4);
    await world.interventions.begin({
      id: 'stop',
      scope: { kind: 'Cluster' },
      intervention: {
        kind: 'Suspend',
        direction: 'Down',
        actor: 'ada',
        reason: 'incident',
        since: world.clock.now(),
        expires: later(120),
      },
    });
    await minutes(3);
    expect(counts()).toEqual(all(4));
    world.activePolicies.policies = fleet.map((active) => ({
      ...active,
      policy: { ...active.policy, minReplicas: 20 },
    }));
    await minutes(1);
    expect(counts()).toEqual(all(20));
    world.activePolicies.policies = fleet;
    await minutes(1);
    expect(counts()).toEqual(all(4));
    expect(suspensions()).toEqual([]);
  });

  it('does not close by policies that have just come into force', async () => {
    const added = Array.from({ length: 20 }, (_, index) =>
      world.add({ name: `new-${index + 1}`, minReplicas: 2, maxReplicas: 40 }, 30),
    );
    propose(3, added);
    await intervals(2);
    expect(counts(added)).toEqual(all(3, 20));
    expect(suspensions()).toEqual([]);
  });

  it('closes for so long, and again as long as its cause lasts', async () => {
    await closingFor(10);
    propose(0);
    await intervals(1);
    const [first] = suspensions();
    const { since, expires } = first?.intervention ?? {};
    expect(Date.parse(expires ?? '') - Date.parse(since ?? '')).toBe(600_000);
    await minutes(12);
    expect(counts()).toEqual(all(20));
    expect(
      world.ledger.payloadsOf('OperatorAction').filter(({ action }) => action === 'SuspendScaling'),
    ).toHaveLength(2);
  });

  it('is neither opened nor closed anew by a clock that is ahead for a moment', async () => {
    await closingFor(10);
    propose(0);
    await intervals(1);
    const closed = suspensions();
    world.clock.setBack(-7_200_000);
    await intervals(2);
    expect(world.brake.closedSince).toBe(closed[0]?.intervention.since);
    world.clock.setBack(7_200_000);
    await intervals(2);
    expect(counts()).toEqual(all(20));
    expect(suspensions()).toEqual(closed);
  });

  it('follows one suspension by the next in time, however short they are', async () => {
    await closingFor(1);
    propose(0);
    await minutes(5);
    expect(counts()).toEqual(all(20));
    expect(suspensions().length).toBeLessThanOrEqual(2);
    const begun = world.ledger
      .payloadsOf('OperatorAction')
      .filter(({ action }) => action === 'SuspendScaling');
    expect(begun.length).toBeLessThanOrEqual(10);
  });

  it('is not opened by commits that leave the policies as they are', async () => {
    await closingFor(10);
    propose(0);
    await intervals(2);
    for (let interval = 0; interval < 60; interval += 1) {
      world.activePolicies.policies = fleet.map((active) => structuredClone(active));
      await intervals(1);
    }
    expect(counts()).toEqual(all(20));
    expect(suspensions()).not.toEqual([]);
  });

  it('ends by expiry once its cause has ended', async () => {
    await closingFor(10);
    propose(0);
    await intervals(2);
    propose(15);
    await minutes(11);
    expect(suspensions()).toEqual([]);
    expect(counts()).toEqual(all(15));
  });

  it('stays open where an operator has ended it, until its cause has ended', async () => {
    propose(4);
    await intervals(2);
    await endByAda();
    await minutes(1);
    expect(counts()).toEqual(all(4));
    expect(suspensions()).toEqual([]);
    propose(20);
    await minutes(6);
    propose(2);
    await intervals(2);
    expect(counts()).toEqual(all(20));
    expect(suspensions()).toHaveLength(1);
  });

  it.each([
    { name: 'the later one', isLaterFirst: true },
    { name: 'the earlier one', isLaterFirst: false },
  ])(
    'is not begun anew where an operator ends both that stand at a renewal, $name first',
    async ({ isLaterFirst }) => {
      await closingFor(10);
      propose(4);
      await minutes(9.5);
      const both = suspensions().toSorted(
        (a, b) => Date.parse(a.intervention.expires) - Date.parse(b.intervention.expires),
      );
      expect(both).toHaveLength(2);
      for (const { id } of isLaterFirst ? both.toReversed() : both) {
        expect(await world.interventions.end(id, { actor: 'ada', reason: 'it is night' })).toBeNull();
        await intervals(1);
      }
      expect(suspensions()).toEqual([]);
      await minutes(1);
      expect(counts()).toEqual(all(4));
    },
  );

  it('survives a restart, and closes in the first passes after one', async () => {
    propose(0);
    await intervals(2);
    reconciler = await world.start();
    await minutes(2);
    expect(counts()).toEqual(all(20));
    expect(suspensions()).toHaveLength(1);
    await endByAda();
    reconciler = await world.start();
    await intervals(3);
    expect(counts()).toEqual(all(20));
    expect(suspensions()).toHaveLength(1);
  });

  it('scales nothing in while the suspension cannot be recorded', async () => {
    propose(0);
    world.ledger.outage = 'Broken';
    await intervals(3);
    expect(world.brake.failing).toEqual({
      since: expect.any(String),
      message: expect.stringMatching(/^the fleet brake cannot hold what \S+ scales$/),
    });
    world.ledger.outage = null;
    await intervals(3);
    expect(counts()).toEqual(all(20));
    expect(suspensions()).toHaveLength(1);
    expect(world.brake.failing).toBeNull();
  });

  describe('where another replica leads', () => {
    let isLeader: boolean;

    async function startAmongReplicas(): Promise<void> {
      world.otherReplicas = {
        isLeader: () => isLeader,
        takeOverMilliseconds: 60_000,
        carriedOutMilliseconds: () => 3_600_000,
      };
      reconciler = await world.start();
      await intervals(1);
      propose(0);
    }

    async function recordElsewhere(seconds: number): Promise<void> {
      const [since, expires] = [world.clock.now(), later(seconds)];
      const standing = {
        id: '5b0c7a36-0d10-4c1e-9f0a-6a2f4b6f3e11',
        scope: { kind: 'MetricSource', metricSource: source },
        intervention: { ...aBrakeSuspension, since, expires },
      } as const;
      expect(await world.interventions.begin(standing, { effect: { targets: 12, losing: 12 } })).toBeNull();
    }

    it('tells that it records no suspension once that lasts, and scales nothing in until it does', async () => {
      isLeader = false;
      await startAmongReplicas();
      await intervals(2);
      expect(world.brake.failing).toBeNull();
      await minutes(2);
      expect(world.brake.failing).toEqual({ since: expect.any(String), message: unrecorded });
      expect([counts(), suspensions()]).toEqual([all(20), []]);
      isLeader = true;
      await intervals(1);
      expect([counts(), suspensions().length, world.brake.failing]).toEqual([all(20), 1, null]);
    });

    it('waits for it anew when a suspension that it has recorded is to be followed by the next', async () => {
      isLeader = false;
      await startAmongReplicas();
      await intervals(2);
      await recordElsewhere(240);
      await minutes(3.5);
      expect([suspensions().length, world.brake.failing]).toEqual([1, null]);
      await minutes(1.5);
      expect(world.brake.failing?.message).toBe(unrecorded);
      propose(20);
      await intervals(1);
      expect(world.brake.failing).toBeNull();
    });
  });

  it('decides alone where nothing is written', async () => {
    world.options = { ...world.options, mode: 'Observe' };
    reconciler = await world.start();
    propose(0);
    await minutes(2);
    expect(suspensions()).toEqual([]);
  });
});
