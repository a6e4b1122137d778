import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../control-plane/poll.ts';
import {
  type AnyObject,
  applyPatchType,
  create,
  failure,
  type GetContext,
  mergePatchType,
  objectOf,
  pathOf,
  strategicPatchType,
  uniqueName,
} from './contract-context.ts';

const group = 'contract.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `rollouts.${group}` },
  spec: {
    group: group,
    scope: 'Namespaced',
    names: { plural: 'rollouts', singular: 'rollout', kind: 'Rollout', listKind: 'RolloutList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
      },
    ],
  },
};

export function describeCustomResources(context: GetContext): void {
  describe('custom resources', () => {
    const path = (): string => pathOf(`${group}/v1`, 'rollouts', context().namespace);
    const createRollout = (spec: object): Promise<AnyObject> => {
      const metadata = { name: uniqueName('rollout') };
      return create(context(), path(), {
        apiVersion: `${group}/v1`,
        kind: 'Rollout',
        metadata,
        spec,
        status: { replicas: 9 },
      });
    };

    beforeAll(async () => {
      await context().api.call({ method: 'POST', path: definitions, body: definition });
      await eventually({
        description: 'the custom resource to be served',
        timeoutMilliseconds: 15_000,
        probe: async () => (await context().api.call({ path: path() })).status === 200 || undefined,
      });
    });

    it('are discovered', async () => {
      const { body } = await context().api.call({ path: `/apis/${group}/v1` });
      const { resources } = body as { resources: { name: string }[] };
      expect(resources.map(({ name }) => name)).toEqual(['rollouts', 'rollouts/status', 'rollouts/scale']);
    });

    it('are no others of their group and scope, as plain text says', async () => {
      const api = { status: 404, body: '404 page not found\n' };
      expect(await context().api.call({ path: `/apis/${group}/v1/nothings` })).toMatchObject(api);
      expect(await context().api.call({ path: `/apis/${group}/v1/rollouts/one` })).toMatchObject(api);
    });

    it('keep what they are given, but for a status', async () => {
      const created = await createRollout({ replicas: 2, deep: { list: [1, { two: 2 }] } });
      expect(created).toMatchObject({
        metadata: { generation: 1 },
        spec: { replicas: 2, deep: { list: [1, { two: 2 }] } },
      });
      expect(created.status).toBeUndefined();
    });

    it('are scaled through the paths of their definition', async () => {
      const { metadata } = await createRollout({ replicas: 2 });
      const one = `${path()}/${metadata.name}`;
      const body = { status: { replicas: 1, selector: 'app=rollout' } };
      await context().api.call({ method: 'PATCH', path: `${one}/status`, body, contentType: mergePatchType });
      expect(await context().api.call({ path: `${one}/scale` })).toMatchObject({
        status: 200,
        body: { kind: 'Scale', spec: { replicas: 2 }, status: { replicas: 1, selector: 'app=rollout' } },
      });
      const scale = {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: metadata.name, namespace: context().namespace },
        spec: { replicas: 5 },
      };
      await context().api.call({ method: 'PUT', path: `${one}/scale`, body: scale });
      const scaled = objectOf(await context().api.call({ path: one }));
      expect(scaled).toMatchObject({
        metadata: { generation: 2 },
        spec: { replicas: 5 },
        status: { replicas: 1 },
      });
    });

    it('have another version once their scale is applied with the count there is', async () => {
      const { metadata } = await createRollout({ replicas: 2, deep: { list: [1] } });
      const one = `${path()}/${metadata.name}`;
      const versions = [metadata.resourceVersion];
      for (const [manager, spec] of [
        ['one', { replicas: 2 }],
        ['two', { replicas: 2 }],
        ['one', undefined],
      ] as const) {
        const answer = await context().api.call({
          method: 'PATCH',
          path: `${one}/scale?fieldManager=${manager}`,
          body: {
            apiVersion: 'autoscaling/v1',
            kind: 'Scale',
            metadata: { resourceVersion: versions.at(-1) },
            ...(spec !== undefined && { spec }),
          },
          contentType: applyPatchType,
        });
        expect(answer).toMatchObject({ status: 200, body: { kind: 'Scale', spec: { replicas: 2 } } });
        versions.push(objectOf(answer).metadata.resourceVersion);
      }
      expect(new Set(versions).size).toBe(4);
      expect(objectOf(await context().api.call({ path: one }))).toMatchObject({
        metadata: { generation: 1, resourceVersion: versions.at(-1) },
        spec: { replicas: 2, deep: { list: [1] } },
      });
    });

    it('are not scaled below zero', async () => {
      const { metadata } = await createRollout({ replicas: 2 });
      const call = {
        method: 'PATCH',
        path: `${path()}/${metadata.name}/scale`,
        contentType: mergePatchType,
      } as const;
      const answer = await context().api.call({ ...call, body: { spec: { replicas: -3 } } });
      const problem = '.spec.replicas: Invalid value: -3: should be a non-negative integer';
      expect(answer).toMatchObject(failure('Invalid', expect.stringContaining(problem)));
    });

    it('take no strategic patch', async () => {
      const { metadata } = await createRollout({ replicas: 2 });
      const call = {
        method: 'PATCH',
        path: `${path()}/${metadata.name}`,
        contentType: strategicPatchType,
      } as const;
      expect(await context().api.call({ ...call, body: {} })).toMatchObject(
        failure('UnsupportedMediaType', expect.stringContaining('application/apply-patch+yaml')),
      );
    });

    it('go when their last finalizer does, with a generation for the mark', async () => {
      const { metadata } = await createRollout({ replicas: 2 });
      const one = `${path()}/${metadata.name}`;
      const finalizers = (value: unknown) =>
        context().api.call({
          method: 'PATCH',
          path: one,
          body: { metadata: { finalizers: value } },
          contentType: mergePatchType,
        });
      await finalizers(['example.com/hold']);
      const marked = objectOf(await context().api.call({ method: 'DELETE', path: one }));
      expect(marked.metadata).toMatchObject({ generation: 2, deletionTimestamp: expect.any(String) });
      await finalizers([]);
      expect(await context().api.call({ path: one })).toMatchObject({ status: 404 });
    });
  });
}
