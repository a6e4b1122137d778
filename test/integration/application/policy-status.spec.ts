import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FakeKubernetesEvents, FakeMetrics, FakeScales } from '#reconciliation/testing';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aCluster, type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

const policy = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: web, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 9
  metrics:
    - type: External
      external: { metric: { name: queue }, target: { type: Value, value: "10" } }
`;

interface PolicyStatus {
  readonly outcome: string;
  readonly reason: string;
  readonly message: string;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly lastTransitionTime: string;
  }[];
}

interface PoliciesAnswer {
  readonly policies: {
    readonly edges: readonly { readonly node: { readonly status: PolicyStatus | null } }[];
  };
}

describe('the status of a policy whose metric cannot be read', () => {
  const events = new FakeKubernetesEvents();
  let application: AnApplication;
  beforeAll(async () => {
    const cluster = aCluster();
    const [metrics, scales] = [new FakeMetrics(), new FakeScales()];
    scales.set({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' }, 4);
    metrics.set(
      { namespace: 'shop', selector: 'app=web' },
      {
        kind: 'Answers',
        metrics: [{ error: { reason: 'FailedGetExternalMetric', message: 'no such metric' } }],
      },
    );
    application = await anApplication({
      override: (testing) =>
        testing.overrideProvider(clusterToken).useValue({
          ...cluster,
          metrics: Object.assign(metrics, { close: () => Promise.resolve() }),
          kubernetes: { ...cluster.kubernetes, scales, events },
        }),
    });
    application.repository.commit('Scale the shop', { 'web.yaml': policy });
    await application.nest.init();
  });
  afterAll(() => application.close());

  it('has the reason of the log and of the Event in GraphQL, too', async () => {
    const status = await soon('the status', async () => {
      const { body } = await application.ask(
        '{ policies { edges { node { status { outcome reason message conditions { type status reason lastTransitionTime } } } } } }',
      );
      return (body.data as PoliciesAnswer).policies.edges[0]?.node.status ?? undefined;
    });
    expect(status).toMatchObject({ outcome: 'Waiting', reason: 'FailedGetExternalMetric' });
    const lastTransitionTime = expect.stringMatching(/^20.+Z$/);
    expect(status.conditions).toEqual(
      expect.arrayContaining([
        { type: 'Ready', status: 'Unknown', reason: status.reason, lastTransitionTime },
        { type: 'Available', status: 'False', reason: 'NoReplicaReady', lastTransitionTime },
        { type: 'ScalingActive', status: 'False', reason: status.reason, lastTransitionTime },
      ]),
    );
    const logged = application.log.filter(({ policy: key }) => key === 'shop/web');
    expect(logged.map(({ outcome, reason }) => ({ outcome, reason }))).toContainEqual({
      outcome: status.outcome,
      reason: status.reason,
    });
    const warnings = events.emitted.filter(({ type }) => type === 'Warning');
    expect(warnings.map(({ reason, message }) => ({ reason, message }))).toContainEqual({
      reason: status.reason,
      message: status.message,
    });
    expect([...logged, ...warnings].map(({ reason }) => reason)).not.toContain('Holding');
  });
});
