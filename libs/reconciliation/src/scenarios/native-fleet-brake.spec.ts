import { beforeEach, describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { Reconciler } from '../reconciler.ts';
import { specOf } from '../testing/a-rendered-policy.ts';
import { World } from '../testing/a-world.ts';

const names = ['checkout', ...Array.from({ length: 11 }, (_, index) => `app-${index + 1}`)];
const noWindow = { isSet: true, scaleUp: {}, scaleDown: { stabilizationWindowSeconds: 0 } } as const;
const nativeWindow = { isSet: false, scaleUp: {}, scaleDown: {} } as const;

let world: World;
let fleet: readonly ActivePolicy[];
let reconciler: Reconciler;
let isLeader: boolean;

beforeEach(() => {
  world = new World();
  isLeader = false;
});

async function start(behavior: typeof noWindow | typeof nativeWindow = nativeWindow): Promise<void> {
  fleet = names.map((name) =>
    world.add(
      {
        name,
        minReplicas: 2,
        maxReplicas: 40,
        actuation: 'HorizontalPodAutoscaler',
        behavior,
      },
      20,
    ),
  );
  propose(20);
  reconciler = await world.start();
  await intervals(1);
}

function propose(replicas: number): void {
  for (const active of fleet) world.proposes(active, replicas);
}

async function intervals(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await world.pass(reconciler);
    await world.pass(reconciler, 10);
  }
}

const isStopped = (name: string): boolean =>
  JSON.stringify(world.nativeAutoscalers.document({ namespace: 'shop', name })).includes('"Disabled"');

const departures = (): unknown => world.ledger.payloadsOf('Decision').at(-1)?.['departures'];

describe('the fleet brake of policies that are rendered', () => {
  it('stops their HPAs at once where another process has yet to record the suspension', async () => {
    world.otherReplicas = {
      isLeader: () => isLeader,
      takeOverMilliseconds: 60_000,
      carriedOutMilliseconds: () => 3_600_000,
    };
    await start();
    expect(names.filter(isStopped)).toEqual([]);
    propose(0);
    await intervals(2);
    expect(world.interventions.list()).toEqual([]);
    expect(names.filter(isStopped)).toEqual(names);
    const writes = world.nativeAutoscalers.writes.length;
    await intervals(3);
    expect(world.nativeAutoscalers.writes).toHaveLength(writes);
    isLeader = true;
    await intervals(1);
    expect(world.interventions.list()).toHaveLength(1);
    expect(names.filter(isStopped)).toEqual(names);
  });

  it('lets them go again where the cause ends before that', async () => {
    world.otherReplicas = {
      isLeader: () => false,
      takeOverMilliseconds: 60_000,
      carriedOutMilliseconds: () => 3_600_000,
    };
    await start();
    propose(0);
    await intervals(2);
    propose(20);
    await intervals(2);
    expect(names.filter(isStopped)).toEqual([]);
  });

  describe('while the suspension cannot be recorded', () => {
    const away = new AdapterError({
      code: 'ConnectionFailed',
      message: 'the database is away',
      retryable: true,
    });

    it('stops their HPAs, where decisions are recorded, until it is', async () => {
      await start();
      world.interventionFault = away;
      propose(0);
      await intervals(3);
      expect(names.filter(isStopped)).toEqual(names);
      expect(world.brake.failing).not.toBeNull();
      const writes = world.nativeAutoscalers.writes.length;
      await intervals(3);
      expect(world.nativeAutoscalers.writes).toHaveLength(writes);
      world.interventionFault = null;
      await intervals(2);
      expect(world.interventions.list()).toHaveLength(1);
      expect(names.filter(isStopped)).toEqual(names);
    });

    it('keeps a stop that was rendered for another process, also of targets that lose nothing', async () => {
      world.otherReplicas = {
        isLeader: () => isLeader,
        takeOverMilliseconds: 60_000,
        carriedOutMilliseconds: () => 3_600_000,
      };
      await start();
      const [calm, ...others] = fleet;
      for (const active of others) world.proposes(active, 0);
      await intervals(3);
      expect(names.filter(isStopped)).toEqual(names);
      world.interventionFault = away;
      isLeader = true;
      await intervals(4);
      expect(world.brake.failing).not.toBeNull();
      expect(names.filter(isStopped)).toEqual(names);
      expect(world.replicasOf(calm!)).toBe(20);
    });

    it.each<{ readonly name: string; readonly breakIt: () => void; readonly mend: () => void }>([
      {
        name: 'nothing is recorded',
        breakIt: () => (world.ledger.outage = 'Broken'),
        mend: () => (world.ledger.outage = null),
      },
      {
        name: 'decisions are recorded',
        breakIt: () => (world.interventionFault = away),
        mend: () => (world.interventionFault = null),
      },
    ])('leaves their HPAs the stop of one that expires meanwhile, where $name', async ({ breakIt, mend }) => {
      world.brakeSettings = { ...world.brakeSettings, minutes: 2 };
      await start();
      propose(0);
      await intervals(2);
      expect(world.interventions.list()).toHaveLength(1);
      expect(names.filter(isStopped)).toEqual(names);
      const specs = (): unknown =>
        names.map((name) => world.nativeAutoscalers.document({ namespace: 'shop', name })?.['spec']);
      const before = specs();
      breakIt();
      for (let passed = 0; passed < 24; passed += 1) {
        await intervals(1);
        expect(specs()).toEqual(before);
      }
      expect(world.brake.failing).not.toBeNull();
      expect(world.scale.writes).toEqual([]);
      mend();
      await intervals(3);
      expect(world.brake.failing).toBeNull();
      expect(specs()).toEqual(before);
    });
  });

  it('is said to be best effort, in the decision and in the condition, where the native controller may be sooner', async () => {
    await start(noWindow);
    await intervals(1);
    const said =
      'the fleet brake is best effort: the native controller may scale in after 0 s, and the stop may take 300 s';
    expect(departures()).toEqual([said]);
    expect(world.reports.reports.at(-1)?.outcome.message).toContain(said);
    expect(specOf(world)['behavior']).toMatchObject({ scaleDown: { stabilizationWindowSeconds: 0 } });
  });

  it.each([
    {
      name: 'the native window is left alone',
      behavior: nativeWindow,
      targetsPercent: 20,
      minimumTargets: 10,
    },
    { name: 'the brake is off', behavior: noWindow, targetsPercent: 100, minimumTargets: 10 },
    { name: 'the source has too few targets', behavior: noWindow, targetsPercent: 20, minimumTargets: 13 },
  ])('says nothing of that where $name', async ({ behavior, ...settings }) => {
    world.brakeSettings = { ...world.brakeSettings, ...settings };
    await start(behavior);
    expect(departures()).toBeUndefined();
  });
});
