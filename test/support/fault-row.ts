import { expect } from '@jest/globals';
import { eventually } from '../control-plane/poll.ts';
import { calmReplicas, type FaultCluster, type FaultWorld, names, wantedReplicas } from './fault-world.ts';

type Release = () => void | Promise<void>;

/** Something that goes wrong with an API server, and what the controller makes of it. */
export interface FaultRow<Cluster extends FaultCluster> {
  readonly name: string;
  /** Lets it go wrong; returns what ends it. */
  readonly strike: (world: FaultWorld<Cluster>) => Release | Promise<Release>;
  /** The policies that cannot do their work meanwhile. */
  readonly affected: readonly string[];
  /** What they say: `kind/reason: message`. */
  readonly says?: RegExp;
}

/** Nothing scales by accident, who is affected says why and since when, and all recover, each once. */
export async function expectOneRecovery<Cluster extends FaultCluster>(
  world: FaultWorld<Cluster>,
  { strike, affected, says = /./ }: FaultRow<Cluster>,
): Promise<void> {
  const { cluster } = world;
  const since = Date.parse(world.clock.now());
  const release = await strike(world);
  world.want(wantedReplicas);
  for (let pass = 0; pass < 3; pass += 1) await world.pass();
  for (const name of affected) {
    expect(outcomeOf(world, name)).toMatch(says);
    const { status, lastTransitionTime = '' } = readyOf(world, name) ?? {};
    expect(status).not.toBe('True');
    expect(Date.parse(lastTransitionTime)).toBeGreaterThanOrEqual(since);
  }
  const unaffected = names.filter((name) => !affected.includes(name));
  await eventually({
    description: 'those who are not affected to have what is wanted',
    timeoutMilliseconds: 30_000,
    intervalMilliseconds: 10,
    probe: () =>
      Promise.resolve(unaffected.every((name) => cluster.replicasOf(name) === wantedReplicas) || undefined),
  });
  await release();
  await recovered(world);
  await world.pass();
  expect(cluster.changes.toSorted()).toEqual(
    names.map((name) => `${name} ${calmReplicas} → ${wantedReplicas}`),
  );
  if (world.actuation === 'Scale') expectOneScaling(world);
  else expectOneUpdate(world);
  expect(world.mostLists).toBeLessThanOrEqual(2);
}

/** Of each policy; each intent has one outcome. */
function expectOneScaling(world: FaultWorld): void {
  const { ledger } = world;
  expect(recorded(world)).toEqual(names.map(() => `Plimsoll ${calmReplicas} → ${wantedReplicas}`));
  expect(ledger.payloadsOf('ScalingIntent')).toHaveLength(
    ledger.payloadsOf('ScalingFailure').length + names.length,
  );
}

/** Of each policy's HPA, after it was made; each intent has one outcome. */
function expectOneUpdate({ ledger }: FaultWorld): void {
  const outcomes = ledger.payloadsOf('ActuationOutcome');
  const applied = outcomes.filter(({ result }) => result === 'Applied').map(({ verb }) => verb);
  expect(applied).toEqual([...names.map(() => 'Create'), ...names.map(() => 'Update')]);
  expect(ledger.payloadsOf('ActuationIntent')).toHaveLength(outcomes.length);
  expect(ledger.payloadsOf('ScalingIntent')).toEqual([]);
}

function recorded({ ledger }: FaultWorld): readonly string[] {
  return ledger
    .payloadsOf('ScalingEvent')
    .map(({ origin, from, to }) => `${origin as string} ${from as number} → ${to as number}`);
}

function outcomeOf(world: FaultWorld, name: string): string {
  const { kind, reason, message } = world.last(name)?.outcome ?? {};
  return `${String(kind)}/${String(reason)}: ${String(message)}`;
}

function readyOf(world: FaultWorld, name: string) {
  return world.last(name)?.conditions.find(({ type }) => type === 'Ready');
}

function recovered(world: FaultWorld): Promise<true> {
  return eventually({
    description: 'every target to have what is wanted',
    timeoutMilliseconds: 30_000,
    intervalMilliseconds: 10,
    probe: async () => {
      await world.pass();
      return names.every((name) => world.cluster.replicasOf(name) === wantedReplicas) || undefined;
    },
  });
}
