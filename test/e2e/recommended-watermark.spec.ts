import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createCertificateAuthority } from '../control-plane/pki/certificate-authority.ts';
import { aDefinition } from '../support/simulated-kubernetes.ts';
import type { ControllerProcess } from './support/controller-process.ts';
import { type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const authority = createCertificateAuthority('recommenders');
const certificate = authority.issue({ commonName: 'recommender', hosts: ['recommender.example'] });
const client = authority.issue({ commonName: 'plimsoll' });

const monitor = {
  apiVersion: 'datadoghq.com/v1alpha1',
  kind: 'DatadogMonitor',
  namespace: 'shop',
  name: 'checkout',
} as const;

const watermarkText = (url: string): string => `apiVersion: datadoghq.com/v1alpha1
kind: WatermarkPodAutoscaler
metadata:
  name: checkout
  namespace: shop
  annotations:
    wpa.datadoghq.com/lifecycle-control.enabled: "true"
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: checkout}
  minReplicas: 2
  maxReplicas: 12
  recommender:
    url: ${url}
    targetType: cpu
    lowWatermark: 500m
    highWatermark: 900m
    settings: {model: weekly}
    tlsConfig:
      caFile: ca.crt
      certFile: client.crt
      keyFile: client.key
      serverName: recommender.example
`;

describe('a WatermarkPodAutoscaler document with a recommender and lifecycle control', () => {
  let world: ShopWorld;
  let recommender: Server;
  /** What the recommender was asked, in order. */
  let asked: unknown[];

  beforeEach(async () => {
    asked = [];
    world = await startShopWorld();
    recommender = await startRecommender();
    const folder = join(world.folder, 'tls');
    await mkdir(folder);
    await writeFile(join(folder, 'ca.crt'), authority.certificate);
    await writeFile(join(folder, 'client.crt'), client.certificate);
    await writeFile(join(folder, 'client.key'), client.privateKey);
  });
  afterEach(async () => {
    await world.stop();
    recommender.closeAllConnections();
    recommender.close();
  });

  it('waits for its monitor, asks over TLS, and scales as it answers', async () => {
    const host = `127.0.0.1:${(recommender.address() as AddressInfo).port}`;
    const running = await world.startController({
      recommenderHosts: [host],
      recommenderTlsFolder: join(world.folder, 'tls'),
    });
    world.repository.commit('Add checkout', { 'shop/wpa.yaml': watermarkText(`https://${host}/recommend`) });
    // A cluster without the kind: what would unblock the policy cannot be read, so it is blocked.
    await untilStatus(running, 'FailedGetDatadogMonitor');
    expect(asked).toEqual([]);
    expect(replicas()).toBe(4);
    const definition = { group: 'datadoghq.com', version: 'v1alpha1' };
    world.simulator.objects.create(aDefinition('DatadogMonitor', definition));
    setMonitor('Alert');
    await untilStatus(running, 'DatadogMonitorNotOK');
    expect(asked).toEqual([]);
    expect(replicas()).toBe(4);
    setMonitor('OK');
    await soon('6 replicas', () => replicas() === 6 || undefined);
    expect(asked[0]).toEqual({
      targetRef: {
        kind: 'Deployment',
        name: 'checkout',
        apiVersion: 'apps/v1',
        namespace: 'shop',
        cluster: 'e2e',
      },
      state: { desiredReplicas: 4, currentReplicas: 4, readyReplicas: 4 },
      constraints: { minReplicas: 2, maxReplicas: 12 },
      targets: [{ type: 'cpu', lowerBound: 0.5, upperBound: 0.9 }],
      settings: { model: 'weekly' },
    });
  });

  async function startRecommender(): Promise<Server> {
    const { certificate: cert, privateKey: key } = certificate;
    const tls = { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
    const server = createServer(tls, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        asked.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        const target = { type: 'cpu', targetValue: 1.2 };
        const answer = {
          targetReplicas: 6,
          lowerBoundReplicas: 5,
          upperBoundReplicas: 7,
          observedTargets: [target],
        };
        response.end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  function setMonitor(monitorState: string): void {
    const { objects } = world.simulator;
    const { apiVersion, kind, namespace, name } = monitor;
    const status = { monitorState };
    if (objects.find(monitor) === undefined)
      objects.create({ apiVersion, kind, metadata: { namespace, name }, status });
    else objects.update(monitor, (live) => ({ ...live, status }));
  }

  function replicas(): number {
    const name = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
    const spec = world.simulator.objects.find(name)?.['spec'] as { readonly replicas: number } | undefined;
    return spec?.replicas ?? Number.NaN;
  }
});

async function untilStatus(running: ControllerProcess, reason: string): Promise<void> {
  const query = '{ policy(namespace: "shop", name: "checkout") { status { reason } } }';
  await soon(`the status ${reason}`, async () => {
    const { policy } = await running.query<{
      readonly policy: { readonly status: { readonly reason: string } | null } | null;
    }>(query);
    return policy?.status?.reason === reason || undefined;
  });
}
