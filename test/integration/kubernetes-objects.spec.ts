import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import type { ObjectReading } from '#reconciliation';
import {
  aDefinition,
  MovableTiming,
  type SimulatedKubernetes,
  startSimulatedKubernetes,
} from '../support/simulated-kubernetes.ts';

const never = new AbortController().signal;
const monitor = {
  namespace: 'shop',
  apiVersion: 'datadoghq.com/v1alpha1',
  kind: 'DatadogMonitor',
  name: 'checkout',
} as const;

let world: SimulatedKubernetes;
let timing: MovableTiming;

beforeEach(async () => {
  timing = new MovableTiming();
  world = await startSimulatedKubernetes({ timing, namespaces: ['shop'] });
});

afterEach(() => world.stop());

describe('objects that policies name', () => {
  it('are read in their namespace, and again after some seconds', async () => {
    install();
    create('Alert');
    expect(await read()).toEqual({ object: expect.objectContaining({ status: { monitorState: 'Alert' } }) });
    setState('OK');
    expect(await read()).toMatchObject({ object: { status: { monitorState: 'Alert' } } });
    timing.advance(5_000);
    expect(await read()).toMatchObject({ object: { status: { monitorState: 'OK' } } });
  });

  it('are an error in a cluster that does not have the kind, and are read once it has', async () => {
    expect(await read()).toEqual(
      failed('the API server serves no kind DatadogMonitor in datadoghq.com/v1alpha1'),
    );
    install();
    create('OK');
    expect(await read()).toMatchObject({ object: { status: { monitorState: 'OK' } } });
  });

  it('are an error where there is none of the name', async () => {
    install();
    expect(await read()).toEqual(failed('404'));
  });

  it('are an error that names the verb and the resource where they may not be read', async () => {
    install();
    create('OK');
    world.simulator.faults.add({
      match: { path: /datadogmonitors/ },
      fault: { kind: 'Error', code: 403 },
    });
    expect(await read()).toEqual(
      failed('GET /apis/datadoghq.com/v1alpha1/namespaces/shop/datadogmonitors/checkout: 403'),
    );
  });

  it.each([
    {
      name: 'a Secret',
      reference: { ...monitor, apiVersion: 'v1', kind: 'Secret' },
      want: 'a Secret is never read',
    },
    ...['../api/v1', '%2E%2E/api/v1', '../api'].map((apiVersion) => ({
      name: `a Secret by way of ${apiVersion}`,
      reference: { ...monitor, apiVersion, kind: 'Secret' },
      want: apiVersion.startsWith('%') ? 'serves no kind Secret' : 'leads elsewhere',
    })),
    {
      name: 'an object without a namespace',
      reference: { ...monitor, apiVersion: 'v1', kind: 'Namespace' },
      want: 'a Namespace belongs to no namespace',
    },
    {
      name: 'an object of a namespace that is not managed',
      reference: { ...monitor, namespace: 'bank', apiVersion: 'v1', kind: 'ConfigMap' },
      want: 'namespace bank is not among the configured namespaces',
    },
  ])('are never $name', async ({ reference, want }) => {
    expect(await world.kubernetes.objects.readObject(reference, never)).toEqual(failed(want));
  });

  it('are given up with the pass that waits for them', async () => {
    install();
    world.simulator.faults.add({ match: { path: /datadogmonitors/ }, fault: { kind: 'Hang' } });
    const pass = new AbortController();
    const reading = world.kubernetes.objects.readObject(monitor, pass.signal);
    pass.abort(new Error('the pass has ended'));
    await expect(reading).rejects.toThrow('the pass has ended');
  });
});

/** The kind is looked for at the start, and whether it is served is then not asked again for a while. */
function install(): void {
  world.simulator.objects.create(
    aDefinition('DatadogMonitor', { group: 'datadoghq.com', version: 'v1alpha1' }),
  );
  timing.advance(15_000);
}

function create(monitorState: string): void {
  const { apiVersion, kind, namespace, name } = monitor;
  world.simulator.objects.create({
    apiVersion,
    kind,
    metadata: { namespace, name },
    status: { monitorState },
  });
}

function setState(monitorState: string): void {
  world.simulator.objects.update(monitor, (live): JsonObject => ({ ...live, status: { monitorState } }));
}

function read(): Promise<ObjectReading> {
  return world.kubernetes.objects.readObject(monitor, never);
}

function failed(message: string): ObjectReading {
  return { error: { message: expect.stringContaining(message) as unknown as string } };
}
