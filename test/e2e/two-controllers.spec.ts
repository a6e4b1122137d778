import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { stringify } from 'yaml';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import {
  type ControllerProcess,
  startControllerProcess,
  type StartOptions,
} from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const scalingEvents = '{ scalingEvents(first: 100) { edges { node { from to origin } } } }';

interface ScalingEvents {
  readonly scalingEvents: {
    readonly edges: readonly { readonly node: { readonly from: number; readonly to: number } }[];
  };
}

interface Readiness {
  readonly status: number;
  readonly ready: boolean;
  readonly role: string;
}

describe('two controllers on one PostgreSQL', () => {
  let server: TestPostgres;
  let databases = 0;
  let world: ShopWorld;
  let database: pg.Client;
  let url = '';
  let running: ControllerProcess[] = [];

  beforeAll(async () => {
    server = await startPostgres();
  });
  beforeEach(async () => {
    world = await startShopWorld();
    url = await server.createDatabase(`controllers${(databases += 1)}`);
    database = new pg.Client({ connectionString: url });
    await database.connect();
    running = [];
    world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
  });
  afterEach(async () => {
    await Promise.all(running.map((controller) => controller.kill()));
    await database.end();
    await world.stop();
  });
  afterAll(() => server.stop());

  const start = async (
    name: string,
    until: StartOptions['until'] & string,
    change: object = {},
  ): Promise<ControllerProcess> => {
    const folder = join(world.folder, name);
    await mkdir(folder);
    const configuration = {
      ...world.configuration,
      dataFolder: join(folder, 'data'),
      database: { url },
      ...change,
    };
    const controller = await startControllerProcess(folder, configuration, { until });
    running.push(controller);
    return controller;
  };
  const readiness = async (controller: ControllerProcess): Promise<Readiness | undefined> => {
    try {
      const answer = await fetch(`${controller.url}/readyz`);
      return { ...((await answer.json()) as Readiness), status: answer.status };
    } catch {
      return undefined;
    }
  };
  const untilRole = (controller: ControllerProcess, role: string): Promise<Readiness> =>
    soon(`the role ${role}`, async () => {
      const found = await readiness(controller);
      return found?.role === role && found.ready ? found : undefined;
    });
  const replicas = (): number => {
    const key = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
    const spec = world.simulator.objects.find(key)?.['spec'] as { readonly replicas: number };
    return spec.replicas;
  };
  const scaleTo = async (millicores: number, count: number): Promise<void> => {
    world.simulator.load.setWorkload(
      { namespace: 'shop', kind: 'Deployment', name: 'checkout' },
      { app: { cpu: { kind: 'Constant', value: millicores }, share: 'Total' } },
    );
    await soon(`${count} replicas`, () => replicas() === count || undefined);
  };
  const events = async (controller: ControllerProcess): Promise<readonly (readonly [number, number])[]> => {
    const found = await controller.query<ScalingEvents>(scalingEvents);
    return found.scalingEvents.edges.map(({ node }) => [node.from, node.to] as const).toReversed();
  };
  /** Waits for a change from each count to the next, and wants no other. */
  const expectScaled = async (controller: ControllerProcess, counts: readonly number[]): Promise<void> => {
    const want = counts.slice(1).map((to, index) => [counts[index], to]);
    const found = await soon('the scaling events', async () => {
      const recorded = await events(controller);
      return recorded.length >= want.length ? recorded : undefined;
    });
    expect(found).toEqual(want);
  };
  /** What passes within fifteen seconds without a renewal. */
  const expireFences = async (): Promise<void> => {
    await database.query('UPDATE ledger_epoch SET renewed_at = renewed_at - 15000');
  };
  const heldBy = async (): Promise<readonly unknown[]> =>
    (await database.query<object>('SELECT scope, epoch, holder FROM ledger_epoch ORDER BY scope')).rows;

  it('work on where the start of the second fails before it could take over', async () => {
    const first = await start('first', 'LookedAt');
    await untilRole(first, 'active');
    const before = await heldBy();
    const kubeconfig = join(world.folder, 'unreachable');
    const cluster = { name: 'none', cluster: { server: 'http://127.0.0.1:1' } };
    const context = { name: 'none', context: { cluster: 'none', user: 'none' } };
    await writeFile(
      kubeconfig,
      stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [cluster],
        contexts: [context],
        users: [{ name: 'none', user: {} }],
        'current-context': 'none',
      }),
    );
    const second = await start('second', 'Listening', { cluster: { name: 'e2e', kubeconfig } });
    expect(await readiness(second)).toMatchObject({ status: 503, ready: false, role: 'standby' });
    await scaleTo(1_660, 6);
    await second.stop();
    await scaleTo(2_240, 8);
    await expectScaled(first, [4, 6, 8]);
    expect(await heldBy()).toEqual(before);
    expect(await readiness(first)).toMatchObject({ status: 200, role: 'active' });
  });

  it('take turns: the second waits, ready, and goes on when the first is killed or ends', async () => {
    const first = await start('first', 'LookedAt');
    await scaleTo(1_660, 6);
    const second = await start('second', 'Listening');
    expect(await untilRole(second, 'standby')).toMatchObject({ status: 200 });
    await expectScaled(first, [4, 6]);
    await first.kill();
    await expireFences();
    await untilRole(second, 'active');
    await scaleTo(2_240, 8);
    const third = await start('third', 'Listening');
    await untilRole(third, 'standby');
    await expectScaled(second, [4, 6, 8]);
    expect(await second.stop()).toBe(0);
    await untilRole(third, 'active');
    await scaleTo(2_840, 10);
    await expectScaled(third, [4, 6, 8, 10]);
  });

  it('are never both active: one that was stopped for too long is fenced, and competes again', async () => {
    const first = await start('first', 'LookedAt');
    await scaleTo(1_660, 6);
    await expectScaled(first, [4, 6]);
    const second = await start('second', 'Listening');
    await untilRole(second, 'standby');
    process.kill(first.pid, 'SIGSTOP');
    await expireFences();
    await untilRole(second, 'active');
    const held = await heldBy();
    process.kill(first.pid, 'SIGCONT');
    await untilRole(first, 'fenced');
    world.repository.commit('Raise the bound', {
      'shop/checkout.yaml': policyText.replace('maxReplicas: 12', 'maxReplicas: 14'),
    });
    await scaleTo(2_240, 8);
    expect(await heldBy()).toEqual(held);
    await expectScaled(second, [4, 6, 8]);
    expect(await second.stop()).toBe(0);
    await untilRole(first, 'active');
    await scaleTo(2_840, 10);
    await expectScaled(first, [4, 6, 8, 10]);
    const versions = await database.query(
      "SELECT count(*) AS versions FROM policy_version WHERE name = 'checkout' AND valid_to IS NULL",
    );
    expect(versions.rows).toEqual([{ versions: '1' }]);
  });
});
