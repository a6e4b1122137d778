import { describe, expect, it } from '@jest/globals';
import { decide, type DecideInput, defaultSettings } from '#decision';
import type { JsonObject } from '#kernel';
import {
  CronWindows,
  type DirectionRules,
  type EffectivePolicy,
  type FreezeSpec,
  type ScheduleSpec,
} from '#policy';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { Reconciler } from '../reconciler.ts';
import { aPolicy } from '../testing/a-policy.ts';
import { readyPods, recommended } from '../testing/a-recommended-policy.ts';
import { hpaName, specOf } from '../testing/a-rendered-policy.ts';
import { World } from '../testing/a-world.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Of the hours that begin with this one, in UTC. */
const spanOf = (from: number, hours = 1) => ({
  cron: `0 ${from} * * *`,
  timeZone: 'UTC',
  durationSeconds: hours * 3_600,
});
const freezeAt = (from: number): FreezeSpec => ({ name: 'release', direction: 'Down', ...spanOf(from) });
const scheduleAt = (
  from: number,
  bounds: Pick<ScheduleSpec, 'minReplicas' | 'maxReplicas'>,
): ScheduleSpec => ({ name: 'sale', ...bounds, ...spanOf(from) });

interface Fixture {
  readonly world: World;
  readonly checkout: ActivePolicy;
  readonly reconciler: Reconciler;
}

/** A policy over 6 replicas whose metric asks for 2, at 12:30. */
async function atHalfPast(changes: Partial<EffectivePolicy>): Promise<Fixture> {
  const world = new World();
  world.options = { ...world.options, settings: { ...defaultSettings, maximumFutureSeconds: 60 } };
  world.calendar = new CronWindows();
  const checkout = world.add(changes, 6);
  world.proposes(checkout, 6);
  world.clock.advance(28 * minute);
  const reconciler = await world.start();
  await passFor({ world, reconciler }, 2 * minute);
  expect(world.replicasOf(checkout)).toBe(6);
  world.proposes(checkout, 2);
  return { world, checkout, reconciler };
}

/** Passes every 15 seconds. */
async function passFor(
  { world, reconciler }: Pick<Fixture, 'world' | 'reconciler'>,
  milliseconds: number,
): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 15_000) await world.pass(reconciler);
}

/** Suspends scaling down for so long. */
async function suspend({ world }: Pick<Fixture, 'world'>, milliseconds: number): Promise<void> {
  const since = world.clock.now();
  const expires = new Date(Date.parse(since) + milliseconds).toISOString();
  await world.interventions.begin({
    id: 'stop',
    scope: { kind: 'Policy', ...hpaName },
    intervention: { kind: 'Suspend', direction: 'Down', reason: 'incident 7', actor: 'ada', since, expires },
  });
}

interface Row {
  readonly name: string;
  readonly policy: Partial<EffectivePolicy>;
  /** How far the clock goes forward. */
  readonly jump: number;
}

const loosened: readonly Row[] = [
  { name: 'past the end of a freeze', policy: { freezes: [freezeAt(12)] }, jump: 2 * hour },
  { name: 'back to before a freeze', policy: { freezes: [freezeAt(12)] }, jump: -hour },
  {
    name: 'past the end of the minimum of a schedule',
    policy: { schedules: [scheduleAt(12, { minReplicas: 6 })] },
    jump: 2 * hour,
  },
  {
    name: 'back to before the minimum of a schedule',
    policy: { schedules: [scheduleAt(12, { minReplicas: 6 })] },
    jump: -hour,
  },
  {
    name: 'past the end of a schedule that raises the maximum',
    policy: {
      minReplicas: 3,
      maxReplicas: 3,
      schedules: [scheduleAt(12, { minReplicas: 6, maxReplicas: 6 })],
    },
    jump: 2 * hour,
  },
  {
    name: 'into a schedule that lowers the maximum',
    policy: { minReplicas: 6, schedules: [scheduleAt(14, { maxReplicas: 2 })] },
    jump: 2 * hour,
  },
  {
    name: 'into a schedule that lowers the minimum',
    policy: { minReplicas: 6, schedules: [scheduleAt(14, { minReplicas: 1 })] },
    jump: 2 * hour,
  },
  {
    name: 'from one schedule into another that keeps less',
    policy: {
      schedules: [
        scheduleAt(12, { minReplicas: 6 }),
        { ...scheduleAt(14, { minReplicas: 3, maxReplicas: 4 }), name: 'night' },
      ],
    },
    jump: 2 * hour,
  },
];

describe('a clock that jumps', () => {
  it.each(loosened)('$name takes nothing away, and all is as before once it is right again', async (row) => {
    const fixture = await atHalfPast(row.policy);
    const { world, checkout } = fixture;
    world.clock.setBack(-row.jump);
    await passFor(fixture, minute);
    expect(world.replicasOf(checkout)).toBe(6);
    world.clock.setBack(row.jump);
    await passFor(fixture, 10 * minute);
    expect(world.replicasOf(checkout)).toBe(6);
  });

  it.each(loosened)('$name, and stays so, is believed after five minutes, and not before', async (row) => {
    const fixture = await atHalfPast(row.policy);
    const { world, checkout } = fixture;
    world.clock.setBack(-row.jump);
    await passFor(fixture, 5 * minute);
    expect(world.replicasOf(checkout)).toBe(6);
    await passFor(fixture, minute);
    expect(world.replicasOf(checkout)).toBeLessThan(6);
  });

  it('into a freeze is frozen at once', async () => {
    const fixture = await atHalfPast({ freezes: [freezeAt(14)] });
    fixture.world.clock.setBack(-2 * hour);
    await passFor(fixture, minute);
    expect(fixture.world.replicasOf(fixture.checkout)).toBe(6);
  });

  it('into a schedule that keeps more grows at once', async () => {
    const fixture = await atHalfPast({
      freezes: [freezeAt(12)],
      schedules: [scheduleAt(14, { minReplicas: 8 })],
    });
    fixture.world.clock.setBack(-2 * hour);
    await passFor(fixture, minute);
    expect(fixture.world.replicasOf(fixture.checkout)).toBe(8);
  });

  it('lets a window end at its time, by the clock that is believed', async () => {
    const fixture = await atHalfPast({ freezes: [freezeAt(12)] });
    const { world, checkout } = fixture;
    await passFor(fixture, 28 * minute);
    world.clock.setBack(-10 * minute);
    await passFor(fixture, minute);
    expect(world.replicasOf(checkout)).toBe(6);
    await passFor(fixture, 2 * minute);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it('by five seconds is believed', async () => {
    const fixture = await atHalfPast({ freezes: [freezeAt(12)] });
    const { world, checkout } = fixture;
    await passFor(fixture, 29 * minute);
    world.clock.setBack(-5_000);
    await passFor(fixture, minute);
    expect(world.replicasOf(checkout)).toBe(2);
    expect(world.log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('leaves the HPA of a policy with what it had, until it is believed', async () => {
    const fixture = await atHalfPast({
      actuation: 'HorizontalPodAutoscaler',
      freezes: [freezeAt(12)],
      schedules: [scheduleAt(12, { minReplicas: 6 })],
    });
    const { world } = fixture;
    const before = specOf(world);
    expect(before).toMatchObject({ minReplicas: 6, behavior: { scaleDown: { selectPolicy: 'Disabled' } } });
    world.clock.setBack(-2 * hour);
    await passFor(fixture, minute);
    expect(specOf(world)).toEqual(before);
    await passFor(fixture, 5 * minute);
    expect(specOf(world)).toMatchObject({ minReplicas: 1 });
    expect(specOf(world)).not.toHaveProperty('behavior.scaleDown.selectPolicy', 'Disabled');
  });

  it.each([
    { name: 'past the end of what is rendered', jump: 2 * hour },
    { name: 'back to before it began', jump: -hour },
  ])('$name and is set right again writes no HPA for it', async ({ jump }) => {
    const fixture = await atHalfPast({
      actuation: 'HorizontalPodAutoscaler',
      freezes: [freezeAt(12)],
      schedules: [scheduleAt(12, { minReplicas: 6 })],
    });
    const { world } = fixture;
    await suspend(fixture, 20 * minute);
    await passFor(fixture, minute);
    const before = world.nativeAutoscalers.document(hpaName);
    const writes = [...world.nativeAutoscalers.writes];
    world.clock.setBack(-jump);
    await passFor(fixture, 2 * minute);
    world.clock.setBack(jump);
    await passFor(fixture, 2 * minute);
    expect(world.nativeAutoscalers.writes).toEqual(writes);
    expect(world.nativeAutoscalers.document(hpaName)).toEqual(before);
  });

  it('and is believed has the HPA written once', async () => {
    const fixture = await atHalfPast({ actuation: 'HorizontalPodAutoscaler', freezes: [freezeAt(12)] });
    const { world } = fixture;
    const { length } = world.nativeAutoscalers.writes;
    world.clock.setBack(-2 * hour);
    await passFor(fixture, 7 * minute);
    expect(world.nativeAutoscalers.writes.slice(length)).toEqual(['Update checkout']);
  });

  it('leaves an HPA that somebody changed meanwhile no longer as it is', async () => {
    const fixture = await atHalfPast({ actuation: 'HorizontalPodAutoscaler', freezes: [freezeAt(12)] });
    const { world } = fixture;
    world.clock.setBack(-2 * hour);
    await passFor(fixture, minute);
    const document = world.nativeAutoscalers.document(hpaName)!;
    const spec = document['spec'] as JsonObject;
    world.nativeAutoscalers.putAs('kubectl-edit', { ...document, spec: { ...spec, maxReplicas: 99 } });
    await passFor(fixture, minute);
    expect(specOf(world)).toMatchObject({ maxReplicas: 10 });
  });

  it('is in the observation of its decisions, which replay to the same', async () => {
    const fixture = await atHalfPast({ freezes: [freezeAt(12)] });
    const { world } = fixture;
    world.clock.setBack(-2 * hour);
    await passFor(fixture, 6 * minute);
    const recorded = world.ledger.payloadsOf('Decision');
    expect(recorded.at(-1)).toMatchObject({ decision: { desiredReplicas: 2 } });
    expect(recorded.length).toBeGreaterThan(2);
    for (const { input, decision } of recorded) {
      const replayed = decide({ ...(input as unknown as DecideInput), policy: fixture.checkout.policy });
      expect(replayed.decision).toEqual(decision);
    }
  });

  it('is told once, and again when it jumps later', async () => {
    const fixture = await atHalfPast({ freezes: [freezeAt(12)] });
    const { world } = fixture;
    const warnings = (): unknown[] =>
      world.log.lines
        .filter(({ text }) => text.startsWith('the clock'))
        .map(({ level, text, fields }) => [level, text, fields]);
    for (let jumps = 0; jumps < 2; jumps += 1) {
      world.clock.setBack(-2 * hour);
      await passFor(fixture, minute);
      world.clock.setBack(2 * hour);
      await passFor(fixture, minute);
    }
    const told = [
      'warn',
      'the clock was set forward by 7200 s: until 2026-11-20T14:35:15.000Z schedules and freezes act as by either time',
      { jumpSeconds: 7_200, believedAt: '2026-11-20T14:35:15.000Z' },
    ];
    expect(warnings()).toEqual([told]);
    await passFor(fixture, 6 * minute);
    world.clock.setBack(hour);
    await passFor(fixture, minute);
    const back = expect.stringMatching(/^the clock was set back by 3600 s/) as unknown;
    expect(warnings()).toEqual([told, ['warn', back, expect.anything()]]);
  });
});

interface Timed {
  readonly name: string;
  readonly policy: Partial<EffectivePolicy>;
  /** What its metric asks for before it asks for 2. */
  readonly before: number;
}

const { behavior } = aPolicy();
const withScaleDown = (rules: Partial<DirectionRules>): Pick<EffectivePolicy, 'behavior'> => ({
  behavior: { ...behavior, isSet: true, scaleDown: { stabilizationWindowSeconds: 0, ...rules } },
});

describe('a clock that is set forward by an hour', () => {
  it.each<Timed>([
    { name: 'a delay', policy: { ...recommended, ...withScaleDown({ delaySeconds: 600 }) }, before: 6 },
    {
      name: 'a forbidden window',
      policy: { ...recommended, ...withScaleDown({ forbiddenWindowSeconds: 600 }) },
      before: 8,
    },
    {
      name: 'the period of a rate policy',
      policy: withScaleDown({
        selectPolicy: 'Max',
        policies: [{ type: 'Pods', value: 1, periodSeconds: 600 }],
      }),
      before: 7,
    },
  ])('ends $name at its time by the monotonic clock, and not before', async ({ policy, before }) => {
    const world = new World();
    const checkout = world.add(policy, 6);
    world.pods.set({ namespace: 'shop', selector: 'app=checkout' }, readyPods(6));
    const asksFor = (replicas: number): void => {
      world.proposes(checkout, replicas);
      world.recommenders.answer = { replicas, lowerBound: replicas, upperBound: replicas };
    };
    const reconciler = await world.start();
    asksFor(before);
    await passFor({ world, reconciler }, minute);
    asksFor(2);
    await passFor({ world, reconciler }, minute);
    const count = world.replicasOf(checkout);
    expect(count).toBeGreaterThan(2);
    world.clock.setBack(-hour);
    await passFor({ world, reconciler }, 7 * minute);
    expect(world.replicasOf(checkout)).toBe(count);
    await passFor({ world, reconciler }, 3 * minute);
    expect(world.replicasOf(checkout)).toBeLessThan(count ?? 0);
  });
});
