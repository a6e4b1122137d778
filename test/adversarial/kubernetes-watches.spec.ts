import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SimulationClock, type Simulator, startSimulator } from '#simulator';
import {
  aDeployment,
  aPod,
  type SimulatedKubernetes,
  startSimulatedKubernetes,
} from '../support/simulated-kubernetes.ts';
import { SteppedTiming } from '../support/stepped-timing.ts';

const query = { namespace: 'shop', selector: 'app=checkout' };
const pods = '/api/v1/pods';
const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const never = new AbortController().signal;
const stepMilliseconds = 500;
/** From the last sign of life to the next attempt, as client-go: 30 s until a ping, 15 s for its answer. */
const detectionSeconds = 45;

let clock: SimulationClock;
let timing: SteppedTiming;
let world: SimulatedKubernetes;

beforeEach(async () => {
  clock = newClock();
  timing = new SteppedTiming();
  world = await startSimulatedKubernetes({ timing }, { clock });
  world.simulator.objects.create(aPod('a'));
  world.simulator.objects.create(aDeployment('checkout', 2));
  await pass(1);
  expect(names()).toEqual(['a']);
});

afterEach(() => world.stop());

describe('a cache', () => {
  it('is believed for as long as its watch works, though nothing happens', async () => {
    for (let minute = 0; minute < 10; minute += 1) {
      await pass(60);
      expect(names()).toEqual(['a']);
    }
    expect(informer()).toMatchObject({ lists: 1, isWatching: true, lastFailure: undefined });
  });

  it('was last reached when its watch was cut off, and not again by what fails afterwards', async () => {
    world.simulator.faults.dropWatches();
    await pass(2);
    const before = timing.elapsed();
    expect(informer().freshAt).toBeLessThan(before);
    world.simulator.faults.add({ match: { path: pods }, fault: { kind: 'Error', code: 503 } });
    world.simulator.faults.dropWatches();
    await pass(1);
    const { reachedAt, freshAt } = informer();
    expect([freshAt! < before, reachedAt! >= before]).toEqual([true, true]);
    await pass(50);
    expect(informer()).toMatchObject({ reachedAt, isWatching: false });
  });

  it('of a quiet kind is not listed anew when the server forgets what is minutes old', async () => {
    for (let round = 0; round < 200; round += 1)
      world.simulator.objects.scale(target, 3 + (round % 2), 'kubectl');
    await pass(3 * detectionSeconds);
    const version = world.simulator.objects.find({
      ...target,
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'a',
    })?.metadata;
    const path = new RegExp(`^${pods}.*resourceVersion=${version?.resourceVersion ?? ''}(&|$)`);
    world.simulator.faults.add({ match: { verb: 'watch', path }, fault: { kind: 'Gone' } });
    await pass(2 * detectionSeconds);
    expect(names()).toEqual(['a']);
    expect(informer().lists).toBe(1);
  });

  it('sees what happened on a watch that had died in silence, within the time of client-go', async () => {
    expect(world.simulator.faults.freezeWatches()).toBeGreaterThan(0);
    world.simulator.objects.create(aPod('b'));
    await pass(detectionSeconds + 1);
    expect(names()).toEqual(['a', 'b']);
    expect(informer().lists).toBe(1);
  });

  it('is not believed a minute after its watches have begun to carry nothing', async () => {
    world.simulator.faults.add({ match: { verb: 'watch', path: pods }, fault: { kind: 'Freeze' } });
    world.simulator.faults.freezeWatches({ path: pods });
    world.simulator.objects.create(aPod('b'));
    await pass(62);
    expect(world.kubernetes.pods.listPods(query)).toMatchObject({
      state: 'Unsynced',
      message: expect.stringMatching(
        /^nothing has been heard of pods for \d+ s \(the watch of pods was silent/,
      ),
    });
    world.simulator.faults.clear();
    await pass(detectionSeconds + 1);
    expect(names()).toEqual(['a', 'b']);
  });

  it.each([
    { name: 'back', offsetMilliseconds: -24 * 3_600_000 },
    { name: 'forward', offsetMilliseconds: 24 * 3_600_000 },
  ])('ages alike when the clock is set $name', async ({ offsetMilliseconds }) => {
    world.simulator.faults.add({ match: { verb: 'watch' }, fault: { kind: 'Error', code: 503 } });
    world.simulator.faults.dropWatches();
    await pass(1);
    timing.wallOffsetMilliseconds = offsetMilliseconds;
    await pass(50);
    expect(names()).toEqual(['a']);
    await pass(12);
    expect(world.kubernetes.pods.listPods(query).state).toBe('Unsynced');
  });
});

describe('an event that cannot be taken in', () => {
  it('begins a new list, instead of being resumed for ever', async () => {
    world.simulator.faults.add({
      match: { verb: 'watch', path: pods },
      fault: { kind: 'Garble' },
      times: 1,
    });
    world.simulator.faults.dropWatches({ path: pods });
    await pass(1);
    world.simulator.objects.create(aPod('b'));
    await pass(2);
    expect(names()).toEqual(['a', 'b']);
    expect(informer().lists).toBe(2);
  });

  it('that comes again and again ends the trust in the cache', async () => {
    world.simulator.faults.add({ match: { verb: 'watch', path: pods }, fault: { kind: 'Garble' } });
    world.simulator.faults.add({ match: { verb: 'list', path: pods }, fault: { kind: 'Truncate' } });
    world.simulator.faults.dropWatches({ path: pods });
    await pass(1);
    for (let round = 0; round < 62; round += 1) {
      world.simulator.objects.create(aPod(`p${round}`));
      await pass(1);
    }
    expect(world.kubernetes.pods.listPods(query).state).toBe('Unsynced');
  });
});

describe('an API server that was restored from a backup', () => {
  let restored: Simulator;

  beforeEach(async () => {
    // The versions run ahead of those of the backup.
    for (let round = 0; round < 200; round += 1)
      world.simulator.objects.scale(target, 3 + (round % 2), 'kubectl');
    await pass(2 * detectionSeconds);
    await writeScale(9);
    await world.simulator.stop();
    clock = newClock();
    const { port } = new URL(world.simulator.url);
    restored = await startSimulator({
      controllers: 'ApiOnly',
      clock,
      port: Number(port),
      token: world.simulator.token,
    });
    restored.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    restored.objects.create(aPod('from-the-backup'));
    restored.objects.create(aDeployment('checkout', 7));
  });

  afterEach(() => restored.stop());

  it('is listed anew, although its versions have gone back', async () => {
    await pass(30);
    expect(names()).toEqual(['a']);
    await pass(60);
    expect(names()).toEqual(['from-the-backup']);
  });

  it('is not believed a count of before until it has said so for a minute, also where it is asked', async () => {
    const read = () => world.kubernetes.scales.readScale({ target, freshness: 'Live' }, never);
    for (let seconds = 0; seconds < 60; seconds += 20) {
      expect(await read()).toMatchObject({
        error: { message: expect.stringContaining('is it behind, or restored?') },
        cause: 'Failed',
      });
      await pass(20);
    }
    expect(await read()).toMatchObject({ state: { specReplicas: 7 } });
    expect(await read()).toMatchObject({ state: { specReplicas: 7 } });
  });

  it('gives the scale that it has, not a newer one that it has forgotten', async () => {
    await pass(90);
    const reading = await world.kubernetes.scales.readScale({ target, freshness: 'Cached' }, never);
    expect(reading).toMatchObject({ state: { specReplicas: 7 } });
  });
});

function newClock(): SimulationClock {
  return SimulationClock.manual(Date.parse('2026-03-01T12:00:00Z'));
}

async function writeScale(replicas: number): Promise<void> {
  const reading = await world.kubernetes.scales.readScale({ target, freshness: 'Live' }, never);
  if ('error' in reading) throw new Error(reading.error.message);
  const write = { target, observed: reading.state, replicas };
  expect(await world.kubernetes.scales.writeScale(write, never)).toMatchObject({ outcome: 'Written' });
}

/** Lets time pass for both sides, in steps in which what was sent arrives. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds * 1000; left > 0; left -= stepMilliseconds) {
    timing.step(stepMilliseconds);
    clock.advance(stepMilliseconds);
    for (let round = 0; round < 3; round += 1) {
      await world.kubernetes
        .createClient(1)
        .json({ path: '/version' })
        .catch(() => undefined);
    }
  }
}

function names(): readonly string[] {
  const listing = world.kubernetes.pods.listPods(query);
  if (listing.state !== 'Synced') throw new Error(listing.message);
  return listing.pods.map(({ name }) => name).toSorted();
}

function informer() {
  const status = world.kubernetes.health().informers.find(({ resource }) => resource === 'pods');
  if (status === undefined) throw new Error('no informer of pods');
  return status;
}
