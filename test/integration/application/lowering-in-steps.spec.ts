import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FakeScales } from '#reconciliation/testing';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aCluster, type AnApplication, anApplication, orRefusal } from './an-application.ts';

jest.setTimeout(60_000);

const web = (maxReplicas: number): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: web, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  interval: 5s
  minReplicas: 1
  maxReplicas: ${maxReplicas}
  metrics:
    - type: External
      external: { metric: { name: queue }, target: { type: AverageValue, averageValue: "1" } }
`;

const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };

interface Lowered {
  readonly id?: string;
  readonly code?: string;
  readonly message?: string;
  readonly effect?: { readonly summary: string; readonly requires: { readonly role: string } };
}

describe('a count that is lowered in steps', () => {
  const scales = new FakeScales();
  let first: AnApplication;
  let second: AnApplication;
  const started = (options: { readonly configuration?: object } = {}): Promise<AnApplication> => {
    const cluster = aCluster();
    return anApplication({
      ...options,
      override: (testing) =>
        testing
          .overrideProvider(clusterToken)
          .useValue({ ...cluster, kubernetes: { ...cluster.kubernetes, scales } }),
    });
  };
  beforeAll(async () => {
    scales.set(target, 10);
    first = await started();
    first.repository.commit('Scale the shop', { 'web.yaml': web(20) });
    await first.nest.init();
    await reaches(first, 10);
  });
  afterAll(async () => {
    await second.close();
    await first.close();
  });

  /** A pass over the policy knows of so many replicas. */
  const reaches = (application: AnApplication, replicas: number) =>
    soon(`a pass at ${replicas}`, async () => {
      const { body } = await application.ask(
        '{ policies { edges { node { status { replicas } } } } }',
        'viewer',
      );
      return JSON.stringify(body).includes(`"replicas":${replicas}`) || undefined;
    });
  const lower = async (application: AnApplication, counts: string): Promise<Lowered> => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await application.ask(
      `mutation { overrideReplicas(namespace: "shop", name: "web", ${counts}, expires: "${expires}", reason: "a test") {
        ... on Intervention { id } ... on ActionPreview { effect { summary requires { role } } } ${orRefusal} } }`,
      'operator',
    );
    return (body.data as { readonly overrideReplicas: Lowered }).overrideReplicas;
  };

  it('wants an approver once the steps come to more than half, whichever process took them', async () => {
    expect(await lower(first, 'replicas: 6')).toEqual({ id: expect.any(String) });
    await reaches(first, 6);
    const asked = await lower(first, 'replicas: 3, dryRun: true');
    expect(asked.effect).toEqual({
      summary: expect.stringMatching(/: 10 replicas at [0-9TZ:.-]+ → 3 is below half$/),
      requires: { role: 'approver' },
    });
    expect(await lower(first, 'replicas: 3')).toMatchObject({ code: 'ApproverRequired' });
    await first.nest.close();

    second = await started({
      configuration: {
        database: { url: `sqlite:${join(first.folder, 'ledger.db')}` },
        sources: [{ name: 'policies', url: first.repository.url, interval: '1h' }],
      },
    });
    await second.nest.init();
    await reaches(second, 6);
    expect(await lower(second, 'replicas: 3')).toEqual({
      code: 'ApproverRequired',
      message: expect.stringMatching(/^that wants role approver: .*10 replicas at .* → 3 is below half$/),
    });
    expect(await lower(second, 'replicas: 5')).toEqual({ id: expect.any(String) });
    await reaches(second, 5);
  });

  it('holds a commit that goes on with what overrides began', async () => {
    first.repository.commit('Less', { 'web.yaml': web(4) });
    // The first sync after the start may come as late as this, and be the one that holds it.
    await second.ask(
      `mutation { syncNow(source: "policies") { ... on SyncResult { result } ${orRefusal} } }`,
    );
    const held = await second.ask('{ sources { holds { causes { code items } } } }');
    expect(held.body).toMatchObject({
      data: {
        sources: [
          {
            holds: [
              {
                causes: [
                  {
                    code: 'ScaleInByBound',
                    items: [
                      expect.stringMatching(
                        /^shop\/web maxReplicas 20 → 4 \(5 present, 10 at [0-9TZ:.-]+\)$/,
                      ),
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    });
  });
});
