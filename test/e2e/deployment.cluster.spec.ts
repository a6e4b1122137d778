import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { kwokNodeName } from '../control-plane/components/kwok.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/poll.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { sha256Of } from './support/controller-process.ts';
import { type Pod, type RunningPod, runPod } from './support/kubelet.ts';
import { createPolicyRepository } from './support/policy-repository.ts';

const root = join(import.meta.dirname, '..', '..');
const timeoutMilliseconds = 120_000;
const token = 'plm_deployment';
const secondNode = 'kwok-node-1';

interface Asked {
  readonly status: number;
  readonly body: unknown;
}

/** As a client that came by the Service asks. */
function ask(url: string, method = 'GET', body?: object): Promise<Asked> {
  const headers = {
    host: 'plimsoll.plimsoll.svc:8080',
    authorization: `Bearer ${token}`,
    ...(body && { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      answer.toArray().then((chunks) => {
        const text = Buffer.concat(chunks as Buffer[]).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

describe('deploy/', () => {
  let folder: string;
  let cluster: ControlPlane;
  let database: TestPostgres;
  let ports: ReadonlyMap<number, number>;
  const running: RunningPod[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-deployment-'));
    database = await startPostgres();
    await database.createDatabase('plimsoll');
    const [http = 0, metrics = 0] = await findFreePorts(2);
    ports = new Map([
      [8080, http],
      [9090, metrics],
    ]);
    cluster = await startControlPlane({ components: ['kube-controller-manager', 'kube-scheduler', 'kwok'] });
    const node = JSON.parse(await cluster.kubectl(['get', 'node', kwokNodeName, '-o', 'json'])) as {
      readonly metadata: { readonly labels: object; readonly annotations: object };
    };
    const { labels, annotations } = node.metadata;
    const metadata = {
      name: secondNode,
      annotations,
      labels: { ...labels, 'kubernetes.io/hostname': secondNode },
    };
    await cluster.kubectl(['create', '-f', '-'], JSON.stringify({ ...node, metadata, spec: {} }));
  }, timeoutMilliseconds);

  afterAll(async () => {
    await Promise.all(running.map((pod) => pod.stop()));
    await cluster.stop();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What the README has a person change, in a copy. */
  function edited(repositoryUrl: string): string {
    const copy = join(folder, 'deploy');
    cpSync(join(root, 'deploy'), copy, { recursive: true });
    const file = join(copy, 'plimsoll.yaml');
    const { host, port, user } = database;
    const changes: readonly (readonly [string, string])[] = [
      ['https://git.example.com/platform/policies.git', repositoryUrl],
      [
        'postgres://plimsoll_controller@plimsoll-database-rw.plimsoll.svc/plimsoll?sslmode=require',
        `postgres://${user}@${host}:${port}/plimsoll`,
      ],
      ['mode: Observe', 'mode: Act'],
      ['[10.0.0.0/8]', '[127.0.0.0/8]'],
      ['0'.repeat(64), sha256Of(token)],
    ];
    let text = readFileSync(file, 'utf8');
    for (const [from, to] of changes) {
      expect(text.split(from)).toHaveLength(2);
      text = text.replace(from, to);
    }
    writeFileSync(file, text);
    const plimsoll = join(root, 'apps', 'cli', 'bin', 'plimsoll.js');
    const rights = execFileSync(process.execPath, [plimsoll, 'rbac', '--config', file], { encoding: 'utf8' });
    writeFileSync(join(copy, 'rbac.yaml'), rights);
    return copy;
  }

  async function createSecret(): Promise<void> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const stringData = {
      'database-password': database.password,
      'session-secret': 's'.repeat(64),
      'checkpoint-key.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }),
    };
    const metadata = { name: 'plimsoll', namespace: 'plimsoll' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData };
    await cluster.kubectl(['create', '-f', '-'], JSON.stringify(secret));
  }

  const get = async (...what: readonly string[]): Promise<unknown> =>
    JSON.parse(await cluster.kubectl(['get', ...what, '-n', 'plimsoll', '-o', 'json']));

  async function readyPods(): Promise<readonly Pod[]> {
    return await eventually({
      description: 'two pods on nodes',
      timeoutMilliseconds,
      probe: async () => {
        const { items } = (await get('pods')) as { readonly items: readonly Pod[] };
        return items.length === 2 && items.every(({ spec }) => spec.nodeName) ? items : undefined;
      },
    });
  }

  it(
    'makes two replicas that share the policies, with the rights, files and addresses that a pod has',
    async () => {
      const repository = createPolicyRepository(join(folder, 'policies'));
      repository.commit('Add a policy', { 'app.yaml': policy });
      const copy = edited(repository.url);
      await cluster.kubectl(['apply', '-f', join(copy, 'namespace.yaml')]);
      await createSecret();
      await cluster.kubectl(['create', 'namespace', 'shop']);
      await cluster.kubectl(['apply', '-f', '-'], workload);
      await cluster.kubectl(['apply', '-k', copy]);

      const pods = await readyPods();
      expect(pods.map(({ spec }) => spec.nodeName).toSorted()).toEqual([kwokNodeName, secondNode]);
      const addresses = ['127.8.80.1', '127.8.80.2'];
      const started = await Promise.all(
        pods.map((pod, index) =>
          runPod(cluster, pod, { folder, network: { ip: addresses[index] ?? '', ports } }),
        ),
      );
      running.push(...started);
      const url = (ip: string): string => `http://${ip}:${ports.get(8080) ?? 0}`;

      for (const pod of started) {
        const abandon = (): string | undefined =>
          pod.hasEnded() ? `it ended: ${JSON.stringify(pod.log.slice(-5))}` : undefined;
        const probe = async (): Promise<true | undefined> =>
          (await pod.probe('readinessProbe')) === 200 || undefined;
        await eventually({ description: `${pod.name} to be ready`, timeoutMilliseconds, probe, abandon });
        expect(await pod.probe('startupProbe')).toBe(200);
        expect(await pod.probe('livenessProbe')).toBe(200);
      }
      const replicas = await eventually({
        description: 'eight shards each',
        timeoutMilliseconds,
        probe: async () => {
          const { body } = await ask(`${url(addresses[0] ?? '')}/api/v1/replicas`);
          const { items } = body as { readonly items: readonly ReplicaItem[] };
          return items.every(({ shards }) => shards.length === 8) && items.length === 2 ? items : undefined;
        },
      });
      expect(replicas.map((replica) => replica.url).toSorted()).toEqual(addresses.map(url));

      for (const ip of addresses) {
        // Until its first look at the sources, for one, it says what it lacks.
        await eventually({
          description: `${ip} to share, and to lack nothing`,
          timeoutMilliseconds,
          probe: async () => {
            const { body } = await ask(`${url(ip)}/readyz`);
            expect(body).toMatchObject({ mode: { kind: 'Replicas', reason: null }, degraded: [] });
            return true;
          },
        });
        // One of them has to send it on to the leader, by the address of its pod.
        const { status } = await ask(`${url(ip)}/api/v1/sources/policies/sync`, 'POST', {});
        expect([200, 202, 204]).toContain(status);
      }
      await eventually({
        description: 'the count that the policy asks for at least',
        timeoutMilliseconds,
        probe: async () => {
          const path = '/apis/apps/v1/namespaces/shop/deployments/app/scale';
          const { body } = await cluster.api({ path });
          return (body as { readonly spec: { readonly replicas: number } }).spec.replicas === 3 || undefined;
        },
      });
      await eventually({
        description: 'the budget of disruptions',
        timeoutMilliseconds,
        probe: async () => {
          expect(await get('poddisruptionbudget', 'plimsoll')).toMatchObject({
            status: { currentHealthy: 2, disruptionsAllowed: 1 },
          });
          return true;
        },
      });
      for (const pod of started) {
        expect(await pod.stop()).toBe(0);
        expect(pod.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
      }
    },
    4 * timeoutMilliseconds,
  );
});

interface ReplicaItem {
  readonly url: string | null;
  readonly shards: readonly number[];
}

/** Its metric is not there: only the bounds count. */
const policy = stringify({
  apiVersion: 'plimsoll.dev/v1alpha1',
  kind: 'AutoscalingPolicy',
  metadata: { name: 'app', namespace: 'shop' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app' },
    minReplicas: 3,
    maxReplicas: 8,
    interval: '2s',
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
      },
    ],
  },
});

const workload = JSON.stringify({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'app', namespace: 'shop' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'app' } },
    template: {
      metadata: { labels: { app: 'app' } },
      spec: { containers: [{ name: 'app', image: 'shop/app:1', resources: { requests: { cpu: '100m' } } }] },
    },
  },
});
