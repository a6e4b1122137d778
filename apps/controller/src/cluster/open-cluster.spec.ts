import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeLog } from '#reconciliation/testing';
import { type Simulator, startSimulator } from '#simulator';
import { until } from '../../../../test/support/simulated-kubernetes.ts';
import { openCluster } from './open-cluster.ts';

const subject = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'checkout' };
const time = '2026-11-20T12:00:00.000Z';
const event = { subject, type: 'Normal', reason: 'StrategyChanged', message: 'changed', time } as const;

let folder: string;
let simulator: Simulator;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-cluster-'));
  simulator = await startSimulator({ controllers: 'ApiOnly' });
  await writeFile(join(folder, 'kubeconfig'), simulator.kubeconfigYaml);
});

afterEach(async () => {
  await simulator.stop();
  await rm(folder, { recursive: true });
});

describe('openCluster', () => {
  it.each([
    { mode: 'Observe', want: { delivered: 0, dropped: 0 } },
    { mode: 'Act', want: { delivered: 1, dropped: 0 } },
  ] as const)('with mode: $mode delivers $want.delivered of one event', async ({ mode, want }) => {
    const cluster = openCluster(
      {
        cluster: { name: 'test', kubeconfig: join(folder, 'kubeconfig') },
        mode,
        namespaces: ['*'],
        prometheusServers: [],
        recommenderHosts: [],
        owners: { ttlSeconds: 900, negativeTtlSeconds: 10 },
      },
      { log: new FakeLog(), noteWork: () => undefined },
    );
    cluster.kubernetes.events.emit(event);
    await until('the event', () => cluster.kubernetes.health().events.delivered === want.delivered);
    expect(cluster.kubernetes.health().events).toEqual(want);
    expect(simulator.objects.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' })).toHaveLength(
      want.delivered,
    );
    await cluster.stop();
  });
});
