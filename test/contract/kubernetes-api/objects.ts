import { describe, expect, it } from '@jest/globals';
import {
  aDeployment,
  aPod,
  create,
  createDeployment,
  deployments,
  failure,
  type GetContext,
  objectOf,
  pathOf,
  uniqueName,
} from './contract-context.ts';

export function describeObjects(context: GetContext): void {
  describe('objects', () => {
    describeCreate(context);
    describeUpdate(context);
    describeDelete(context);
  });
}

function describeCreate(context: GetContext): void {
  it('are completed when they are created', async () => {
    const { name, object } = await createDeployment(context());
    expect(object).toMatchObject({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: {
        name,
        namespace: context().namespace,
        generation: 1,
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: expect.stringMatching(/^\d+$/),
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
      spec: {
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        progressDeadlineSeconds: 600,
        template: { spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30 } },
      },
      status: {},
    });
  });

  it('get a name from generateName', async () => {
    const path = pathOf('v1', 'pods', context().namespace);
    const pod = await create(context(), path, aPod('', {}, { name: undefined, generateName: 'web-' }));
    expect(pod.metadata).toMatchObject({
      name: expect.stringMatching(/^web-[a-z0-9]{5}$/),
      generateName: 'web-',
    });
    expect(pod.status).toMatchObject({ phase: 'Pending' });
  });

  it('are refused under a name that is taken', async () => {
    const { name } = await createDeployment(context());
    const path = deployments(context());
    const answer = await context().api.call({ method: 'POST', path, body: aDeployment(name) });
    const details = { name, group: 'apps', kind: 'deployments' };
    expect(answer).toMatchObject(
      failure('AlreadyExists', `deployments.apps "${name}" already exists`, details),
    );
  });

  it('are refused in a namespace that does not exist', async () => {
    const path = pathOf('apps/v1', 'deployments', 'nowhere');
    const answer = await context().api.call({ method: 'POST', path, body: aDeployment('web') });
    const details = { name: 'nowhere', kind: 'namespaces' };
    expect(answer).toMatchObject(failure('NotFound', 'namespaces "nowhere" not found', details));
  });

  it('are refused with every problem at once', async () => {
    const path = deployments(context());
    const body = { metadata: { name: 'Web_1' }, spec: { replicas: -1 } };
    const answer = await context().api.call({ method: 'POST', path, body });
    expect(answer).toMatchObject(failure('Invalid', expect.stringContaining('is invalid: [metadata.name')));
    expect(answer.body).toMatchObject({
      details: {
        name: 'Web_1',
        group: 'apps',
        kind: 'Deployment',
        causes: expect.arrayContaining([
          { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.selector' },
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: -1: must be greater than or equal to 0',
            field: 'spec.replicas',
          },
        ]),
      },
    });
  });

  it.each([
    [
      'another namespace',
      { metadata: { name: 'web', namespace: 'other' } },
      'the namespace of the provided object',
    ],
    [
      'another kind',
      { kind: 'ReplicaSet', metadata: { name: 'web' } },
      'ReplicaSet in version "v1" cannot be handled as a Deployment',
    ],
  ])('are refused when they name %s', async (_name, change, message) => {
    const body = { ...aDeployment('web'), ...change };
    const answer = await context().api.call({ method: 'POST', path: deployments(context()), body });
    expect(answer).toMatchObject(failure('BadRequest', expect.stringContaining(message)));
  });

  it('are not stored by a dry run', async () => {
    const name = uniqueName('dry');
    const path = deployments(context());
    const answer = await context().api.call({
      method: 'POST',
      path: `${path}?dryRun=All`,
      body: aDeployment(name),
    });
    expect(answer).toMatchObject({ status: 201, body: { metadata: { name } } });
    expect(await context().api.call({ path: `${path}/${name}` })).toMatchObject({ status: 404 });
  });

  it('are refused in a body of an unknown type', async () => {
    const path = deployments(context());
    const answer = await context().api.call({
      method: 'POST',
      path,
      body: aDeployment('a'),
      contentType: 'text/plain',
    });
    expect(answer).toMatchObject(failure('UnsupportedMediaType', expect.stringContaining('unknown format')));
  });
}

function describeUpdate(context: GetContext): void {
  it('are not found under a name that no object has', async () => {
    const answer = await context().api.call({ path: `${deployments(context())}/nobody` });
    const details = { name: 'nobody', group: 'apps', kind: 'deployments' };
    expect(answer).toMatchObject(failure('NotFound', 'deployments.apps "nobody" not found', details));
  });

  it('are replaced by an update, whose generation counts what is desired only', async () => {
    const { path, object } = await createDeployment(context());
    const scaled = { ...object, spec: { ...object.spec, replicas: 3 } };
    const updated = objectOf(await context().api.call({ method: 'PUT', path, body: scaled }));
    expect(updated).toMatchObject({
      metadata: { uid: object.metadata.uid, generation: 2 },
      spec: { replicas: 3 },
    });
    expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(Number(object.metadata.resourceVersion));
    const labelled = { ...updated, metadata: { ...updated.metadata, labels: { app: 'other' } } };
    const relabelled = objectOf(await context().api.call({ method: 'PUT', path, body: labelled }));
    expect(relabelled.metadata).toMatchObject({ generation: 2, labels: { app: 'other' } });
  });

  it('keep their version when an update changes nothing', async () => {
    const { path, object } = await createDeployment(context());
    const updated = objectOf(await context().api.call({ method: 'PUT', path, body: object }));
    expect(updated.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
  });

  it('are not updated from a stale version', async () => {
    const { name, path, object } = await createDeployment(context());
    const body = { ...object, spec: { ...object.spec, replicas: 3 } };
    expect(await context().api.call({ method: 'PUT', path, body })).toMatchObject({ status: 200 });
    const answer = await context().api.call({ method: 'PUT', path, body });
    const message = `Operation cannot be fulfilled on deployments.apps "${name}": the object has been modified; please apply your changes to the latest version and try again`;
    const details = { name, group: 'apps', kind: 'deployments' };
    expect(answer).toMatchObject(failure('Conflict', message, details));
  });

  it('are updated without a version', async () => {
    const { name, path } = await createDeployment(context());
    const answer = await context().api.call({
      method: 'PUT',
      path,
      body: aDeployment(name, { replicas: 4 }),
    });
    expect(answer).toMatchObject({ status: 200, body: { spec: { replicas: 4 } } });
  });

  it('are not updated under the uid of a predecessor', async () => {
    const { path, object } = await createDeployment(context());
    const uid = '00000000-0000-4000-8000-000000000000';
    const body = { ...object, metadata: { ...object.metadata, resourceVersion: undefined, uid } };
    const answer = await context().api.call({ method: 'PUT', path, body });
    expect(answer).toMatchObject(failure('Conflict', expect.stringContaining('Precondition failed: UID')));
  });

  it('are refused under another name than the URL has', async () => {
    const path = `${deployments(context())}/other`;
    const answer = await context().api.call({ method: 'PUT', path, body: aDeployment('web') });
    const message = 'the name of the object (web) does not match the name on the URL (other)';
    expect(answer).toMatchObject(failure('BadRequest', message));
  });

  it('have a status of their own', async () => {
    const { path, object } = await createDeployment(context());
    const status = { replicas: 2, readyReplicas: 1, observedGeneration: 1 };
    const body = { ...object, spec: { ...object.spec, replicas: 9 }, status };
    const written = objectOf(await context().api.call({ method: 'PUT', path: `${path}/status`, body }));
    expect(written).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 }, status });
    const ignored = { ...written, status: { replicas: 7 } };
    const updated = objectOf(await context().api.call({ method: 'PUT', path, body: ignored }));
    expect(updated.status).toMatchObject(status);
  });

  it('name the manager of each field that a write set', async () => {
    const { path, object } = await createDeployment(context());
    expect(object.metadata.managedFields).toMatchObject([
      { manager: 'contract', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ]);
    const body = { ...object, spec: { ...object.spec, replicas: 3 } };
    const updated = objectOf(
      await context().api.call({ method: 'PUT', path: `${path}?fieldManager=someone`, body }),
    );
    const entries = updated.metadata.managedFields ?? [];
    expect(entries.find(({ manager }) => manager === 'someone')?.fieldsV1).toEqual({
      'f:spec': { 'f:replicas': {} },
    });
    const former = entries.find(({ manager }) => manager === 'contract')?.fieldsV1 as { 'f:spec': object };
    expect(former['f:spec']).not.toHaveProperty('f:replicas');
  });
}

function describeDelete(context: GetContext): void {
  it('are deleted', async () => {
    const { name, path, object } = await createDeployment(context());
    const answer = await context().api.call({ method: 'DELETE', path });
    const details = { name, group: 'apps', kind: 'deployments', uid: object.metadata.uid };
    expect(answer).toMatchObject({ status: 200, body: { kind: 'Status', status: 'Success', details } });
    expect(await context().api.call({ path })).toMatchObject({ status: 404 });
    expect(await context().api.call({ method: 'DELETE', path })).toMatchObject({ status: 404 });
  });

  it.each(['uid', 'resourceVersion'])(
    'are not deleted when the %s is not the one expected',
    async (field) => {
      const { path } = await createDeployment(context());
      const body = { preconditions: { [field]: '1' } };
      const answer = await context().api.call({ method: 'DELETE', path, body });
      expect(answer).toMatchObject(failure('Conflict', expect.stringContaining('in the precondition (1)')));
      expect(await context().api.call({ path })).toMatchObject({ status: 200 });
    },
  );

  it('stay until their last finalizer is gone', async () => {
    const name = uniqueName('held');
    const path = deployments(context());
    const held = { ...aDeployment(name), metadata: { name, finalizers: ['example.com/hold'] } };
    await create(context(), path, held);
    const marked = objectOf(await context().api.call({ method: 'DELETE', path: `${path}/${name}` }));
    expect(marked.metadata).toMatchObject({ name, deletionTimestamp: expect.any(String) });
    expect(await context().api.call({ path: `${path}/${name}` })).toMatchObject({ status: 200 });
    const body = { metadata: { finalizers: null } };
    const contentType = 'application/merge-patch+json';
    await context().api.call({ method: 'PATCH', path: `${path}/${name}`, body, contentType });
    expect(await context().api.call({ path: `${path}/${name}` })).toMatchObject({ status: 404 });
  });

  it('give a pod on a node its grace, and none where zero is asked for', async () => {
    const path = pathOf('v1', 'pods', context().namespace);
    const name = uniqueName('bound');
    const pod = aPod(name) as { spec: object };
    await create(context(), path, { ...pod, spec: { ...pod.spec, nodeName: 'somewhere' } });
    const leaving = objectOf(await context().api.call({ method: 'DELETE', path: `${path}/${name}` }));
    expect(leaving.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 30,
    });
    const now = `${path}/${name}?gracePeriodSeconds=0`;
    expect(await context().api.call({ method: 'DELETE', path: now })).toMatchObject({ status: 200 });
    expect(await context().api.call({ path: `${path}/${name}` })).toMatchObject({ status: 404 });
  });

  it('are refused an unknown propagation policy', async () => {
    const { path } = await createDeployment(context());
    const body = { propagationPolicy: 'Sideways' };
    const answer = await context().api.call({ method: 'DELETE', path, body });
    expect(answer).toMatchObject(
      failure('Invalid', expect.stringContaining('Unsupported value: "Sideways"')),
    );
  });

  it('are deleted by selector', async () => {
    const path = pathOf('v1', 'pods', context().namespace);
    const app = uniqueName('many');
    const names = [`${app}-1`, `${app}-2`];
    for (const name of names) await create(context(), path, aPod(name, { app }));
    const answer = await context().api.call({ method: 'DELETE', path: `${path}?labelSelector=app=${app}` });
    expect(answer).toMatchObject({ status: 200, body: { kind: 'PodList' } });
    for (const name of names)
      expect(await context().api.call({ path: `${path}/${name}` })).toMatchObject({ status: 404 });
  });

  it('refuse a method that they do not have', async () => {
    const { path } = await createDeployment(context());
    const answer = await context().api.call({ method: 'POST', path, body: aDeployment('web') });
    const message = 'the server does not allow this method on the requested resource';
    expect(answer).toMatchObject(failure('MethodNotAllowed', message));
  });
}
