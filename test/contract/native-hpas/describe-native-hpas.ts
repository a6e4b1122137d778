import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { eventually } from '../../control-plane/poll.ts';
import { type ApiConnection, connectWith } from '../kubernetes-api/api-connection.ts';
import { describeHandovers } from './describe-handovers.ts';
import {
  aDocument,
  anAutoscalingPolicy,
  type Fleet,
  openFleet,
  timeoutMilliseconds,
} from './native-hpa-fleet.ts';

/** A cluster that policies are rendered into, and that deletes what an owner leaves behind. */
export interface NativeHpaCluster {
  readonly kubeconfig: string;
  readonly stop: () => Promise<void>;
}

const startMilliseconds = 60_000;

/** What a policy's HPA goes through, on an API server. */
export function describeNativeHpas(name: string, start: () => Promise<NativeHpaCluster>): void {
  describe(`native HPAs on ${name}`, () => {
    let cluster: NativeHpaCluster;
    let api: ApiConnection;
    let count = 0;
    let fleet: Fleet;

    beforeAll(async () => {
      cluster = await start();
      api = await connectWith(cluster.kubeconfig);
    }, startMilliseconds);

    afterAll(async () => {
      await api.close();
      await cluster.stop();
    });

    beforeEach(async () => {
      count += 1;
      fleet = await openFleet(cluster.kubeconfig, api, `shop-${count}`);
    });

    afterEach(() => fleet.stop());

    it('are made for every type of metric, taken as they are, and written once', async () => {
      await fleet.createTarget();
      fleet.put(aDocument({ metrics: everyMetric, behavior }));
      await fleet.start();
      expect(await fleet.pass()).toBe('Done/HpaCreated');
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/Unchanged');
      expect(await fleet.pass()).toBe('Done/Unchanged');
      expect(fleet.actuations()).toEqual(['Create → Applied']);
      expect(fleet.ledger.payloadsOf('ActuationOutcome')).toMatchObject([{ dropped: [] }]);
      const hpa = await fleet.readHpa();
      expect(hpa.metadata).toMatchObject({
        labels: { 'app.kubernetes.io/instance': 'checkout', 'app.kubernetes.io/managed-by': 'plimsoll' },
        ownerReferences: [{ kind: 'Deployment', name: 'checkout', controller: true }],
      });
      expect(hpa.spec['metrics']).toHaveLength(everyMetric.length);
    });

    it('follow the policy, and are corrected where somebody edits them', async () => {
      await fleet.createTarget();
      fleet.put(aDocument({}));
      await fleet.start();
      await fleet.pass();
      fleet.put(aDocument({ maxReplicas: 7 }));
      expect(await fleet.pass()).toBe('Done/HpaUpdated');
      expect((await fleet.readHpa()).spec['maxReplicas']).toBe(7);
      await fleet.editHpa('kubectl-edit', { maxReplicas: 99, behavior });
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/HpaUpdated');
      const { spec } = await fleet.readHpa();
      expect(spec['maxReplicas']).toBe(7);
      expect(spec['behavior']).toBeUndefined();
      expect(fleet.ledger.payloadsOf('ActuationOutcome').at(-1)).toMatchObject({
        verb: 'Update',
        drift: { kind: 'Edited', manager: 'kubectl-edit' },
        differences: expect.arrayContaining([{ field: 'spec.maxReplicas', found: '99', wanted: '7' }]),
      });
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/Unchanged');
    });

    it('of others are left alone, and taken over where the policy says so', async () => {
      await fleet.createTarget();
      await fleet.createHpa('helm', { maxReplicas: 5 });
      fleet.put(aDocument({ maxReplicas: 5 }));
      await fleet.start();
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Stalled/Conflict');
      expect(await fleet.pass()).toBe('Stalled/Conflict');
      fleet.put(aDocument({ maxReplicas: 6 }, { 'plimsoll.dev/adopt': 'IfEqual' }));
      expect(await fleet.pass()).toBe('Stalled/Conflict');
      fleet.put(aDocument({ maxReplicas: 5 }, { 'plimsoll.dev/adopt': 'IfEqual' }));
      expect(await fleet.pass()).toBe('Done/HpaAdopted');
      expect(fleet.ledger.payloadsOf('StrategyChange').at(-1)).toMatchObject({
        field: 'adoption',
        before: 'helm',
      });
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/Unchanged');
    });

    it('are deleted when the policy is carried out otherwise, and the count is restored after that', async () => {
      await fleet.createTarget();
      const rendered = anAutoscalingPolicy({ actuation: 'HorizontalPodAutoscaler', replicas: 2 });
      fleet.put(rendered);
      await fleet.start();
      await fleet.pass();
      fleet.put(anAutoscalingPolicy({ actuation: 'HorizontalPodAutoscaler', replicas: 2, enabled: false }));
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/HpaDeleted');
      await fleet.untilGone();
      expect(await fleet.pass()).toBe('Done/Scaled');
      expect(await fleet.replicas()).toBe(2);
    });

    it('that a server refuses are told, and not written again', async () => {
      await fleet.createTarget();
      fleet.put(aDocument({ minReplicas: 0, metrics: everyMetric }));
      await fleet.start();
      const outcomes = [await fleet.pass(), await fleet.pass(), await fleet.pass()];
      expect(outcomes).toEqual(Array<string>(3).fill('Stalled/FieldNotSupported'));
      expect(fleet.actuations()).toEqual(['Create → Failed']);
    });

    it('of which a field is dropped are told, and not written again', async () => {
      await fleet.createTarget();
      fleet.put(aDocument({ behavior: { scaleUp: { tolerance: '0.05' } } }));
      await fleet.start({ drops: 'Tolerance' });
      const outcomes = [await fleet.pass()];
      await fleet.untilListed();
      outcomes.push(await fleet.pass(), await fleet.pass());
      expect(outcomes).toEqual(Array<string>(3).fill('Stalled/FieldNotSupported'));
      expect(fleet.actuations()).toEqual(['Create → Applied']);
    });

    it.each(['Yes', 'No'] as const)(
      'are found again by a process that goes on after a kill in the write (made: %s)',
      async (made) => {
        await fleet.createTarget();
        fleet.put(aDocument({}));
        await fleet.start({ killedInWrite: made });
        await fleet.passUntilKilled();
        await fleet.start();
        await fleet.pass();
        await fleet.untilListed();
        expect(await fleet.pass()).toBe('Done/Unchanged');
        expect(fleet.actuations()).toEqual(
          made === 'Yes' ? ['Create → Applied'] : ['Create → Failed', 'Create → Applied'],
        );
      },
    );

    it('go with their target, and come anew with a new one', async () => {
      await fleet.createTarget();
      fleet.put(aDocument({}));
      await fleet.start();
      await fleet.pass();
      const before = (await fleet.readHpa()).metadata['uid'];
      await fleet.deleteTarget();
      await fleet.untilGone();
      expect(await fleet.pass()).toBe('Failed/FailedGetScale');
      await fleet.createTarget();
      await eventually({
        description: 'the HPA of the new target',
        timeoutMilliseconds,
        probe: async () => ((await fleet.pass()) === 'Done/HpaCreated' ? true : undefined),
      });
      expect((await fleet.readHpa()).metadata['uid']).not.toBe(before);
      expect(fleet.ledger.payloadsOf('ActuationIntent').map(({ drift }) => drift)).toEqual([null, null]);
    });

    describeHandovers(() => fleet);
  });
}

const selector = {
  matchLabels: { queue: 'orders' },
  matchExpressions: [{ key: 'tier', operator: 'Exists' }],
};
const everyMetric: readonly JsonObject[] = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '0.5Gi' } } },
  {
    type: 'ContainerResource',
    containerResource: {
      name: 'cpu',
      container: 'application',
      target: { type: 'Utilization', averageUtilization: 70 },
    },
  },
  { type: 'Pods', pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: 1000 } } },
  {
    type: 'Object',
    object: {
      describedObject: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'main' },
      metric: { name: 'hits' },
      target: { type: 'Value', value: '2k' },
    },
  },
  {
    type: 'External',
    external: {
      metric: { name: 'queue_messages_ready', selector },
      target: { type: 'AverageValue', averageValue: '1500m' },
    },
  },
];
const behavior = {
  scaleUp: { tolerance: '50m', policies: [{ type: 'Pods', value: 2, periodSeconds: 60 }] },
  scaleDown: { stabilizationWindowSeconds: 120, selectPolicy: 'Min' },
};
