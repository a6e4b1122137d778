import { describe, expect, it } from '@jest/globals';
import {
  aContainer,
  aDeployment,
  applyPatchType,
  createDeployment,
  deployments,
  failure,
  type GetContext,
  jsonPatchType,
  mergePatchType,
  objectOf,
  strategicPatchType,
  uniqueName,
} from './contract-context.ts';

export function describePatches(context: GetContext): void {
  describe('patches', () => {
    it('merge, and delete with null', async () => {
      const { name, path } = await createDeployment(context());
      const body = { metadata: { labels: { app: null, tier: 'web' } }, spec: { replicas: 3 } };
      const answer = await context().api.call({ method: 'PATCH', path, body, contentType: mergePatchType });
      expect(answer).toMatchObject({
        status: 200,
        body: { metadata: { name, generation: 2 }, spec: { replicas: 3 } },
      });
      expect(objectOf(answer).metadata.labels).toEqual({ tier: 'web' });
    });

    it('replace a whole list when they merge', async () => {
      const { path } = await createDeployment(context());
      const body = { spec: { template: { spec: { containers: [aContainer('api')] } } } };
      const answer = await context().api.call({ method: 'PATCH', path, body, contentType: mergePatchType });
      expect(answer.body).toMatchObject({ spec: { template: { spec: { containers: [{ name: 'api' }] } } } });
    });

    it('merge lists by key when they are strategic', async () => {
      const { path } = await createDeployment(context());
      const containers = [{ name: 'web', env: [{ name: 'A', value: '1' }] }, aContainer('proxy')];
      const body = { spec: { template: { spec: { containers } } } };
      const answer = await context().api.call({
        method: 'PATCH',
        path,
        body,
        contentType: strategicPatchType,
      });
      const patched = objectOf(answer).spec?.['template'] as { spec: { containers: { name: string }[] } };
      const byName = new Map(patched.spec.containers.map((container) => [container.name, container]));
      expect(byName.get('web')).toMatchObject({
        image: 'example.com/web:1',
        env: [{ name: 'A', value: '1' }],
      });
      expect(byName.get('proxy')).toMatchObject({ image: 'example.com/web:1' });
      const removal = { spec: { template: { spec: { containers: [{ name: 'proxy', $patch: 'delete' }] } } } };
      const removed = await context().api.call({
        method: 'PATCH',
        path,
        body: removal,
        contentType: strategicPatchType,
      });
      expect(objectOf(removed).spec).toMatchObject({ template: { spec: { containers: [{ name: 'web' }] } } });
    });

    it('carry out JSON operations, all of them or none', async () => {
      const { path, object } = await createDeployment(context());
      const body = [
        { op: 'test', path: '/spec/replicas', value: 1 },
        { op: 'replace', path: '/spec/replicas', value: 5 },
        { op: 'add', path: '/metadata/labels/example.com~1team', value: 'shop' },
      ];
      const answer = await context().api.call({ method: 'PATCH', path, body, contentType: jsonPatchType });
      expect(answer.body).toMatchObject({
        spec: { replicas: 5 },
        metadata: { labels: { 'example.com/team': 'shop' } },
      });
      const again = await context().api.call({ method: 'PATCH', path, body, contentType: jsonPatchType });
      const message = 'the server rejected our request due to an error in our request';
      expect(again).toMatchObject(failure('Invalid', message));
      expect(object.metadata.generation).toBe(1);
    });

    it('are refused from a stale version', async () => {
      const { path, object } = await createDeployment(context());
      const { resourceVersion } = object.metadata;
      const body = { metadata: { resourceVersion }, spec: { replicas: 2 } };
      const call = { method: 'PATCH', path, body, contentType: mergePatchType } as const;
      expect(await context().api.call(call)).toMatchObject({ status: 200 });
      const stale = { ...call, body: { ...body, spec: { replicas: 3 } } };
      expect(await context().api.call(stale)).toMatchObject(
        failure('Conflict', expect.stringContaining('the object has been modified')),
      );
    });

    it('are refused in a form that is none', async () => {
      const { path } = await createDeployment(context());
      const answer = await context().api.call({ method: 'PATCH', path, body: {} });
      expect(answer).toMatchObject(failure('UnsupportedMediaType', expect.any(String)));
    });

    it('are refused on what does not exist', async () => {
      const path = `${deployments(context())}/nobody`;
      const answer = await context().api.call({
        method: 'PATCH',
        path,
        body: {},
        contentType: mergePatchType,
      });
      expect(answer).toMatchObject(failure('NotFound', 'deployments.apps "nobody" not found'));
    });
  });

  describe('server-side apply', () => {
    const apply = (name: string, body: object, query: string) =>
      context().api.call({
        method: 'PATCH',
        path: `${deployments(context())}/${name}?${query}`,
        body,
        contentType: applyPatchType,
      });
    const identity = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } });

    it('creates what is not there, and owns what it names', async () => {
      const name = uniqueName('applied');
      const answer = await apply(name, aDeployment(name, { replicas: 2 }), 'fieldManager=one');
      expect(answer).toMatchObject({ status: 201, body: { spec: { replicas: 2 } } });
      expect(objectOf(answer).metadata.managedFields).toMatchObject([
        {
          manager: 'one',
          operation: 'Apply',
          apiVersion: 'apps/v1',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { 'f:app': {} } },
            'f:spec': {
              'f:replicas': {},
              'f:selector': {},
              'f:template': {
                'f:spec': { 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {} } } },
              },
            },
          },
        },
      ]);
    });

    it('changes nothing when it is repeated', async () => {
      const name = uniqueName('applied');
      const first = objectOf(await apply(name, aDeployment(name), 'fieldManager=one'));
      const second = await apply(name, aDeployment(name), 'fieldManager=one');
      expect(second.status).toBe(200);
      expect(objectOf(second).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    it('is refused on a field that another manager applied, naming both', async () => {
      const name = uniqueName('applied');
      await apply(name, aDeployment(name, { replicas: 2 }), 'fieldManager=one');
      const answer = await apply(name, { ...identity(name), spec: { replicas: 5 } }, 'fieldManager=two');
      expect(answer).toMatchObject(
        failure('Conflict', 'Apply failed with 1 conflict: conflict with "one": .spec.replicas', {
          causes: [
            { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.replicas' },
          ],
        }),
      );
    });

    it('is refused on a field that another manager updated', async () => {
      const { name } = await createDeployment(context());
      const answer = await apply(name, { ...identity(name), spec: { replicas: 5 } }, 'fieldManager=two');
      expect(answer).toMatchObject(
        failure(
          'Conflict',
          expect.stringMatching(/conflict with "contract" using apps\/v1.*\.spec\.replicas/),
          {
            causes: [
              {
                reason: 'FieldManagerConflict',
                message: 'conflict with "contract" using apps/v1',
                field: '.spec.replicas',
              },
            ],
          },
        ),
      );
    });

    it('takes the field over when it is forced', async () => {
      const name = uniqueName('applied');
      await apply(name, aDeployment(name, { replicas: 2 }), 'fieldManager=one');
      const answer = await apply(
        name,
        { ...identity(name), spec: { replicas: 5 } },
        'fieldManager=two&force=true',
      );
      expect(answer).toMatchObject({ status: 200, body: { spec: { replicas: 5 } } });
      const [one, two] = objectOf(answer).metadata.managedFields ?? [];
      expect((one?.fieldsV1 as { 'f:spec': object })['f:spec']).not.toHaveProperty('f:replicas');
      expect(two).toMatchObject({ manager: 'two', fieldsV1: { 'f:spec': { 'f:replicas': {} } } });
    });

    it('shares a field that has the same value', async () => {
      const name = uniqueName('applied');
      await apply(name, aDeployment(name, { replicas: 2 }), 'fieldManager=one');
      const answer = await apply(name, { ...identity(name), spec: { replicas: 2 } }, 'fieldManager=two');
      expect(answer.status).toBe(200);
      const owners = (objectOf(answer).metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => ({
        manager,
        ownsReplicas: 'f:replicas' in (fieldsV1 as { 'f:spec': object })['f:spec'],
      }));
      expect(owners).toHaveLength(2);
      expect(owners).toContainEqual({ manager: 'one', ownsReplicas: true });
      expect(owners).toContainEqual({ manager: 'two', ownsReplicas: true });
    });

    it('takes away what its manager no longer names', async () => {
      const name = uniqueName('applied');
      await apply(name, aDeployment(name, {}, { app: name, tier: 'web' }), 'fieldManager=one');
      const answer = await apply(name, aDeployment(name), 'fieldManager=one');
      expect(objectOf(answer).metadata.labels).toEqual({ app: name });
    });

    it('must say who applies', async () => {
      const answer = await apply('anyone', identity('anyone'), '');
      expect(answer).toMatchObject(
        failure(
          'Invalid',
          expect.stringContaining('fieldManager: Required value: is required for apply patch'),
        ),
      );
    });
  });
}
