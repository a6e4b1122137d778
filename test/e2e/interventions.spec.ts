import { execFile } from 'node:child_process';
import { renameSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { JsonObject } from '#kernel';
import type { Fault } from '#simulator';
import { commandLineEnvironment } from '../support/command-line-environment.ts';
import { type ControllerProcess, testToken } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const program = join(import.meta.dirname, '..', '..', 'apps', 'cli', 'bin', 'plimsoll.js');
const rendered = policyText
  .replaceAll('name: checkout', 'name: web')
  .replace('  interval: 1s\n', '  interval: 1s\n  actuation: HorizontalPodAutoscaler\n');
const target = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name });
const hpa = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  namespace: 'shop',
  name: 'web',
};
const forA = ['--for', '30m', '--reason', 'a test'];

/** From the command line over REST to the cluster and its record, on the simulated cluster. */
describe('an intervention', () => {
  let world: ShopWorld;
  let controller: ControllerProcess;
  beforeAll(async () => {
    world = await startShopWorld();
    const { spec } = world.simulator.objects.find(target('checkout'))!;
    world.simulator.objects.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: JSON.parse(JSON.stringify(spec).replaceAll('"checkout"', '"web"')) as JsonObject,
    });
    world.repository.commit('Scale the shop', {
      'shop/checkout.yaml': policyText,
      'shop/web.yaml': rendered,
    });
    controller = await world.startController();
    await writeFile(join(world.folder, 'token'), testToken);
    await plimsoll('login', '--server', controller.url, '--token-file', join(world.folder, 'token'));
    await soon('the HPA', () => Promise.resolve(specOf() ?? undefined));
  });
  afterAll(() => world.stop());

  const plimsoll = (...operands: readonly string[]) =>
    new Promise<{ readonly status: number; readonly output: string; readonly messages: string }>(
      (resolve) => {
        const env = commandLineEnvironment(world.folder);
        const child = execFile(process.execPath, [program, ...operands], { env }, (_, output, messages) =>
          resolve({ status: child.exitCode ?? -1, output, messages }),
        );
      },
    );
  const begin = async (...operands: readonly string[]): Promise<string> => {
    const { output, messages } = await plimsoll(...operands, ...forA, '-o', 'json');
    expect(messages).toBe('');
    return (JSON.parse(output) as { readonly id: string }).id;
  };
  const end = async (id: string): Promise<void> => {
    expect((await plimsoll('unsuspend', id, '--reason', 'over')).status).toBe(0);
  };
  const specOf = (): JsonObject | null =>
    (world.simulator.objects.find(hpa)?.['spec'] as JsonObject | undefined) ?? null;
  const countOf = (name: string): unknown =>
    (world.simulator.objects.find(target(name))?.['spec'] as JsonObject)['replicas'];
  const until = (what: string, isSo: () => boolean): Promise<true> =>
    soon(what, () => Promise.resolve(isSo() || undefined));
  const recorded = async (): Promise<readonly string[]> => {
    const { auditEntries } = await controller.query<Entries>(
      '{ auditEntries(first: 50, where: { kinds: [OperatorAction] }) { edges { node { ... on OperatorAction { action outcome } } } } }',
    );
    return auditEntries.edges.map(({ node: { action, outcome } }) => `${action} ${outcome}`);
  };

  it('pins a count that Plimsoll writes, and lets go of it', async () => {
    const id = await begin('override', 'shop/checkout', '--replicas', '6');
    await until('the pin', () => countOf('checkout') === 6);
    const { scalingEvents } = await controller.query<Events>(
      '{ scalingEvents(first: 1) { edges { node { from to origin } } } }',
    );
    expect(scalingEvents.edges[0]?.node).toEqual({ from: 4, to: 6, origin: 'Plimsoll' });
    await end(id);
    expect(await recorded()).toEqual(
      expect.arrayContaining(['OverrideReplicas Accepted', 'EndOverride Accepted']),
    );
  });

  it('replaces the bounds of a rendered HPA, and restores them', async () => {
    const id = await begin('override', 'shop/web', '--max', '5');
    await until('the bound', () => specOf()?.['maxReplicas'] === 5);
    await end(id);
    await until('the policy’s own bound', () => specOf()?.['maxReplicas'] === 12);
  });

  it('stops a direction of a rendered HPA, and lets it go on', async () => {
    const id = await begin('suspend', 'shop/web', '--direction', 'Down');
    await until('the stop', () => JSON.stringify(specOf()).includes('"selectPolicy":"Disabled"'));
    await end(id);
    await until('its end', () => !JSON.stringify(specOf()).includes('Disabled'));
  });

  it('writes nothing in a dry run, which a rendered HPA has not', async () => {
    const refused = await plimsoll('dry-run', 'on', 'shop/web', ...forA);
    expect(refused).toMatchObject({ status: 1, messages: expect.stringContaining('NativeActuation') });
    const id = await begin('dry-run', 'on', 'shop/checkout');
    const before = countOf('checkout');
    const pin = await begin('override', 'shop/checkout', '--replicas', '9');
    await soon('a decision that is not carried out', async () => {
      const { policy } = await controller.query<Statuses>(
        '{ policy(namespace: "shop", name: "checkout") { status { reason } latestDecision { desiredReplicas } } }',
      );
      return (
        (policy.status?.reason === 'DryRun' && policy.latestDecision?.desiredReplicas === 9) || undefined
      );
    });
    expect(countOf('checkout')).toBe(before);
    expect((await plimsoll('dry-run', 'off', id, '--reason', 'over')).status).toBe(0);
    await until('the pin', () => countOf('checkout') === 9);
    await end(pin);
    expect(await recorded()).toEqual(
      expect.arrayContaining(['StartDryRun Refused', 'StartDryRun Accepted', 'EndDryRun Accepted']),
    );
  });

  describe('of a policy that is looked at every ten minutes', () => {
    const mends: (() => unknown)[] = [];
    beforeAll(async () => {
      const seldom = rendered.replace('interval: 1s', 'interval: 10m');
      world.repository.commit('Look at it less often', { 'shop/web.yaml': seldom });
      await soon('it', async () => {
        const { policy } = await controller.query<Interval>(
          '{ policy(namespace: "shop", name: "web") { intervalSeconds } }',
        );
        return policy.intervalSeconds === 600 || undefined;
      });
    });
    afterEach(() => {
      for (const mend of mends.splice(0)) mend();
    });

    const policies = (): string => join(world.folder, 'policies');
    /** Prevents every answer of a metrics API; the other policy, which is looked at every second, notices. */
    const metricsFault = (fault: Fault) => async (): Promise<void> => {
      mends.push(world.simulator.faults.add({ match: { path: /metrics\.k8s\.io/ }, fault }));
      await soon('a pass without metrics', async () => {
        const { policy } = await controller.query<Metrics>(
          '{ policy(namespace: "shop", name: "checkout") { latestDecision { metrics { error { message } } } } }',
        );
        return policy.latestDecision?.metrics[0]?.error ?? undefined;
      });
    };
    const writes = async (): Promise<number> => {
      const { auditEntries } = await controller.query<Entries>(
        '{ auditEntries(first: 100, where: { kinds: [ActuationOutcome], policy: { namespace: "shop", name: "web" } }) { edges { node { id } } } }',
      );
      return auditEntries.edges.length;
    };

    it.each([
      {
        name: 'Git is down',
        breakDown: async () => {
          await rename(policies(), `${policies()}.gone`);
          mends.push(() => renameSync(`${policies()}.gone`, policies()));
          await soon('a look that fails', async () => {
            const { sources } = await controller.query<Sources>('{ sources { staleSince } }');
            return sources[0]?.staleSince ?? undefined;
          });
        },
      },
      {
        name: 'the metrics API fails',
        breakDown: metricsFault({ kind: 'Error', code: 503, reason: 'ServiceUnavailable' }),
      },
      { name: 'the metrics API hangs', breakDown: metricsFault({ kind: 'Hang' }) },
    ])('is in its HPA at once while $name, and out of it', async ({ breakDown }) => {
      await breakDown();
      const before = await writes();
      const bounds = await begin('override', 'shop/web', '--max', '5');
      await until('the bound', () => specOf()?.['maxReplicas'] === 5);
      const stop = await begin('suspend', 'shop/web', '--direction', 'Down');
      await until('the stop', () => JSON.stringify(specOf()).includes('"selectPolicy":"Disabled"'));
      await end(stop);
      await until('its end', () => !JSON.stringify(specOf()).includes('Disabled'));
      await end(bounds);
      await until('the policy’s own bound', () => specOf()?.['maxReplicas'] === 12);
      // Each was a pass of its own, and there was no other.
      await soon('its outcomes', async () => (await writes()) === before + 4 || undefined);
    });
  });
});

interface Interval {
  readonly policy: { readonly intervalSeconds: number };
}

interface Metrics {
  readonly policy: {
    readonly latestDecision: { readonly metrics: readonly { readonly error: object | null }[] } | null;
  };
}

interface Sources {
  readonly sources: readonly { readonly staleSince: string | null }[];
}

interface Entries {
  readonly auditEntries: {
    readonly edges: readonly { readonly node: { readonly action: string; readonly outcome: string } }[];
  };
}

interface Events {
  readonly scalingEvents: { readonly edges: readonly { readonly node: object }[] };
}

interface Statuses {
  readonly policy: {
    readonly status: { readonly reason: string } | null;
    readonly latestDecision: { readonly desiredReplicas: number } | null;
  };
}
