import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Fault, KubeObject, Simulator } from '#simulator';
import { expectOneRecovery, type FaultRow } from '../support/fault-row.ts';
import { calmReplicas, FastTiming, type FaultCluster, FaultWorld, names } from '../support/fault-world.ts';
import { aDeployment, startSimulatedKubernetes } from '../support/simulated-kubernetes.ts';

jest.setTimeout(60_000);

/** The simulated API server. */
interface SimulatedFaults extends FaultCluster {
  readonly simulator: Simulator;
  readonly makeTarget: (name: string) => void;
  readonly removeTarget: (name: string) => void;
}

type World = FaultWorld<SimulatedFaults>;

const everyRequest =
  (fault: Fault) =>
  ({ cluster }: World) =>
    cluster.simulator.faults.add({ match: {}, fault });
const everyWrite =
  (fault: Fault) =>
  ({ cluster }: World) =>
    cluster.simulator.faults.add({ match: { verb: 'update' }, fault });
const error = (code: number) => ({ kind: 'Error', code }) as const;
/** Any status is a webhook's to choose. */
const denial = {
  kind: 'Error',
  code: 500,
  message: 'admission webhook "a.example" denied the request: no',
} as const;

const rows: readonly FaultRow<SimulatedFaults>[] = [
  { name: 'a slow API server', strike: everyRequest({ kind: 'Latency', milliseconds: 100 }), affected: [] },
  {
    name: '429 for every write',
    strike: everyWrite(error(429)),
    affected: names,
    says: /^Stalled\/WriteRefused: could not scale .*429/,
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
    says: /^Stalled\/WriteRefused: .*409 .*, though version \d+ is the present one: /,
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
    name: '413 for every write',
    strike: everyWrite(error(413)),
    affected: names,
    says: /^Stalled\/WriteRefused: .*413/,
  },
  {
    name: 'a webhook that denies every write with a status of its own',
    strike: everyWrite(denial),
    affected: names,
    says: /^Stalled\/WriteRefused: .* denied the request: no/,
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
    strike: ({ cluster: { simulator } }) => {
      simulator.faults.dropWatches();
      simulator.compact();
      return () => undefined;
    },
    affected: [],
  },
  {
    name: 'watches that are refused for over a minute',
    strike: ({ cluster: { simulator, timing } }) => {
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
    strike: ({ cluster }) => {
      for (const name of names) cluster.removeTarget(name);
      cluster.simulator.objects.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'shop' });
      return () => {
        const metadata = { name: 'shop' };
        if (
          cluster.simulator.objects.find({ apiVersion: 'v1', kind: 'Namespace', name: 'shop' }) === undefined
        )
          cluster.simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
        for (const name of names) cluster.makeTarget(name);
      };
    },
    affected: names,
    says: /^Failed\/FailedGetScale: .*404/,
  },
  {
    name: 'a target that is renamed, and back',
    strike: ({ cluster }) => {
      cluster.removeTarget('p0');
      cluster.makeTarget('renamed');
      return () => cluster.makeTarget('p0');
    },
    affected: ['p0'],
    says: /^Failed\/FailedGetScale: .*404/,
  },
];

/** What a rendered policy meets, whose HPA is read before each write of it. */
const renderedRows: readonly FaultRow<SimulatedFaults>[] = [
  { name: 'a slow API server', strike: everyRequest({ kind: 'Latency', milliseconds: 100 }), affected: [] },
  {
    name: '429 for every write',
    strike: everyWrite(error(429)),
    affected: names,
    says: /^Stalled\/WriteRefused: could not update the HPA.*429/,
  },
  {
    name: '503 for every write',
    strike: everyWrite(error(503)),
    affected: names,
    says: /^(Waiting\/WriteInDoubt: .*|Failed\/FailedUpdateHpa: .*503)/,
  },
  {
    name: '503 for every request',
    strike: everyRequest(error(503)),
    affected: names,
    says: /^Waiting\/HpaUnknown: .*503/,
  },
  {
    name: '409 for every write',
    strike: everyWrite(error(409)),
    affected: names,
    says: /^Stalled\/WriteRefused: .*409 .*, though version \d+ is the present one: /,
  },
  {
    name: 'connections that are half open',
    strike: everyRequest({ kind: 'Hang' }),
    affected: names,
    says: /^(Waiting\/HpaUnknown|Failed\/PassTimedOut)/,
  },
  {
    name: 'writes whose connections are half open',
    strike: everyWrite({ kind: 'Hang' }),
    affected: names,
    says: /^(Waiting\/WriteInDoubt|Failed\/PassTimedOut)/,
  },
  {
    name: 'connections that are cut',
    strike: everyRequest({ kind: 'Reset' }),
    affected: names,
    says: /^Waiting\/HpaUnknown: .*UND_ERR_SOCKET/,
  },
  {
    name: 'writes whose connections are cut',
    strike: everyWrite({ kind: 'Reset' }),
    affected: names,
    says: /^(Waiting\/WriteInDoubt|Failed\/FailedUpdateHpa)/,
  },
  {
    name: 'credentials that have expired',
    strike: everyRequest(error(401)),
    affected: names,
    says: /^Waiting\/HpaUnknown: .*401/,
  },
  {
    name: 'rights that were taken away',
    strike: everyWrite(error(403)),
    affected: names,
    says: /^Stalled\/WriteRefused: .*403/,
  },
  {
    name: '413 for every write',
    strike: everyWrite(error(413)),
    affected: names,
    says: /^Stalled\/WriteRefused: .*413/,
  },
  {
    name: 'a webhook that denies every write with a status of its own',
    strike: everyWrite(denial),
    affected: names,
    says: /^Stalled\/WriteRefused: .* denied the request: no/,
  },
  {
    name: 'watches that are refused for over a minute',
    strike: ({ cluster: { simulator, timing } }) => {
      const release = simulator.faults.add({ match: { verb: ['watch', 'list'] }, fault: error(503) });
      simulator.faults.dropWatches();
      timing.advance(62_000);
      return release;
    },
    affected: names,
    says: /^Waiting\/CacheNotSynced: nothing has been heard/,
  },
];

describe.each([
  { actuation: 'Scale', of: rows },
  { actuation: 'HorizontalPodAutoscaler', of: renderedRows },
] as const)('policies with actuation $actuation', ({ actuation, of }) => {
  let world: World;
  beforeEach(async () => {
    world = await FaultWorld.start(await simulatedFaults(writtenBy[actuation]), actuation);
    await world.pass();
  });
  afterEach(() => world.stop());

  it.each(of)(
    '$name: nothing scales by accident, who is affected says why and since when, and all recover once',
    (row) => expectOneRecovery(world, row),
  );

  it('403 for every write for an hour: each is tried at most every five minutes, and made once it may be', async () => {
    const allow = everyWrite(error(403))(world);
    world.want(2);
    const intents = (): number => world.ledger.payloadsOf(intentOf[actuation]).length;
    const before = intents();
    const end = Date.parse(world.clock.now()) + 60 * 60_000;
    while (Date.parse(world.clock.now()) < end) await world.pass();
    const count = (intents() - before) / names.length;
    expect(count).toBeGreaterThanOrEqual(13);
    expect(count).toBeLessThanOrEqual(16);
    expect(world.last('p0')?.outcome.message).toMatch(
      / 403 .*; refused \d+ times since .*, next attempt at /,
    );
    allow();
    for (let pass = 0; pass < 21; pass += 1) await world.pass();
    expect(names.map((name) => world.cluster.replicasOf(name))).toEqual(names.map(() => 2));
    expect(world.last('p0')?.outcome.kind).toBe('Done');
  });
});

const intentOf = { Scale: 'ScalingIntent', HorizontalPodAutoscaler: 'ActuationIntent' } as const;

/** What a policy writes of which object. */
interface Written {
  readonly kind: 'Deployment' | 'HorizontalPodAutoscaler';
  readonly apiVersion: string;
  readonly field: 'replicas' | 'maxReplicas';
}

const writtenBy = {
  Scale: { kind: 'Deployment', apiVersion: 'apps/v1', field: 'replicas' },
  HorizontalPodAutoscaler: {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    field: 'maxReplicas',
  },
} as const satisfies Record<string, Written>;

async function simulatedFaults({ kind, apiVersion, field }: Written): Promise<SimulatedFaults> {
  const timing = new FastTiming();
  const { simulator, kubernetes, log, stop } = await startSimulatedKubernetes({ timing });
  const target = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name });
  const makeTarget = (name: string): void => {
    simulator.objects.create(aDeployment(name, calmReplicas, name));
  };
  for (const name of names) makeTarget(name);
  const changes: string[] = [];
  simulator.store.subscribe(({ type, object, previous }) => {
    const [from, to] = [countOf(previous, field), countOf(object, field)];
    if (object.kind === kind && type === 'MODIFIED' && from !== to)
      changes.push(`${object.metadata.name} ${String(from)} → ${String(to)}`);
  });
  return {
    ...{ simulator, kubernetes, log, timing, changes, makeTarget },
    namespace: 'shop',
    removeTarget: (name) => simulator.objects.delete(target(name)),
    replicasOf: (name) => countOf(simulator.objects.find({ ...target(name), apiVersion, kind }), field),
    stop: async () => {
      simulator.faults.clear();
      await stop();
    },
  };
}

function countOf(object: KubeObject | undefined, field: Written['field']): number | undefined {
  const { spec } = (object ?? {}) as { readonly spec?: Readonly<Record<string, number>> };
  return spec?.[field];
}
