import { execFile } from 'node:child_process';
import { renameSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { commandLineEnvironment } from '../support/command-line-environment.ts';
import { type ControllerProcess, testToken } from './support/controller-process.ts';
import type { ProxiedRequest } from './support/holding-proxy.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const program = join(import.meta.dirname, '..', '..', 'apps', 'cli', 'bin', 'plimsoll.js');
const rendered = policyText
  .replaceAll('name: checkout', 'name: web')
  .replace('  interval: 1s\n', '  interval: 1s\n  actuation: HorizontalPodAutoscaler\n');
const marked = policyText
  .replaceAll('name: checkout', 'name: api')
  .replace('minReplicas: 2', 'minReplicas: 4')
  .replace(
    '{type: Utilization, averageUtilization: 60}',
    '{type: Watermark, lowWatermark: 100m, highWatermark: 900m}',
  );
const files = {
  'shop/checkout.yaml': policyText,
  'shop/web.yaml': rendered,
  'shop/api.yaml': marked,
};
const names = ['api', 'checkout', 'web'] as const;
const hpa = (name: string) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  namespace: 'shop',
  name,
});
const target = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name });

interface Run {
  readonly status: number;
  readonly output: string;
  readonly messages: string;
}

describe('leaving', () => {
  let world: ShopWorld;
  let controller: ControllerProcess;
  beforeEach(async () => {
    world = await startShopWorld();
    const { spec } = world.simulator.objects.find(target('checkout'))!;
    for (const name of ['web', 'api']) {
      world.simulator.objects.create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: 'shop' },
        spec: JSON.parse(JSON.stringify(spec).replaceAll('"checkout"', `"${name}"`)) as JsonObject,
      });
    }
    world.repository.commit('Scale the shop', files);
    controller = await world.startController();
    await logIn();
    await soon('the HPA, and a pass of each', async () => {
      const { policies } = await controller.query<Policies>(
        '{ policies { edges { node { status { reason } } } } }',
      );
      const isLookedAt = policies.edges.length === 3 && policies.edges.every(({ node }) => node.status);
      return (isLookedAt && world.simulator.objects.find(hpa('web')) !== undefined) || undefined;
    });
  });
  afterEach(() => world.stop());

  const plimsoll = (...operands: readonly string[]): Promise<Run> =>
    new Promise((resolve) => {
      const env = commandLineEnvironment(world.folder);
      const child = execFile(process.execPath, [program, ...operands], { env }, (_, output, messages) =>
        resolve({ status: child.exitCode ?? -1, output, messages }),
      );
    });
  const logIn = async (): Promise<void> => {
    const tokenFile = join(world.folder, 'token');
    await writeFile(tokenFile, testToken);
    await plimsoll('login', '--server', controller.url, '--token-file', tokenFile);
  };
  const release = (...operands: readonly string[]) =>
    plimsoll('release', '--all', ...operands, '--reason', 'we leave');
  const digestOf = ({ output }: Run): string => /--confirm ([0-9a-f]{64})/.exec(output)?.[1] ?? output;
  const counts = (): readonly unknown[] =>
    names.map((name) => (world.simulator.objects.find(target(name))?.['spec'] as JsonObject)['replicas']);
  const metadataOf = (name: string): unknown => {
    const { labels, annotations, ownerReferences } = world.simulator.objects.find(hpa(name))?.[
      'metadata'
    ] as JsonObject;
    return [labels ?? {}, annotations ?? {}, ownerReferences ?? []];
  };
  const policiesInForce = async (): Promise<number> =>
    (await controller.query<Policies>('{ policies { edges { node { status { reason } } } } }')).policies.edges
      .length;

  it('leaves plain HPAs, says what none can say, ends interventions, and takes nothing back', async () => {
    await plimsoll('suspend', '--cluster', '--reason', 'before we leave');
    const folder = join(world.folder, 'hpas');
    const rehearsed = await release('--to', 'hpa', '--dry-run', '--manifests', folder);
    expect(rehearsed.output).toContain('shop/checkout  gone, to a plain HPA');
    expect(rehearsed.output).toContain(
      'shop/api       gone, without an HPA: autoscaling/v2 has no watermarks, between which metric cpu moves nothing',
    );
    expect(await policiesInForce()).toBe(3);
    expect(await readFile(join(folder, 'shop', 'checkout.yaml'), 'utf8')).toMatch(
      /kind: HorizontalPodAutoscaler\n(?:.*\n)*.*maxReplicas: 12\n/,
    );
    expect(await release('--to', 'hpa')).toMatchObject({
      status: 1,
      messages: expect.stringContaining('ConfirmationRequired'),
    });
    const before = counts();
    const confirm = ['--confirm', digestOf(rehearsed)];
    expect(await release('--to', 'none', ...confirm)).toMatchObject({
      status: 1,
      messages: expect.stringContaining('StaleConfirmation'),
    });
    const left = await release('--to', 'hpa', ...confirm);
    expect(left.status).toBe(0);
    expect(left.output).toMatch(
      /shop\/api +Blocked +no HPA does what it says \(.+\): its count stays; .*write an autoscaler for it by hand/,
    );
    expect(left.output).toMatch(/shop\/checkout +Done +HorizontalPodAutoscaler checkout is made/);
    expect(left.output).toMatch(/shop\/web +Done +HorizontalPodAutoscaler web scales it on/);
    expect(left.output).toContain('2 Done, 1 Blocked, 0 Waiting; 1 intervention has ended');
    expect([counts(), metadataOf('web'), metadataOf('checkout')]).toEqual([
      before,
      [{}, {}, []],
      [{}, {}, []],
    ]);
    expect(world.simulator.objects.find(hpa('api'))).toBeUndefined();
    for (const name of names) {
      const text = JSON.stringify(world.simulator.objects.find(target(name)));
      expect(text).not.toContain('plimsoll.dev/');
    }
    world.repository.commit('Go on', { 'shop/checkout.yaml': policyText.replace('12', '13') });
    await plimsoll('sync', 'policies');
    await controller.stop();
    controller = await world.startController();
    expect(await policiesInForce()).toBe(0);
    const { auditEntries } = await controller.query<Entries>(
      '{ auditEntries(first: 50, where: { kinds: [OperatorAction] }) { edges { node { ... on OperatorAction { action outcome } } } } }',
    );
    expect(auditEntries.edges.map(({ node }) => node)).toEqual(
      expect.arrayContaining([
        { action: 'ReleaseAll', outcome: 'Accepted' },
        { action: 'EndSuspension', outcome: 'Accepted' },
      ]),
    );
    await logIn();
    const back = await plimsoll(
      'resume',
      'policy',
      'shop/checkout',
      '--source',
      'policies',
      '--reason',
      'back',
    );
    expect(back.status).toBe(0);
    expect(await policiesInForce()).toBe(1);
  });

  it('leaves counts as they are, with nothing that scales them, also while Git is down', async () => {
    renameSync(join(world.folder, 'policies'), join(world.folder, 'policies-elsewhere'));
    const before = counts();
    const confirm = digestOf(await release('--to', 'none', '--dry-run'));
    const left = await release('--to', 'none', '--confirm', confirm);
    expect(left).toMatchObject({ status: 0, output: expect.stringMatching(/shop\/web +Done +.*is deleted/) });
    expect(names.map((name) => world.simulator.objects.find(hpa(name)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(counts()).toEqual(before);
  });

  it('goes on by the same command after a SIGKILL that cut off a write', async () => {
    const isHpaWrite = ({ method, path }: ProxiedRequest): boolean =>
      method === 'POST' && path.includes('/horizontalpodautoscalers');
    const confirm = digestOf(await release('--to', 'hpa', '--dry-run'));
    world.proxy.holdAnswers(isHpaWrite);
    const cut = release('--to', 'hpa', '--confirm', confirm);
    await world.proxy.whenHeld();
    await controller.kill();
    expect((await cut).status).toBe(2);
    world.proxy.release();
    controller = await world.startController();
    await logIn();
    expect(await policiesInForce()).toBe(0);
    const left = await release('--to', 'hpa', '--confirm', confirm);
    expect(left).toMatchObject({ status: 0 });
    expect([metadataOf('web'), metadataOf('checkout')]).toEqual([
      [{}, {}, []],
      [{}, {}, []],
    ]);
    const { actuationOutcomes } = await controller.query<Outcomes>(
      '{ actuationOutcomes(first: 50, policy: { namespace: "shop", name: "checkout" }) { edges { node { verb result } } } }',
    );
    expect(actuationOutcomes.edges.map(({ node: { verb, result } }) => `${verb} ${result}`)).toEqual([
      'Create Applied',
    ]);
  });
});

interface Policies {
  readonly policies: { readonly edges: readonly { readonly node: { readonly status: object | null } }[] };
}

interface Entries {
  readonly auditEntries: { readonly edges: readonly { readonly node: object }[] };
}

interface Outcomes {
  readonly actuationOutcomes: {
    readonly edges: readonly { readonly node: { readonly verb: string; readonly result: string } }[];
  };
}
