import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import type { ScalingEventPayload } from '#ledger';
import type { NewObject } from '#simulator';
import { type ShopWorld, startShopWorld } from '../e2e/support/shop-world.ts';
import { soon } from '../e2e/support/soon.ts';
import { SeededRandom } from './support/seeded-random.ts';

jest.setTimeout(180_000);

/** `SEEDS=1,2,3` tries others; `SEEDS` of a failure reproduces it. */
const seeds = (process.env['SEEDS'] ?? '1').split(',').map(Number);
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;

type Target = (typeof names)[number];

/** A file of one policy. */
function policyOf(name: string, target: string): string {
  return `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: ${name}, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${target}}
  minReplicas: 1
  maxReplicas: 30
  interval: 1s
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}
`;
}

function deploymentOf(name: string): NewObject {
  const labels = { app: name };
  const containers = [{ name: 'app', image: 'none', resources: { requests: { cpu: '500m' } } }];
  const template = { metadata: { labels }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop' },
    spec: { replicas: 4, selector: { matchLabels: labels }, template },
  };
}

/** What a commit does to a policy whose write is under way. */
const events: Readonly<Record<string, (name: Target) => Readonly<Record<string, string | null>>>> = {
  removed: (name) => ({ [`${name}.yaml`]: null }),
  renamed: (name) => ({ [`${name}.yaml`]: policyOf(`${name}2`, name) }),
  retargeted: (name) => ({ [`${name}.yaml`]: policyOf(name, `${name}-other`) }),
  replaced: (name) => ({ [`${name}.yaml`]: policyOf(name, name).replace('30', '29') }),
};

/** What the API server does with that write. */
const faults = ['Slow', 'Unanswered'] as const;

describe('a policy that leaves while its write is under way', () => {
  let world: ShopWorld | undefined;

  afterEach(() => world?.stop());

  it.each(seeds)("leaves a record that is the API server's own: seed %i", async (seed) => {
    world = await startShopWorld();
    const random = new SeededRandom(seed);
    const { simulator, repository, proxy, folder } = world;
    const made: string[] = [];
    const setLoad = (name: string, replicas: number): void =>
      simulator.load.setWorkload(
        { namespace: 'shop', kind: 'Deployment', name },
        { app: { cpu: { kind: 'Constant', value: replicas * 300 }, share: 'Total' } },
      );
    for (const name of names.flatMap((target) => [target, `${target}-other`])) {
      simulator.objects.create(deploymentOf(name));
      setLoad(name, 4);
    }
    simulator.runPending();
    simulator.store.subscribe(({ type, object, previous }) => {
      const [from, to] = [replicasOf(previous), replicasOf(object)];
      if (type === 'MODIFIED' && object.kind === 'Deployment' && from !== to)
        made.push(`${object.metadata.name} ${String(from)} → ${String(to)}`);
    });
    repository.commit(
      'Begin',
      Object.fromEntries(names.map((name) => [`${name}.yaml`, policyOf(name, name)])),
    );
    // The commit changes every target, and waits for nobody.
    const blastRadius = { targets: 1_000, percent: 100 };
    const source = { name: 'policies', url: repository.url, interval: '1s', blastRadius };
    const controller = await world.startController({ sources: [source] });
    const ledger = new Database(join(folder, 'ledger.db'), { readonly: true });
    const countOf = (kind: string): unknown =>
      ledger.prepare('select count(*) from ledger_entry where kind = ?').pluck().get(kind);
    const payloads = (kind: string): readonly unknown[] =>
      (
        ledger.prepare('select payload from ledger_entry where kind = ?').all(kind) as { payload: string }[]
      ).map(({ payload }) => JSON.parse(payload) as unknown);
    await soon('every policy has decided', () => Number(countOf('Decision')) >= names.length || undefined);

    const plans = names.map((name) => ({
      name,
      event: random.pick(Object.keys(events)),
      fault: random.pick(faults),
    }));
    const unanswered = plans.flatMap(({ name, fault }) => (fault === 'Unanswered' ? [name] : []));
    for (const { name, fault } of plans) {
      if (fault !== 'Slow') continue;
      const match = {
        verb: 'update',
        path: `/apis/apps/v1/namespaces/shop/deployments/${name}/scale`,
      } as const;
      simulator.faults.add({ match, fault: { kind: 'Latency', milliseconds: 4_000 }, times: 1 });
    }
    proxy.holdAnswers(
      ({ method, path }) =>
        method === 'PUT' && unanswered.some((name) => path.includes(`/deployments/${name}/scale`)),
    );
    for (const name of names) setLoad(name, 9);
    await soon(
      'every write is under way',
      () => payloads('ScalingIntent').length >= names.length || undefined,
    );
    repository.commit(
      'Change',
      Object.assign({}, ...plans.map(({ name, event }) => events[event]?.(name))) as Record<
        string,
        string | null
      >,
    );
    proxy.release();
    await soon(
      'the commit is in force',
      () => payloads('PolicyChange').length >= 2 * names.length || undefined,
    );
    await soon('every intent has its outcome, and every target its count', () => {
      const outcomes = payloads('ScalingEvent').length + payloads('ScalingFailure').length;
      return outcomes >= payloads('ScalingIntent').length && made.length >= names.length ? true : undefined;
    });
    await controller.stop();
    const recorded = payloads('ScalingEvent').map((payload) => {
      const { target, from, to } = payload as ScalingEventPayload;
      return `${target.name} ${from} → ${to}`;
    });
    expect(recorded.sort()).toEqual(made.sort());
    const entries = ledger.prepare('select kind, payload from ledger_entry order by rowid').all() as {
      kind: string;
      payload: string;
    }[];
    const kindsOf = (name: string): readonly string[] =>
      entries
        .filter(({ payload }) => payload.includes(`"policy":{"name":"${name}","namespace":"shop"}`))
        .map(({ kind }) => kind);
    const ended = plans.filter(({ event }) => event === 'removed' || event === 'renamed');
    // A policy that left announces no write any more.
    for (const { name } of ended) {
      expect(kindsOf(name)).toContain('PolicyChange');
      expect(kindsOf(name).slice(kindsOf(name).lastIndexOf('PolicyChange'))).not.toContain('ScalingIntent');
    }
    ledger.close();
  });
});

function replicasOf(object: unknown): unknown {
  const spec: unknown = Reflect.get(Object(object) as object, 'spec');
  return Reflect.get(Object(spec) as object, 'replicas');
}
