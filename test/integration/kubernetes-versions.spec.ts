import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '#kernel';
import type { ScaleState, ScaleTarget } from '#reconciliation';
import { autoscalerManifest, deploymentManifest } from '../contract/kubernetes-adapter.manifests.ts';
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../support/simulated-kubernetes.ts';

const target: ScaleTarget = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'checkout',
};
const never = new AbortController().signal;

let world: SimulatedKubernetes;

beforeAll(async () => {
  world = await startSimulatedKubernetes();
  world.simulator.objects.create(deploymentManifest('checkout', 2));
}, 60_000);
beforeEach(() => world.simulator.faults.clear());
afterAll(() => world.stop());

async function readScale(): Promise<ScaleState> {
  const reading = await world.kubernetes.scales.readScale({ target, freshness: 'Live' }, never);
  if (!('state' in reading)) throw new Error(reading.error.message);
  return reading.state;
}

describe('a version that is made a former one', () => {
  it.each([
    {
      name: 'a Role without the verb',
      fault: { kind: 'Error', code: 403, message: 'cannot patch resource "deployments/scale"' } as const,
      want: {
        kind: 'Refused',
        message: expect.stringContaining('cannot patch resource "deployments/scale"'),
      },
    },
    {
      name: 'an API server that applies no scale',
      fault: { kind: 'Error', code: 415 } as const,
      want: { kind: 'Refused' },
    },
    { name: 'a server error', fault: { kind: 'Error', code: 500 } as const, want: { kind: 'Unknown' } },
    {
      name: 'an admission webhook that cannot be asked',
      fault: {
        kind: 'Error',
        code: 500,
        message: 'Internal error occurred: failed calling webhook "a": EOF',
      } as const,
      want: { kind: 'Unknown', message: expect.stringContaining('failed calling webhook "a"') },
    },
    { name: 'a connection that is cut', fault: { kind: 'Reset' } as const, want: { kind: 'Unknown' } },
    {
      name: 'a 409 though nobody came first',
      fault: { kind: 'Error', code: 409, reason: 'Conflict' } as const,
      want: { kind: 'Unknown' },
    },
    {
      name: 'a target that is gone',
      fault: { kind: 'Error', code: 404, reason: 'NotFound' } as const,
      want: { kind: 'Changed' },
    },
  ])('is $want.kind with $name', async ({ fault, want }) => {
    const observed = await readScale();
    world.simulator.faults.add({ match: { verb: 'patch', path: /\/scale/ }, fault });
    const retirement = { target, observed, unwanted: () => null };
    expect(await world.kubernetes.scales.retireVersion(retirement, never)).toMatchObject(want);
    expect(await readScale()).toMatchObject({ specReplicas: 2 });
  });

  it('is Changed where another writer came first', async () => {
    const observed = await readScale();
    const annotate = (): null => {
      world.simulator.objects.update(target, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, annotations: { touched: 'yes' } },
      }));
      return null;
    };
    const retirement = { target, observed, unwanted: annotate };
    expect(await world.kubernetes.scales.retireVersion(retirement, never)).toEqual({ kind: 'Changed' });
  });
});

it('does not replace an HPA again after a conflict once that is unwanted', async () => {
  const { simulator, kubernetes } = world;
  simulator.objects.create(autoscalerManifest('web', target));
  const live = await kubernetes.autoscalers.readAutoscaler({ namespace: 'shop', name: 'web' }, never);
  if (live.kind !== 'Found') throw new Error('there is no HPA');
  const conflict = { kind: 'Error', code: 409, reason: 'Conflict' } as const;
  simulator.faults.add({ match: { verb: 'update' }, fault: conflict, times: 1 });
  const notHeld = { code: 'ShardNotHeld', message: 'not held', retryable: true };
  let looks = 0;
  const unwanted = (): typeof notHeld | null => {
    looks += 1;
    return looks === 1 ? null : notHeld;
  };
  const document = { ...live.document, spec: { ...specOf(live.document), maxReplicas: 9 } };
  const outcome = await kubernetes.autoscalers.replaceAutoscaler(
    { document, observed: live, unwanted },
    never,
  );
  expect({ outcome, looks }).toEqual({ outcome: { outcome: 'Failed', failure: notHeld }, looks: 2 });
  const after = await kubernetes.autoscalers.readAutoscaler({ namespace: 'shop', name: 'web' }, never);
  expect(after).toMatchObject({ document: { spec: { maxReplicas: 5 } } });
});

it.each([
  { name: 'its labels', metadata: { labels: { team: 'shop' } } },
  { name: 'its annotations', metadata: { annotations: { 'example.com/note': 'keep' } } },
  { name: 'its finalizers', metadata: { finalizers: ['example.com/keep'] } },
])('does not replace an HPA over what others changed of $name after it was read', async ({ metadata }) => {
  const { simulator, kubernetes } = world;
  const name = { namespace: 'shop', name: `raced-${Object.keys(metadata).join('-')}` };
  const identity = { ...name, apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };
  simulator.objects.create(autoscalerManifest(name.name, target));
  const live = await kubernetes.autoscalers.readAutoscaler(name, never);
  if (live.kind !== 'Found') throw new Error('there is no HPA');
  let looks = 0;
  const unwanted = (): null => {
    looks += 1;
    if (looks === 1) simulator.objects.update(identity, (hpa) => withMetadata(hpa, metadata), 'argocd');
    return null;
  };
  const document = { ...live.document, spec: { ...specOf(live.document), maxReplicas: 9 } };
  const outcome = await kubernetes.autoscalers.replaceAutoscaler(
    { document, observed: live, unwanted },
    never,
  );
  expect(outcome).toMatchObject({ outcome: 'Failed', failure: { code: 'Conflict' } });
  const after = await kubernetes.autoscalers.readAutoscaler(name, never);
  expect(after).toMatchObject({ document: { metadata, spec: { maxReplicas: 5 } } });
});

function withMetadata(hpa: JsonObject, changes: JsonObject): JsonObject {
  const { metadata } = hpa;
  return { ...hpa, metadata: { ...(isJsonObject(metadata) ? metadata : {}), ...changes } };
}

function specOf({ spec }: JsonObject): JsonObject {
  return isJsonObject(spec) ? spec : {};
}
