import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { FakeWriteFault } from '../ports/scale.fake.ts';
import type { Reconciler } from '../reconciler.ts';
import { World } from '../testing/a-world.ts';

const key = 'shop/checkout';
const forbidden = { code: 'Forbidden', message: 'scale is forbidden', retryable: false };
const busy = { code: 'TooManyRequests', message: '429', retryable: true };
const hour = 60 * 60;

let world: World;
let checkout: ActivePolicy;
let reconciler: Reconciler;

beforeEach(async () => {
  world = new World();
  checkout = world.add({}, 4);
  world.proposes(checkout, 2);
  reconciler = await world.start();
});

const outcome = () => world.reports.outcomesOf(key).at(-1);
const message = () => world.reports.reports.at(-1)?.outcome.message;
const condition = (wanted: string) =>
  world.reports.reports.at(-1)?.conditions.find(({ type }) => type === wanted);
const attempts = () => world.ledger.payloadsOf('ScalingIntent').length;

/** From now on every write meets this. */
function refuseWith(fault: FakeWriteFault): void {
  world.scale.faults.push(...Array.from({ length: 1_000 }, () => fault));
}

function allow(): void {
  world.scale.faults.length = 0;
}

async function passFor(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 15) await world.pass(reconciler);
}

/** Passes until the next attempt; how many seconds it took. */
async function secondsUntilAttempt(): Promise<number> {
  const before = attempts();
  for (let seconds = 15; seconds <= 600; seconds += 15) {
    await world.pass(reconciler);
    if (attempts() > before) return seconds;
  }
  return Number.POSITIVE_INFINITY;
}

async function waits(count: number): Promise<readonly number[]> {
  const found: number[] = [];
  while (found.length < count) found.push(await secondsUntilAttempt());
  return found;
}

describe('a policy whose writes are refused', () => {
  it('waits for longer each time where it scales down', async () => {
    refuseWith({ kind: 'Fails', failure: forbidden });
    expect(await waits(8)).toEqual([15, 15, 15, 60, 120, 240, 300, 300]);
  });

  it('waits for a minute at most where it scales up', async () => {
    world.proposes(checkout, 6);
    refuseWith({ kind: 'Fails', failure: forbidden });
    expect(await waits(7)).toEqual([15, 15, 15, 60, 60, 60, 60]);
  });

  it.each([
    { name: 'down', replicas: 2, want: 16 },
    { name: 'up', replicas: 6, want: 62 },
  ])('is recorded $want times in an hour where it scales $name', async ({ replicas, want }) => {
    world.proposes(checkout, replicas);
    refuseWith({ kind: 'Fails', failure: forbidden });
    await passFor(hour);
    const kinds = world.ledger.kindsOf('shop', 'checkout');
    const count = (kind: string): number => kinds.filter((each) => each === kind).length;
    expect([count('ScalingIntent'), count('ScalingFailure')]).toEqual([want, want]);
    expect([count('Decision'), count('DecisionRun')]).toEqual([1, 3]);
  });

  it('says in one Event, its outcome and its conditions what the API server says, how often, since when, and until when', async () => {
    refuseWith({ kind: 'Fails', failure: forbidden });
    await waits(4);
    const said =
      'could not scale to 2: scale is forbidden; refused 4 times since 2026-11-20T12:00:15.000Z, next attempt at 2026-11-20T12:03:45.000Z';
    for (let pass = 0; pass < 3; pass += 1) {
      expect([outcome(), message()]).toEqual(['Stalled/WriteRefused', said]);
      expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'WriteRefused', message: said });
      expect(condition('AbleToScale')).toMatchObject({
        status: 'False',
        reason: 'FailedUpdateScale',
        message: `the HPA controller was unable to update the target scale: ${said}`,
        lastTransitionTime: '2026-11-20T12:00:15.000Z',
      });
      await world.pass(reconciler);
    }
    const told = world.kubernetesEvents.emitted.filter(({ reason }) => reason === 'WriteRefused');
    expect(told).toMatchObject([{ type: 'Warning', message: 'could not scale to 2: scale is forbidden' }]);
  });

  it('scales up at once where scaling down was refused', async () => {
    refuseWith({ kind: 'Fails', failure: forbidden });
    await waits(6);
    allow();
    world.proposes(checkout, 6);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    expect(outcome()).toBe('Done/Scaled');
  });

  it('is written at once where its target is made anew', async () => {
    refuseWith({ kind: 'Fails', failure: forbidden });
    await waits(6);
    allow();
    world.scale.replace(scaleTargetOf(checkout.policy), 4);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it('is written at once where a commit brings another version of it', async () => {
    refuseWith({ kind: 'Fails', failure: forbidden });
    await waits(6);
    allow();
    const { policy, origin, ...rest } = checkout;
    const commit = { ...origin.commit, hash: 'f'.repeat(40) };
    world.activePolicies.policies = [
      { ...rest, origin: { ...origin, commit }, policy: { ...policy, maxReplicas: 7 } },
    ];
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it('is written at the next attempt once it may, and waits no more', async () => {
    refuseWith({ kind: 'Fails', failure: forbidden });
    await waits(6);
    allow();
    expect(await secondsUntilAttempt()).toBe(300);
    expect(world.replicasOf(checkout)).toBe(2);
    refuseWith({ kind: 'Fails', failure: forbidden });
    world.scale.set(scaleTargetOf(checkout.policy), 4);
    expect(await waits(3)).toEqual([15, 15, 15]);
  });

  it('begins anew where it is refused for another reason', async () => {
    refuseWith({ kind: 'Fails', failure: forbidden });
    await waits(5);
    allow();
    refuseWith({ kind: 'Fails', failure: { code: 'Invalid', message: 'too few', retryable: false } });
    expect(await waits(4)).toEqual([240, 15, 15, 60]);
  });

  it.each<{ name: string; fault: FakeWriteFault; want: readonly number[] }>([
    {
      name: 'waits where the API server takes the write and keeps the count',
      fault: { kind: 'Fails', failure: { code: 'NotKept', message: 'it kept 4', retryable: false } },
      want: [15, 15, 15, 60, 120],
    },
    {
      name: 'waits where the API server is busy',
      fault: { kind: 'Fails', failure: busy },
      want: [15, 15, 15, 60, 120],
    },
    {
      name: 'waits where the API server answers 409, and nobody was quicker',
      fault: { kind: 'Fails', failure: { code: 'UnfoundedConflict', message: '409', retryable: true } },
      want: [15, 15, 15, 60, 120],
    },
    {
      name: 'waits where the scale cannot be read before a write',
      fault: { kind: 'Fails', failure: { code: 'NotReadBefore', message: '503', retryable: true } },
      want: [15, 15, 15, 60, 120],
    },
    {
      name: 'does not wait where others are quicker again and again',
      fault: { kind: 'Fails', failure: { code: 'Conflict', message: '409', retryable: true } },
      want: [15, 15, 15, 15, 15],
    },
    {
      name: 'does not wait where there is no connection',
      fault: { kind: 'Fails', failure: { code: 'NotConnected', message: 'refused', retryable: true } },
      want: [15, 15, 15, 15, 15],
    },
    {
      name: 'does not wait where the answer is lost',
      fault: { kind: 'Lost', taken: 'No' },
      want: [15, 15, 15, 15, 15],
    },
    {
      name: 'waits where the API server answers with an error of its own, and did not make the write',
      fault: { kind: 'Lost', taken: 'No', code: 'ServerError' },
      want: [15, 15, 15, 60, 120],
    },
  ])('$name', async ({ fault, want }) => {
    refuseWith(fault);
    expect(await waits(5)).toEqual(want);
  });

  it('is refused by an API server that is busy once it waits, and not before', async () => {
    refuseWith({ kind: 'Fails', failure: busy });
    await waits(4);
    expect(world.reports.outcomesOf(key).slice(0, 4)).toEqual([
      'Failed/FailedUpdateScale',
      'Failed/FailedUpdateScale',
      'Stalled/WriteRefused',
      'Stalled/WriteRefused',
    ]);
    expect(outcome()).toBe('Stalled/WriteRefused');
  });

  it('keeps its reason and its conditions through attempts that the API server answers with an error of its own', async () => {
    refuseWith({ kind: 'Lost', taken: 'No', code: 'ServerError' });
    const found: string[] = [];
    for (let passed = 0; passed < hour / 2; passed += 15) {
      await world.pass(reconciler);
      const { status, reason } = condition('Ready') ?? {};
      const able = condition('AbleToScale');
      found.push([outcome(), status, reason, able?.status, able?.reason].join(' '));
    }
    const refused = 'Stalled/WriteRefused False WriteRefused False FailedUpdateScale';
    expect(found.slice(0, 3).map((each) => each.split(' ')[0])).toEqual([
      'Waiting/WriteInDoubt',
      'Waiting/WriteInDoubt',
      'Waiting/WriteInDoubt',
    ]);
    expect([...new Set(found.slice(3))]).toEqual([refused]);
    const told = world.kubernetesEvents.emitted.map(({ reason }) => reason);
    expect(told.filter((reason) => reason.startsWith('Write'))).toEqual(['WriteInDoubt', 'WriteRefused']);
  });

  it('says so where it is not known yet whether a write was refused once more', async () => {
    refuseWith({ kind: 'Lost', taken: 'No', code: 'ServerError' });
    await waits(4);
    expect([outcome(), message()]).toEqual([
      'Stalled/WriteRefused',
      'could not scale to 2: no answer within 10 s; refused 3 times since 2026-11-20T12:00:15.000Z; the next pass finds out whether it was once more',
    ]);
    await world.pass(reconciler);
    expect(message()).toContain('refused 4 times since 2026-11-20T12:00:15.000Z, next attempt at ');
  });

  it('waits over a restart as long as without one', async () => {
    refuseWith({ kind: 'Fails', failure: forbidden });
    await waits(3);
    const found: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      await world.pass(reconciler);
      reconciler = await world.start();
      found.push(15 + (await secondsUntilAttempt()));
    }
    expect(found).toEqual([60, 120, 240, 300]);
    await world.pass(reconciler);
    expect(message()).toContain('refused 7 times since 2026-11-20T12:00:15.000Z');
  });

  it('is written at once where a person begins an intervention', async () => {
    refuseWith({ kind: 'Fails', failure: forbidden });
    await waits(6);
    allow();
    const since = world.clock.now();
    const expires = new Date(Date.parse(since) + 60_000).toISOString();
    await world.interventions.begin({
      id: 'one',
      scope: { kind: 'Policy', namespace: 'shop', name: 'checkout' },
      intervention: { kind: 'Override', replicas: 2, reason: 'incident 7', actor: 'ada', since, expires },
    });
    await world.pass(reconciler, 1_000);
    expect(world.replicasOf(checkout)).toBe(2);
  });
});
