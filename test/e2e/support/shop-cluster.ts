import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuditedReplicaWrite,
  auditTo,
  leaseNamespace,
  type LeaseWrite,
  readAudit,
  readLeaseWrites,
} from '../../adversarial/cluster-storm/audit-record.ts';
import { kwokNodeName } from '../../control-plane/components/kwok.ts';
import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import { type PodMetricsApi, type RunningPod, servePodMetrics } from '../../support/pod-metrics-api.ts';
import { listOf } from './bad-answers.ts';
import { type HoldingProxy, type ProxyCredentials, startHoldingProxy } from './holding-proxy.ts';
import type { ReplicaPlace } from './make-replica.ts';
import { createPolicyRepository, type PolicyRepository } from './policy-repository.ts';
import { policyOf } from './replica-changes.ts';

const namespace = 'shop';
const requestMillicores = 500;
const targetPercent = 60;
const firstCount = 4;

/** What a test looks at, and edits, of a Lease. */
export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
}

interface ALease {
  readonly metadata: { readonly name: string };
  readonly spec: LeaseSpec;
}

/** A real control plane that writes down what it carries out, with targets whose load a test sets, and their policies. */
export class ShopCluster {
  readonly targets: readonly string[];
  readonly folder: string;
  readonly #cluster: ControlPlane;
  readonly #auditFile: string;
  readonly #repository: PolicyRepository;
  /** How many replicas its load needs, by target. */
  readonly #wanted = new Map<string, number>();
  /** How many pods shared the load when it was last asked for, by target. */
  readonly #sharing = new Map<string, number>();
  #metrics: PodMetricsApi | undefined;

  private constructor(options: {
    readonly targets: readonly string[];
    readonly folder: string;
    readonly cluster: ControlPlane;
    readonly auditFile: string;
  }) {
    this.targets = options.targets;
    this.folder = options.folder;
    this.#cluster = options.cluster;
    this.#auditFile = options.auditFile;
    this.#repository = createPolicyRepository(join(options.folder, 'policies'));
  }

  static async start(targets: readonly string[]): Promise<ShopCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-shop-cluster-'));
    const audit = await auditTo(folder);
    const cluster = await startControlPlane({
      components: ['kube-controller-manager', 'kwok'],
      extraArguments: { 'kube-apiserver': audit.flags },
    });
    const shop = new ShopCluster({ targets, folder, cluster, auditFile: audit.file });
    await shop.#fill();
    return shop;
  }

  /** Of replicas that share a database, and Leases that begin with a prefix. */
  placeOf(databaseUrl: string, leases: { readonly prefix: string; readonly terms: object }): ReplicaPlace {
    return {
      folder: join(this.folder, leases.prefix),
      configuration: {
        mode: 'Act',
        namespaces: [namespace],
        sources: [{ name: 'policies', url: this.#repository.url, interval: '1s' }],
        settings: { cpuInitializationPeriodSeconds: 0, initialReadinessDelaySeconds: 0 },
        coordination: {
          namespace: leaseNamespace,
          name: leases.prefix,
          advertisedUrl: 'http://127.0.0.1:1',
          ...leases.terms,
        },
      },
      clusterUrl: this.#cluster.server,
      kubeconfigOf: (replica) => readFile(this.#kubeconfigFor(replica), 'utf8'),
      databaseUrl,
    };
  }

  /** A proxy before the API server, to which it is the replica of that name. */
  async proxyFor(replica: string): Promise<HoldingProxy> {
    return startHoldingProxy(this.#cluster.server, await credentialsIn(this.#kubeconfigFor(replica)));
  }

  /** Gives a target the load of so many replicas. */
  setLoad(target: string, replicas: number): void {
    this.#wanted.set(target, replicas);
  }

  /** How many pods shared the load of a target when it was last asked for: those that are ending have their part of it. */
  podsSharing(target: string): number | undefined {
    return this.#sharing.get(target);
  }

  async replicasOf(target: string): Promise<number> {
    const { body } = await this.#cluster.api({ path: `${deployments}/${target}/scale` });
    return (body as { readonly spec: { readonly replicas: number } }).spec.replicas;
  }

  /** Deletes every Lease whose name begins so, by hand. */
  async deleteLeases(prefix: string): Promise<void> {
    const paths = await this.#leasePaths(prefix);
    await Promise.all(paths.map((path) => this.#cluster.api({ method: 'DELETE', path })));
  }

  /** Makes somebody who does not exist the holder of all of them. */
  async editLeases(prefix: string): Promise<void> {
    const body = { spec: { holderIdentity: 'somebody' } };
    const paths = await this.#leasePaths(prefix);
    await Promise.all(paths.map((path) => this.#cluster.api({ method: 'PATCH', path, body })));
  }

  /** What the API server has of one of them; null: there is none. */
  async leaseOf(name: string): Promise<LeaseSpec | null> {
    const { items } = (await this.#cluster.api({ path: leases })).body as {
      readonly items: readonly ALease[];
    };
    return items.find(({ metadata }) => metadata.name === name)?.spec ?? null;
  }

  async deleteLease(name: string): Promise<void> {
    await this.#cluster.api({ method: 'DELETE', path: `${leases}/${name}` });
  }

  async editLease(name: string, spec: Partial<LeaseSpec>): Promise<void> {
    await this.#cluster.api({ method: 'PATCH', path: `${leases}/${name}`, body: { spec } });
  }

  async #leasePaths(prefix: string): Promise<readonly string[]> {
    const { body } = await this.#cluster.api({ path: leases });
    const { items } = body as { readonly items: readonly ALease[] };
    const names = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(prefix));
    return names.map((name) => `${leases}/${name}`);
  }

  /** What changed the counts of targets, in the API server's own record. */
  async writes(): Promise<readonly AuditedReplicaWrite[]> {
    return (await readAudit(this.#auditFile, namespace)).replicas;
  }

  /** What was written of the Leases whose names begin so, in the API server's own record. */
  async leaseWrites(prefix: string): Promise<readonly LeaseWrite[]> {
    return (await readLeaseWrites(this.#auditFile)).filter(({ name }) => name.startsWith(prefix));
  }

  async stop(): Promise<void> {
    await this.#metrics?.stop();
    await this.#cluster.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Each is a user of its own, so that the record says whose a write is. */
  #kubeconfigFor(replica: string): string {
    return this.#cluster.kubeconfigFor({ commonName: replica, organizations: ['system:masters'] });
  }

  async #fill(): Promise<void> {
    for (const each of [namespace, leaseNamespace])
      await this.#cluster.kubectl(['create', 'namespace', each]);
    this.#metrics = await servePodMetrics(this.#cluster, namespace, (pods) => this.#usageOf(pods));
    const list = { apiVersion: 'v1', kind: 'List', items: this.targets.map(deploymentOf) };
    await this.#cluster.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    const files = this.targets.map((target) => [`${target}.yaml`, policyOf(target)] as const);
    this.#repository.commit('First', Object.fromEntries(files));
  }

  /** The load of a target is shared by its pods. */
  #usageOf(pods: readonly RunningPod[]): { readonly status: number; readonly body: string } {
    const counts = Map.groupBy(pods, targetOf);
    const samples = pods.map((pod) => {
      const target = targetOf(pod);
      const load = ((this.#wanted.get(target) ?? firstCount) * requestMillicores * targetPercent) / 100;
      const sharing = counts.get(target)?.length ?? 1;
      this.#sharing.set(target, sharing);
      const cpu = `${Math.round(load / sharing)}m`;
      return {
        metadata: { name: pod.name, namespace, labels: pod.labels },
        timestamp: new Date().toISOString(),
        window: '1s',
        containers: [{ name: 'app', usage: { cpu, memory: '1Mi' } }],
      };
    });
    return { status: 200, body: listOf(samples) };
  }
}

const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const leases = `/apis/coordination.k8s.io/v1/namespaces/${leaseNamespace}/leases`;

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<'certificate-authority', string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<'client-certificate' | 'client-key', string>> }];
}

/** A kubeconfig of the control plane is JSON, and names its files. */
async function credentialsIn(kubeconfig: string): Promise<ProxyCredentials> {
  const { clusters, users } = JSON.parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  return {
    ca: await readFile(cluster['certificate-authority'], 'utf8'),
    cert: await readFile(user['client-certificate'], 'utf8'),
    key: await readFile(user['client-key'], 'utf8'),
  };
}

function targetOf({ labels }: RunningPod): string {
  return labels['app'] ?? '';
}

function deploymentOf(name: string): object {
  const labels = { app: name };
  const containers = [
    { name: 'app', image: 'none', resources: { requests: { cpu: `${requestMillicores}m` } } },
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: firstCount,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { nodeName: kwokNodeName, containers } },
    },
  };
}
