import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { kwokNodeName } from '../../control-plane/components/kwok.ts';
import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import { type badAnswers, listOf, type UsageSample } from '../../e2e/support/bad-answers.ts';
import { createPolicyRepository, type PolicyRepository } from '../../e2e/support/policy-repository.ts';
import { FaultyProxy } from '../../support/faulty-proxy.ts';
import { type PodMetricsApi, type RunningPod, servePodMetrics } from '../../support/pod-metrics-api.ts';
import { type AuditRecord, auditTo, readAudit } from './audit-record.ts';

export const stormNamespace = 'shop';

const requestMillicores = 500;
const targetPercent = 60;

/** One target under its policy, which the storm changes. */
export interface StormedPolicy {
  readonly name: string;
  actuation: 'Scale' | 'HorizontalPodAutoscaler';
  isEnabled: boolean;
  maxReplicas: number;
  /** How many replicas its load needs. */
  wanted: number;
}

/** Only the load of this one would change its count, and no load is changed: a write of its count is an accident. */
export const steadyPolicy = 'steady';

const calmReplicas = 4;
const calmMaximum = 13;

/** A real control plane with a proxy before it, its own record of writes, and policies for its targets. */
export class StormCluster {
  readonly folder: string;
  readonly cluster: ControlPlane;
  readonly proxy: FaultyProxy;
  readonly policies: readonly StormedPolicy[];
  /** How far ahead of the machine's clock samples are. */
  sampleOffsetMilliseconds = 0;
  readonly #repository: PolicyRepository;
  readonly #auditFile: string;
  readonly #kubeconfig: string;
  #metrics: PodMetricsApi | undefined;
  #commits = 0;

  private constructor(options: {
    readonly folder: string;
    readonly cluster: ControlPlane;
    readonly proxy: FaultyProxy;
    readonly auditFile: string;
    readonly kubeconfig: string;
  }) {
    this.folder = options.folder;
    this.cluster = options.cluster;
    this.proxy = options.proxy;
    this.#auditFile = options.auditFile;
    this.#kubeconfig = options.kubeconfig;
    this.#repository = createPolicyRepository(join(options.folder, 'policies'));
    this.policies = [
      aPolicy('hpa-a', 'HorizontalPodAutoscaler'),
      aPolicy('hpa-b', 'HorizontalPodAutoscaler'),
      aPolicy('turn', 'HorizontalPodAutoscaler'),
      aPolicy('pulled', 'Scale'),
      aPolicy(steadyPolicy, 'Scale'),
    ];
  }

  static async start(): Promise<StormCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-cluster-storm-'));
    const audit = await auditTo(folder);
    const cluster = await startControlPlane({
      components: ['kube-controller-manager', 'kwok'],
      extraArguments: { 'kube-apiserver': audit.flags },
    });
    const proxy = await FaultyProxy.start(cluster);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, await throughProxy(cluster, proxy));
    const storm = new StormCluster({ folder, cluster, proxy, auditFile: audit.file, kubeconfig });
    await storm.#fill();
    return storm;
  }

  get configuration(): object {
    return {
      cluster: { name: 'storm', kubeconfig: this.#kubeconfig },
      mode: 'Act',
      namespaces: [stormNamespace],
      dataFolder: join(this.folder, 'data'),
      sources: [
        {
          name: 'policies',
          url: this.#repository.url,
          interval: '1s',
          blastRadius: { targets: 100, percent: 100 },
        },
      ],
      database: { url: `sqlite:${this.databaseFile}` },
      settings: { cpuInitializationPeriodSeconds: 0, initialReadinessDelaySeconds: 0 },
    };
  }

  get databaseFile(): string {
    return join(this.folder, 'ledger.db');
  }

  /** Commits the policies as they are now. */
  commit(): void {
    this.#commits += 1;
    const files = this.policies.map((each): readonly [string, string] => [
      `${each.name}.yaml`,
      policyText(each, this.#commits),
    ]);
    this.#repository.commit(`Change ${this.#commits}`, Object.fromEntries(files));
  }

  /** From now on the metrics API answers with what no count may follow from; with null it is well. */
  answerBadly(answer: (typeof badAnswers)[number] | null): void {
    this.#metrics?.answerWith((pods) => {
      if (answer === null) return this.#wellAnswer(pods);
      return { status: answer.status, body: answer.body((usage) => this.#samplesOf(pods, () => usage)) };
    });
  }

  async replicasOf(name: string): Promise<number> {
    const { body } = await this.cluster.api({ path: `${deployments}/${name}/scale` });
    return (body as { readonly spec: { readonly replicas: number } }).spec.replicas;
  }

  /** The bounds of the HPA of a policy; null: there is none. */
  async boundsOf(
    name: string,
  ): Promise<{ readonly minReplicas?: number; readonly maxReplicas: number } | null> {
    const { status, body } = await this.cluster.api({ path: `${hpas}/${name}` });
    if (status !== 200) return null;
    return (body as { readonly spec: { readonly minReplicas?: number; readonly maxReplicas: number } }).spec;
  }

  /** Writes as another manager does; what it answers does not matter. */
  async writeAs(
    manager: string,
    request: { readonly method: 'PATCH' | 'DELETE'; readonly path: string; readonly body?: object },
  ): Promise<void> {
    const path = `${request.path}?fieldManager=${manager}`;
    await this.cluster.api({ ...request, path }).catch(() => undefined);
  }

  audit(): Promise<AuditRecord> {
    return readAudit(this.#auditFile, stormNamespace);
  }

  /** Every policy as it was, with the same bounds. */
  calm(): void {
    for (const each of this.policies) {
      each.isEnabled = true;
      each.maxReplicas = calmMaximum;
    }
    this.answerBadly(null);
    this.commit();
  }

  async stop(): Promise<void> {
    await this.#metrics?.stop();
    await this.proxy.stop();
    await this.cluster.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #fill(): Promise<void> {
    await mkdir(join(this.folder, 'data'), { recursive: true });
    await this.cluster.kubectl(['create', 'namespace', stormNamespace]);
    this.#metrics = await servePodMetrics(this.cluster, stormNamespace, (pods) => this.#wellAnswer(pods));
    const items = this.policies.map(({ name }) => deploymentOf(name));
    await this.cluster.kubectl(
      ['apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    );
    this.commit();
  }

  #wellAnswer(pods: readonly RunningPod[]): { readonly status: number; readonly body: string } {
    const counts = Map.groupBy(pods, ({ labels }) => labels['app'] ?? '');
    const usageOf = ({ labels }: RunningPod): string => {
      const app = labels['app'] ?? '';
      const wanted = this.policies.find(({ name }) => name === app)?.wanted ?? calmReplicas;
      const total = (wanted * requestMillicores * targetPercent) / 100;
      return `${Math.round(total / (counts.get(app)?.length ?? 1))}m`;
    };
    return { status: 200, body: listOf(this.#samplesOf(pods, usageOf)) };
  }

  #samplesOf(pods: readonly RunningPod[], usageOf: (pod: RunningPod) => string): readonly UsageSample[] {
    return pods.map((pod) => ({
      metadata: { name: pod.name, namespace: stormNamespace, labels: pod.labels },
      timestamp: new Date(Date.now() + this.sampleOffsetMilliseconds).toISOString(),
      window: '1s',
      containers: [{ name: 'app', usage: { cpu: usageOf(pod), memory: '1Mi' } }],
    }));
  }
}

const deployments = `/apis/apps/v1/namespaces/${stormNamespace}/deployments`;
const hpas = `/apis/autoscaling/v2/namespaces/${stormNamespace}/horizontalpodautoscalers`;

/** Where the count of a target is written. */
export function scalePath(name: string): string {
  return `${deployments}/${name}/scale`;
}

/** The HPA of a policy. */
export function hpaPath(name: string): string {
  return `${hpas}/${name}`;
}

function aPolicy(name: string, actuation: StormedPolicy['actuation']): StormedPolicy {
  return { name, actuation, isEnabled: true, maxReplicas: calmMaximum, wanted: calmReplicas };
}

function policyText({ name, actuation, isEnabled, maxReplicas }: StormedPolicy, revision: number): string {
  return stringify({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name, namespace: stormNamespace, annotations: { 'example.com/revision': `${revision}` } },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: 2,
      maxReplicas,
      interval: '1s',
      enabled: isEnabled,
      actuation,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: targetPercent } },
        },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 5 } },
    },
  });
}

function deploymentOf(name: string): object {
  const labels = { app: name };
  const resources = { requests: { cpu: `${requestMillicores}m` } };
  const containers = [{ name: 'app', image: 'none', resources }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: stormNamespace },
    spec: {
      replicas: calmReplicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { nodeName: kwokNodeName, containers } },
    },
  };
}

/** The proxy has the credentials. */
async function throughProxy({ kubeconfigPath }: ControlPlane, { url }: FaultyProxy): Promise<string> {
  const kubeconfig = parse(await readFile(kubeconfigPath, 'utf8')) as object;
  return stringify({
    ...kubeconfig,
    clusters: [{ name: 'proxied', cluster: { server: url } }],
    users: [{ name: 'nobody', user: {} }],
    contexts: [{ name: 'proxied', context: { cluster: 'proxied', user: 'nobody' } }],
    'current-context': 'proxied',
  });
}
