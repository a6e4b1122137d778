import { describe, expect, it } from '@jest/globals';
import {
  aContainer,
  type AnyObject,
  applyPatchType,
  create,
  createDeployment,
  deployments,
  failure,
  type GetContext,
  jsonPatchType,
  mergePatchType,
  objectOf,
  pathOf,
  uniqueName,
} from './contract-context.ts';

function aScale(name: string, namespace: string, replicas: number): object {
  return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name, namespace }, spec: { replicas } };
}

/** The managers that have applied the scale, and own its count. */
function appliersOf({ metadata }: AnyObject): readonly string[] {
  return (metadata.managedFields ?? [])
    .filter(({ operation, subresource }) => operation === 'Apply' && subresource === 'scale')
    .map(({ manager }) => manager)
    .toSorted();
}

export function describeScales(context: GetContext): void {
  describe('scales', () => {
    it('show count, selector and version of the object behind', async () => {
      const selector = {
        matchLabels: { app: 'web' },
        matchExpressions: [
          { key: 'tier', operator: 'In', values: ['web', 'api'] },
          { key: 'canary', operator: 'DoesNotExist' },
        ],
      };
      const template = {
        metadata: { labels: { app: 'web', tier: 'api' } },
        spec: { containers: [aContainer()] },
      };
      const { name, path, object } = await createDeployment(context(), { replicas: 3, selector, template });
      const { uid, resourceVersion, creationTimestamp } = object.metadata;
      const { namespace } = context();
      expect((await context().api.call({ path: `${path}/scale` })).body).toEqual({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
        spec: { replicas: 3 },
        status: { replicas: 0, selector: 'app=web,!canary,tier in (api,web)' },
      });
    });

    it('write the count, and name who wrote it', async () => {
      const { name, path } = await createDeployment(context(), { replicas: 2 });
      const body = aScale(name, context().namespace, 6);
      const answer = await context().api.call({
        method: 'PUT',
        path: `${path}/scale?fieldManager=plimsoll`,
        body,
      });
      expect(answer).toMatchObject({ status: 200, body: { kind: 'Scale', spec: { replicas: 6 } } });
      const scaled = objectOf(await context().api.call({ path }));
      expect(scaled).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 6 } });
      expect(scaled.metadata.managedFields).toContainEqual({
        manager: 'plimsoll',
        operation: 'Update',
        apiVersion: 'apps/v1',
        subresource: 'scale',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      });
    });

    it('leave a count of zero out', async () => {
      const { name, path } = await createDeployment(context(), { replicas: 2 });
      const body = aScale(name, context().namespace, 0);
      const answer = await context().api.call({ method: 'PUT', path: `${path}/scale`, body });
      expect(answer.body).toMatchObject({ spec: {} });
      expect(objectOf(answer).spec).toEqual({});
      expect(objectOf(await context().api.call({ path })).spec).toMatchObject({ replicas: 0 });
    });

    it('are not written from a stale version', async () => {
      const { name, path, object } = await createDeployment(context());
      const { resourceVersion } = object.metadata;
      const fresh = { name, namespace: context().namespace, resourceVersion };
      const body = { ...aScale(name, context().namespace, 4), metadata: fresh };
      expect(await context().api.call({ method: 'PUT', path: `${path}/scale`, body })).toMatchObject({
        status: 200,
      });
      const stale = { ...aScale(name, context().namespace, 5), metadata: fresh };
      expect(await context().api.call({ method: 'PUT', path: `${path}/scale`, body: stale })).toMatchObject(
        failure(
          'Conflict',
          expect.stringContaining(`deployments.apps "${name}": the object has been modified`),
        ),
      );
    });

    it('are patched', async () => {
      const { path } = await createDeployment(context());
      const merge = {
        method: 'PATCH',
        path: `${path}/scale`,
        body: { spec: { replicas: 4 } },
        contentType: mergePatchType,
      } as const;
      expect(await context().api.call(merge)).toMatchObject({ status: 200, body: { spec: { replicas: 4 } } });
      const operations = [{ op: 'replace', path: '/spec/replicas', value: 5 }];
      const json = { ...merge, body: operations, contentType: jsonPatchType };
      expect(await context().api.call(json)).toMatchObject({ status: 200, body: { spec: { replicas: 5 } } });
    });

    it('are applied by one manager at a time', async () => {
      const { path } = await createDeployment(context());
      const call = (manager: string, replicas: number) =>
        context().api.call({
          method: 'PATCH',
          path: `${path}/scale?fieldManager=${manager}&force=${String(manager === 'one')}`,
          body: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas } },
          contentType: applyPatchType,
        });
      expect(await call('one', 3)).toMatchObject({ status: 200, body: { spec: { replicas: 3 } } });
      expect(await call('two', 4)).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    });

    describe('applied with the count there is', () => {
      /** By force: zero is no value of a Scale, so that who applies it sets it anew. `replicas` undefined: it is given up. */
      const apply = (
        path: string,
        { manager, version, replicas }: { manager: string; version: string; replicas?: number },
      ) =>
        context().api.call({
          method: 'PATCH',
          path: `${path}/scale?fieldManager=${manager}&force=true`,
          body: {
            apiVersion: 'autoscaling/v1',
            kind: 'Scale',
            metadata: { resourceVersion: version },
            ...(replicas !== undefined && { spec: { replicas } }),
          },
          contentType: applyPatchType,
        });
      const versionAfter = async (answer: ReturnType<typeof apply>): Promise<string> => {
        const { status, body } = await answer;
        expect(body).toMatchObject({ kind: 'Scale' });
        expect(status).toBe(200);
        return (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
      };

      it.each([2, 0])('have another version, and are as they were otherwise (count %d)', async (replicas) => {
        const { name, path, object } = await createDeployment(context(), { replicas });
        const { resourceVersion: first } = object.metadata;
        const second = await versionAfter(apply(path, { manager: 'one', version: first, replicas }));
        expect(second).not.toBe(first);
        const third = await versionAfter(apply(path, { manager: 'two', version: second, replicas }));
        expect(third).not.toBe(second);
        const shared = objectOf(await context().api.call({ path }));
        expect(shared).toMatchObject({ metadata: { generation: 1 }, spec: { replicas } });
        expect(appliersOf(shared)).toEqual(replicas === 0 ? ['two'] : ['one', 'two']);
        const fourth = await versionAfter(apply(path, { manager: 'one', version: third }));
        expect(fourth === third).toBe(replicas === 0);
        const left = objectOf(await context().api.call({ path }));
        expect(left).toMatchObject({ metadata: { generation: 1 }, spec: { replicas } });
        expect(appliersOf(left)).toEqual(['two']);
        const late = { ...aScale(name, context().namespace, 6), metadata: { name, resourceVersion: first } };
        expect(await context().api.call({ method: 'PUT', path: `${path}/scale`, body: late })).toMatchObject({
          status: 409,
        });
        const body = aScale(name, context().namespace, 6);
        await context().api.call({ method: 'PUT', path: `${path}/scale`, body });
        expect(appliersOf(objectOf(await context().api.call({ path })))).toEqual([]);
      });

      it('are not shared where it is zero', async () => {
        const { path } = await createDeployment(context(), { replicas: 0 });
        const answer = await context().api.call({
          method: 'PATCH',
          path: `${path}/scale?fieldManager=one`,
          body: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 0 } },
          contentType: applyPatchType,
        });
        const message = 'conflict with "contract" using autoscaling/v1: .spec.replicas';
        expect(answer).toMatchObject(
          failure('Conflict', `Apply failed with 1 conflict: ${message}`, {
            causes: [
              {
                reason: 'FieldManagerConflict',
                message: 'conflict with "contract" using autoscaling/v1',
                field: '.spec.replicas',
              },
            ],
          }),
        );
      });

      it('are not applied on a former version', async () => {
        const { path, object } = await createDeployment(context(), { replicas: 2 });
        const { resourceVersion: version } = object.metadata;
        await versionAfter(apply(path, { manager: 'one', version, replicas: 2 }));
        expect(await apply(path, { manager: 'two', version, replicas: 2 })).toMatchObject({
          status: 409,
          body: { reason: 'Conflict' },
        });
      });
    });

    it('refuse a negative count', async () => {
      const { name, path } = await createDeployment(context());
      const body = aScale(name, context().namespace, -1);
      const answer = await context().api.call({ method: 'PUT', path: `${path}/scale`, body });
      const problem = 'spec.replicas: Invalid value: -1: must be greater than or equal to 0';
      expect(answer).toMatchObject(failure('Invalid', `Scale.autoscaling "${name}" is invalid: ${problem}`));
    });

    it('do not exist where the object does not', async () => {
      const answer = await context().api.call({ path: `${deployments(context())}/nobody/scale` });
      expect(answer).toMatchObject(failure('NotFound', 'deployments.apps "nobody" not found'));
    });

    it.each([
      ['replicasets', 'ReplicaSet', {}],
      ['statefulsets', 'StatefulSet', { serviceName: 'web' }],
    ])('exist for %s', async (plural, kind, extra) => {
      const name = uniqueName('scaled');
      const path = pathOf('apps/v1', plural, context().namespace);
      const template = { metadata: { labels: { app: name } }, spec: { containers: [aContainer()] } };
      const spec = { replicas: 2, selector: { matchLabels: { app: name } }, template, ...extra };
      await create(context(), path, { apiVersion: 'apps/v1', kind, metadata: { name }, spec });
      expect(await context().api.call({ path: `${path}/${name}/scale` })).toMatchObject({
        status: 200,
        body: { spec: { replicas: 2 }, status: { replicas: 0, selector: `app=${name}` } },
      });
    });

    it('do not exist for jobs', async () => {
      const name = uniqueName('job');
      const path = pathOf('batch/v1', 'jobs', context().namespace);
      const spec = { template: { spec: { restartPolicy: 'Never', containers: [aContainer()] } } };
      const job = await create(context(), path, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name },
        spec,
      });
      expect(job.spec).toMatchObject({ parallelism: 1, completions: 1, backoffLimit: 6 });
      expect(await context().api.call({ path: `${path}/${name}/scale` })).toMatchObject({ status: 404 });
    });
  });
}
