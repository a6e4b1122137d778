import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultSettings, type Intervention } from '#decision';
import type { StandingIntervention } from '#ledger';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { Reconciler } from '../reconciler.ts';
import { World } from '../testing/a-world.ts';

const hour = 3_600_000;
const minute = 60_000;

let world: World;
let checkout: ActivePolicy;
let reconciler: Reconciler;

beforeEach(async () => {
  world = new World();
  // As the controller configures it: what is remembered of a time of the future is bounded.
  world.options = { ...world.options, settings: { ...defaultSettings, maximumFutureSeconds: 60 } };
  checkout = world.add({ minReplicas: 2, maxReplicas: 20 }, 4);
  world.proposes(checkout, 4);
  reconciler = await world.start();
  await world.pass(reconciler);
});

type Effect = Partial<Intervention> & Pick<Intervention, 'kind'>;
const suspendDown: Effect = { kind: 'Suspend', direction: 'Down' };

/** Begins one as operators do; @returns its beginning. */
async function begin(id: string, effect: Effect, milliseconds: number): Promise<string> {
  const scope = { kind: 'Policy', namespace: 'shop', name: 'checkout' } as const;
  const since = world.interventions.beginningOf(scope);
  const expires = new Date(Date.parse(world.clock.now()) + milliseconds).toISOString();
  const intervention = { reason: 'incident 7', actor: 'ada', since, expires, ...effect } as Intervention;
  const standing: StandingIntervention = { id, scope, intervention };
  expect(await world.interventions.begin(standing)).toBeNull();
  return since;
}
const standing = () => world.interventions.list().map(({ id }) => id);
const acting = () => world.interventions.actingOn(checkout, world.clock.now());
const recorded = () => world.ledger.payloadsOf('OperatorAction').map(({ action }) => action);
/** Passes every 15 seconds. */
async function passFor(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 15_000) await world.pass(reconciler);
}

describe('a clock that is two hours ahead for a moment', () => {
  it.each<{ readonly name: string; readonly effect: Effect }>([
    { name: 'suspension', effect: suspendDown },
    { name: 'override', effect: { kind: 'Override', minReplicas: 4 } },
    { name: 'dry run', effect: { kind: 'DryRun' } },
  ])('ends no $name, which holds on until an hour has passed, and ends then', async ({ effect }) => {
    world.proposes(checkout, 2);
    await begin('one', effect, hour);
    await passFor(6 * minute);
    world.clock.setBack(-2 * hour);
    await passFor(minute);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(acting()).toHaveLength(1);
    world.clock.setBack(2 * hour);
    await passFor(52 * minute);
    expect(standing()).toEqual(['one']);
    expect(world.replicasOf(checkout)).toBe(4);
    await passFor(2 * minute);
    expect(standing()).toEqual([]);
    expect(recorded()[1]).toMatch(/^End/);
    await passFor(6 * minute);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it('is followed by a decision that names an end which is to come, the same in each pass', async () => {
    await begin('one', suspendDown, hour);
    await passFor(10 * minute);
    world.clock.setBack(-2 * hour);
    const [first] = acting();
    await world.pass(reconciler);
    expect(acting()).toEqual([first]);
    const left = Date.parse(first!.expires) - Date.parse(world.clock.now());
    expect(left).toBeGreaterThan(48 * minute);
    expect(left).toBeLessThanOrEqual(51 * minute);
    expect(world.interventions.untilNextExpiry(checkout, world.clock.now())).toBe(left);
  });

  it('does not end a suspension of the process before, whichever process saw it begin', async () => {
    world.proposes(checkout, 2);
    await begin('one', suspendDown, hour);
    world.clock.setBack(-2 * hour);
    reconciler = await world.start();
    await passFor(45_000);
    world.clock.setBack(2 * hour);
    await passFor(10 * minute);
    expect(standing()).toEqual(['one']);
    expect(world.replicasOf(checkout)).toBe(4);
    await passFor(50 * minute);
    expect(standing()).toEqual([]);
  });

  it('does not end one that another process began since', async () => {
    await passFor(2 * minute);
    const scope = { kind: 'Cluster' } as const;
    const expires = new Date(Date.parse(world.clock.now()) + hour).toISOString();
    const elsewhere = { id: 'two', scope, intervention: { ...suspendDown, expires } as Intervention };
    world.ledger.standing.set('two', elsewhere);
    await world.interventions.follow();
    await passFor(minute);
    world.clock.setBack(-2 * hour);
    await passFor(minute);
    expect(acting()).toHaveLength(1);
    world.clock.setBack(2 * hour);
    expect(standing()).toEqual(['two']);
  });
});

it('an expiry that both clocks have come to is one at that moment', async () => {
  await begin('one', suspendDown, 5 * minute);
  await world.pass(reconciler, 5 * minute - 1);
  expect(acting()).toHaveLength(1);
  await world.pass(reconciler, 1);
  expect(acting()).toEqual([]);
  expect(standing()).toEqual([]);
});

it('what has expired before a process began holds on, as a stop, until both clocks have agreed for a minute', async () => {
  await begin('one', suspendDown, minute);
  await begin('two', { kind: 'Override', replicas: 9 }, minute);
  world.clock.advance(hour);
  reconciler = await world.start();
  await world.pass(reconciler);
  expect(acting().map(({ kind }) => kind)).toEqual(['Suspend']);
  await passFor(45_000);
  expect(standing()).toEqual(['one', 'two']);
  await world.pass(reconciler);
  expect(standing()).toEqual([]);
});

it('the override set last acts, though the one before began by a clock that was ahead', async () => {
  world.clock.setBack(-hour);
  const first = await begin('three', { kind: 'Override', replicas: 3 }, 2 * hour);
  await world.pass(reconciler);
  expect(world.replicasOf(checkout)).toBe(3);
  world.clock.setBack(hour);
  const second = await begin('nine', { kind: 'Override', replicas: 9 }, hour);
  expect(Date.parse(second)).toBe(Date.parse(first) + 1);
  await world.pass(reconciler);
  expect(world.replicasOf(checkout)).toBe(9);
});
