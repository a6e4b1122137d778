import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from './active-policy.ts';
import type { Reconciler } from './reconciler.ts';
import { specOf } from './testing/a-rendered-policy.ts';
import { World } from './testing/a-world.ts';

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
