import { describe, expect, it } from '@jest/globals';
import { create, failure, type GetContext, objectOf, pathOf, uniqueName } from './contract-context.ts';

function anAutoscaler(name: string, spec: object = {}): object {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 5,
      ...spec,
    },
  };
}

export function describeAutoscalers(context: GetContext): void {
  describe('HorizontalPodAutoscalers', () => {
    const path = (): string => pathOf('autoscaling/v2', 'horizontalpodautoscalers', context().namespace);

    it('are completed with one replica and CPU at 80 %', async () => {
      const created = await create(context(), path(), anAutoscaler(uniqueName('hpa')));
      expect(created.spec).toEqual({
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 5,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ],
      });
      expect(created.metadata.generation).toBeUndefined();
    });

    it('have every rule of a behavior that is there', async () => {
      const behavior = { scaleDown: { stabilizationWindowSeconds: 3 } };
      const created = await create(context(), path(), anAutoscaler(uniqueName('hpa'), { behavior }));
      expect(created.spec?.['behavior']).toEqual({
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Max',
          policies: [
            { type: 'Pods', value: 4, periodSeconds: 15 },
            { type: 'Percent', value: 100, periodSeconds: 15 },
          ],
        },
        scaleDown: {
          stabilizationWindowSeconds: 3,
          selectPolicy: 'Max',
          policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
        },
      });
    });

    it('are refused an unknown field where that is asked for, and warned of it otherwise', async () => {
      const spec = { cooldown: 1, behavior: { scaleUp: { limitPercent: 3 } } };
      const body = anAutoscaler(uniqueName('hpa'), spec);
      const strict = await context().api.call({
        method: 'POST',
        path: `${path()}?fieldValidation=Strict`,
        body,
      });
      expect(strict).toMatchObject(failure('BadRequest', expect.stringContaining('strict decoding error: ')));
      // In no particular order.
      expect(objectOf(strict)).toMatchObject({
        message: expect.stringContaining('unknown field "spec.behavior.scaleUp.limitPercent"'),
      });
      expect(objectOf(strict)).toMatchObject({
        message: expect.stringContaining('unknown field "spec.cooldown"'),
      });
      const warned = await context().api.call({ method: 'POST', path: path(), body });
      expect(warned.status).toBe(201);
      expect(String(warned.headers['warning'])).toContain('unknown field \\"spec.cooldown\\"');
      expect(objectOf(warned).spec).not.toHaveProperty('cooldown');
    });

    it('are refused a value of another type', async () => {
      const body = anAutoscaler(uniqueName('hpa'), { maxReplicas: 'many' });
      const answer = await context().api.call({ method: 'POST', path: path(), body });
      expect(answer).toMatchObject(
        failure(
          'BadRequest',
          expect.stringMatching(/cannot unmarshal string .*spec\.maxReplicas of type int32/),
        ),
      );
    });

    it('are refused with every problem at once', async () => {
      const name = uniqueName('hpa');
      const spec = {
        minReplicas: 7,
        maxReplicas: 3,
        scaleTargetRef: { kind: 'Deployment', name: '' },
        metrics: [{ type: 'Resource' }],
      };
      const answer = await context().api.call({
        method: 'POST',
        path: path(),
        body: anAutoscaler(name, spec),
      });
      expect(answer).toMatchObject(failure('Invalid', expect.any(String)));
      expect(answer.body).toMatchObject({
        details: {
          group: 'autoscaling',
          kind: 'HorizontalPodAutoscaler',
          causes: [
            { field: 'spec.maxReplicas', reason: 'FieldValueInvalid' },
            { field: 'spec.scaleTargetRef.name', reason: 'FieldValueRequired' },
            { field: 'spec.scaleTargetRef.apiVersion', reason: 'FieldValueInvalid' },
            { field: 'spec.metrics[0].resource', reason: 'FieldValueRequired' },
          ],
        },
      });
    });

    it('are deleted under the uid that was seen', async () => {
      const created = await create(context(), path(), anAutoscaler(uniqueName('hpa')));
      const call = { method: 'DELETE', path: `${path()}/${created.metadata.name}` } as const;
      const wrong = { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } };
      expect(await context().api.call({ ...call, body: wrong })).toMatchObject({ status: 409 });
      const right = { preconditions: { uid: created.metadata.uid } };
      expect(await context().api.call({ ...call, body: right })).toMatchObject({ status: 200 });
    });
  });

  describe('Leases and Events', () => {
    it('let one of two writers win', async () => {
      const path = pathOf('coordination.k8s.io/v1', 'leases', context().namespace);
      const name = uniqueName('lease');
      const lease = await create(context(), path, {
        metadata: { name },
        spec: { holderIdentity: 'a', leaseDurationSeconds: 15 },
      });
      const take = (holderIdentity: string) =>
        context().api.call({
          method: 'PUT',
          path: `${path}/${name}`,
          body: { ...lease, spec: { ...lease.spec, holderIdentity } },
        });
      expect(await take('b')).toMatchObject({ status: 200, body: { spec: { holderIdentity: 'b' } } });
      expect(await take('c')).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    });

    it('are found by what they are about', async () => {
      const { namespace } = context();
      const path = pathOf('v1', 'events', namespace);
      const about = uniqueName('subject');
      const involvedObject = { kind: 'Deployment', name: about, namespace };
      const event = {
        metadata: { name: `${about}.1` },
        involvedObject,
        reason: 'ScaledUp',
        message: '2 → 3',
        type: 'Normal',
      };
      await create(context(), path, { ...event, source: { component: 'plimsoll' } });
      const reported = { reportingComponent: 'plimsoll', reportingInstance: 'plimsoll-0', action: 'Scale' };
      await create(context(), path, {
        ...event,
        ...reported,
        metadata: { name: `${about}.2` },
        message: '3 → 4',
        eventTime: '2026-11-20T12:00:00.000000Z',
      });
      await create(context(), path, {
        ...event,
        metadata: { name: `${about}.3` },
        source: { component: 'other' },
      });
      const select = async (fieldSelector: string): Promise<unknown> => {
        const query = new URLSearchParams({ fieldSelector: `involvedObject.name=${about},${fieldSelector}` });
        return (await context().api.call({ path: `${path}?${query.toString()}` })).body;
      };
      expect(await select('reason=ScaledUp,source=plimsoll')).toMatchObject({
        kind: 'EventList',
        items: [{ message: '2 → 3' }, { message: '3 → 4' }],
      });
      expect(await select('source!=plimsoll')).toMatchObject({
        items: [{ metadata: { name: `${about}.3` } }],
      });
    });
  });
}
