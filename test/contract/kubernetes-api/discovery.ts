import { describe, expect, it } from '@jest/globals';
import type { GetContext } from './contract-context.ts';

export function describeDiscovery(context: GetContext): void {
  describe('discovery', () => {
    it.each(['/healthz', '/readyz', '/livez'])('answers %s with ok', async (path) => {
      expect(await context().api.call({ path })).toMatchObject({ status: 200, body: 'ok' });
    });

    it('says its version', async () => {
      const answer = await context().api.call({ path: '/version' });
      expect(answer).toMatchObject({ status: 200, body: { major: '1', minor: '36' } });
    });

    it('lists the core versions and the groups', async () => {
      const core = await context().api.call({ path: '/api' });
      expect(core).toMatchObject({ status: 200, body: { kind: 'APIVersions', versions: ['v1'] } });
      const { body } = await context().api.call({ path: '/apis' });
      const groups = (body as { groups: { name: string; preferredVersion: object }[] }).groups;
      const preferred = new Map(groups.map((group) => [group.name, group.preferredVersion]));
      expect(preferred.get('apps')).toEqual({ groupVersion: 'apps/v1', version: 'v1' });
      expect(preferred.get('autoscaling')).toEqual({ groupVersion: 'autoscaling/v2', version: 'v2' });
      expect(preferred.get('coordination.k8s.io')).toMatchObject({ version: 'v1' });
    });

    it.each([
      ['/api/v1', 'pods', { namespaced: true, kind: 'Pod', shortNames: ['po'] }],
      ['/api/v1', 'namespaces', { namespaced: false, kind: 'Namespace', shortNames: ['ns'] }],
      ['/apis/apps/v1', 'deployments', { namespaced: true, kind: 'Deployment', singularName: 'deployment' }],
      ['/apis/apps/v1', 'statefulsets/scale', { kind: 'Scale', group: 'autoscaling', version: 'v1' }],
      ['/apis/apps/v1', 'replicasets/status', { kind: 'ReplicaSet', verbs: ['get', 'patch', 'update'] }],
      ['/apis/batch/v1', 'jobs', { namespaced: true, kind: 'Job' }],
      ['/apis/autoscaling/v2', 'horizontalpodautoscalers', { shortNames: ['hpa'] }],
      ['/apis/coordination.k8s.io/v1', 'leases', { namespaced: true, kind: 'Lease' }],
    ])('describes %s %s', async (path, name, want) => {
      const { body } = await context().api.call({ path });
      const { resources } = body as { resources: { name: string }[] };
      expect(resources.find((resource) => resource.name === name)).toMatchObject(want);
    });

    it('answers an unknown group with plain text and an unknown resource with a Status', async () => {
      const group = await context().api.call({ path: '/apis/nothing.example.com/v1' });
      expect(group).toMatchObject({ status: 404, body: '404 page not found\n' });
      const resource = await context().api.call({ path: '/apis/apps/v1/nothings' });
      expect(resource).toMatchObject({
        status: 404,
        body: {
          kind: 'Status',
          reason: 'NotFound',
          message: 'the server could not find the requested resource',
        },
      });
    });

    it('refuses a token that it did not give out', async () => {
      const answer = await context().api.call({ path: '/api/v1/pods', token: 'wrong' });
      expect(answer).toMatchObject({
        status: 401,
        body: { reason: 'Unauthorized', message: 'Unauthorized' },
      });
    });
  });
}
