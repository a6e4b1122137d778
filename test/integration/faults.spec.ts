import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Fault } from '#simulator';
import { eventually } from '../control-plane/poll.ts';
import { calmReplicas, FaultWorld, names, wantedReplicas } from '../support/fault-world.ts';

jest.setTimeout(60_000);

interface Row {
  readonly name: string;
  /** Lets it go wrong; returns what ends it. */
  readonly strike: (world: FaultWorld) => () => void;
  /** The policies that cannot do their work meanwhile. */
  readonly affected: readonly string[];
  /** What they say: `kind/reason: message`. */
  readonly says?: RegExp;
}

const everyRequest =
  (fault: Fault) =>
  ({ simulator }: FaultWorld) =>
    simulator.faults.add({ match: {}, fault });
const everyWrite =
  (fault: Fault) =>
  ({ simulator }: FaultWorld) =>
    simulator.faults.add({ match: { verb: 'update' }, fault });
const error = (code: number) => ({ kind: 'Error', code }) as const;

const rows: readonly Row[] = [
  { name: 'a slow API server', strike: everyRequest({ kind: 'Latency', milliseconds: 100 }), affected: [] },
  {
    name: '429 for every write',
    strike: everyWrite(error(429)),
    affected: names,
    says: /^Failed\/FailedUpdateScale: .*429/,
  },
  {
    name: '503 for every request',
    strike: everyRequest(error(503)),
    affected: names,
    says: /^(Waiting\/WriteInDoubt|Failed\/FailedUpdateScale): .*503/,
  },
  {
    name: '409 for every write',
    strike: everyWrite(error(409)),
    affected: names,
    says: /^Failed\/FailedUpdateScale: .*409/,
  },
  {
    name: 'connections that are half open',
    strike: everyRequest({ kind: 'Hang' }),
    affected: names,
    says: /^(Waiting\/WriteInDoubt: a write was sent and not answered|Failed\/PassTimedOut)/,
  },
  {
    name: 'connections that are cut',
    strike: everyRequest({ kind: 'Reset' }),
    affected: names,
    says: /^(Waiting\/WriteInDoubt|Failed\/FailedUpdateScale): .*UND_ERR_SOCKET/,
  },
  {
    name: 'credentials that have expired',
    strike: everyRequest(error(401)),
    affected: names,
    says: /^Failed\/FailedUpdateScale: .*401/,
  },
  {
    name: 'rights that were taken away',
    strike: everyWrite(error(403)),
    affected: names,
    says: /^Stalled\/WriteRefused: .*403/,
  },
  {
    name: 'a clock that jumps an hour ahead',
    strike: ({ clock }) => {
      clock.setWall(3_600_000);
      return () => undefined;
    },
    affected: [],
  },
  {
    name: 'a clock that jumps an hour back',
    strike: ({ clock }) => {
      clock.setWall(-3_600_000);
      return () => undefined;
    },
    affected: [],
  },
  {
    name: 'watches that are dropped and compacted',
    strike: ({ simulator }) => {
      simulator.faults.dropWatches();
      simulator.compact();
      return () => undefined;
    },
    affected: [],
  },
  {
    name: 'watches that are refused for over a minute',
    strike: ({ simulator, timing }) => {
      const release = simulator.faults.add({ match: { verb: ['watch', 'list'] }, fault: error(503) });
      simulator.faults.dropWatches();
      timing.advance(62_000);
      return release;
    },
    affected: names,
    says: /^Waiting\/CacheNotSynced: nothing has been heard/,
  },
  {
    name: 'a namespace that is deleted, and made anew',
    strike: (world) => {
      for (const name of names) world.removeTarget(name);
      world.simulator.objects.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'shop' });
      return () => {
        const metadata = { name: 'shop' };
        if (world.simulator.objects.find({ apiVersion: 'v1', kind: 'Namespace', name: 'shop' }) === undefined)
          world.simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
        for (const name of names) world.makeTarget(name);
      };
    },
    affected: names,
    says: /^Failed\/FailedGetScale: .*404/,
  },
  {
    name: 'a target that is renamed, and back',
    strike: (world) => {
      world.removeTarget('p0');
      world.makeTarget('renamed');
      return () => world.makeTarget('p0');
    },
    affected: ['p0'],
    says: /^Failed\/FailedGetScale: .*404/,
  },
];

let world: FaultWorld;
beforeEach(async () => {
  world = await FaultWorld.start();
  world.want(calmReplicas);
  await world.pass();
});
afterEach(() => world.stop());

it.each(rows)(
  '$name: nothing scales by accident, who is affected says why and since when, and all recover once',
  async ({ strike, affected, says = /./ }) => {
    const since = Date.parse(world.clock.now());
    const release = strike(world);
    world.want(wantedReplicas);
    for (let pass = 0; pass < 3; pass += 1) await world.pass();
    for (const name of affected) {
      expect(outcomeOf(name)).toMatch(says);
      const { status, lastTransitionTime = '' } = readyOf(name) ?? {};
      expect(status).not.toBe('True');
      expect(Date.parse(lastTransitionTime)).toBeGreaterThanOrEqual(since);
    }
    const unaffected = names.filter((name) => !affected.includes(name));
    expect(unaffected.map((name) => world.replicasOf(name))).toEqual(unaffected.map(() => wantedReplicas));
    release();
    await recovered();
    await world.pass();
    expect(world.changes.toSorted()).toEqual(
      names.map((name) => `${name} ${calmReplicas} → ${wantedReplicas}`),
    );
    expect(recorded()).toEqual(names.map(() => `Plimsoll ${calmReplicas} → ${wantedReplicas}`));
    // Each intent has one outcome.
    expect(world.ledger.payloadsOf('ScalingIntent')).toHaveLength(
      world.ledger.payloadsOf('ScalingFailure').length + names.length,
    );
    expect(world.mostLists).toBeLessThanOrEqual(2);
  },
);

function recorded(): readonly string[] {
  return world.ledger
    .payloadsOf('ScalingEvent')
    .map(({ origin, from, to }) => `${origin as string} ${from as number} → ${to as number}`);
}

function outcomeOf(name: string): string {
  const { kind, reason, message } = world.last(name)?.outcome ?? {};
  return `${String(kind)}/${String(reason)}: ${String(message)}`;
}

function readyOf(name: string) {
  return world.last(name)?.conditions.find(({ type }) => type === 'Ready');
}

function recovered(): Promise<true> {
  return eventually({
    description: 'every target to have what is wanted',
    timeoutMilliseconds: 30_000,
    intervalMilliseconds: 10,
    probe: async () => {
      await world.pass();
      return names.every((name) => world.replicasOf(name) === wantedReplicas) || undefined;
    },
  });
}
