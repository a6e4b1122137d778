import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments, stringify } from 'yaml';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { usageAnnotations } from '../control-plane/pod-usage.ts';
import { eventually } from '../control-plane/poll.ts';
import { type ControllerProcess, startControllerProcess } from './support/controller-process.ts';
import { createPolicyRepository, type PolicyRepository } from './support/policy-repository.ts';
import { makeServiceAccount, printRights } from './support/printed-rights.ts';

/** A watch is known to be lost after 105 s, and metrics are scraped every 10 s. */
const timeoutMilliseconds = 240_000;

/** What a policy's latest pass came to. */
interface PolicyStatus {
  readonly namespace: string;
  readonly name: string;
  readonly status: {
    readonly outcome: string;
    readonly reason: string;
    readonly message: string;
    readonly time: string;
    readonly conditions: readonly { readonly type: string; readonly message: string }[];
  } | null;
}

const statusQuery = `{ policies(first: 100) { edges { node {
  namespace name status { outcome reason message time conditions { type message } }
} } } }`;

const settings = { cpuInitializationPeriodSeconds: 10, initialReadinessDelaySeconds: 5 };

let folder: string;
let cluster: ControlPlane;
let controller: ControllerProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-rights-'));
  cluster = await startControlPlane({
    components: ['kube-controller-manager', 'kube-scheduler', 'kwok', 'metrics-server'],
    extraArguments: {
      'kube-controller-manager': [
        '--horizontal-pod-autoscaler-sync-period=2s',
        '--horizontal-pod-autoscaler-cpu-initialization-period=10s',
        '--horizontal-pod-autoscaler-initial-readiness-delay=5s',
      ],
    },
  });
}, timeoutMilliseconds);

afterEach(async () => {
  await controller?.kill();
  controller = undefined;
});

afterAll(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A controller to be started with the rights that its policies need. */
interface Installation {
  readonly name: string;
  readonly namespaces: readonly string[];
  /** By file. */
  readonly policies: Readonly<Record<string, string>>;
  /** Of `plimsoll rbac`. */
  readonly options?: readonly string[];
  /** What is applied of them; default: all. */
  readonly reduced?: (roles: string) => string;
}

interface Started {
  readonly repository: PolicyRepository;
  /** As `plimsoll rbac` prints them for the policies. */
  readonly roles: string;
}

/** Commits the policies, applies what `plimsoll rbac` prints for them, and starts the controller with nothing else. */
async function start({
  name,
  namespaces,
  policies,
  options = [],
  reduced = whole,
}: Installation): Promise<Started> {
  const repository = createPolicyRepository(join(folder, name, 'policies'));
  repository.commit('Add policies', policies);
  const configuration = {
    cluster: { name: 'control-plane', kubeconfig: await makeServiceAccount(cluster, folder) },
    mode: 'Act',
    namespaces,
    dataFolder: join(folder, name, 'data'),
    sources: [{ name: 'policies', url: repository.url, interval: '1s' }],
    database: { url: `sqlite:${join(folder, name, 'ledger.db')}` },
    settings,
  };
  const checkout = join(folder, name, 'policies');
  const roles = await printRights(join(folder, name), configuration, [...options, checkout]);
  await cluster.kubectl(['apply', '-f', '-'], reduced(roles));
  controller = await startControllerProcess(join(folder, name), configuration);
  return { repository, roles };
}

const whole = (roles: string): string => roles;

async function statuses(): Promise<readonly PolicyStatus[]> {
  const { policies } =
    (await controller?.query<{ policies: { edges: readonly { node: PolicyStatus }[] } }>(statusQuery)) ??
    ({ policies: { edges: [] } } as const);
  return policies.edges.map(({ node }) => node);
}

function policyOf(namespace: string, name: string, spec: object = {}): string {
  return stringify({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: 2,
      maxReplicas: 8,
      interval: '2s',
      metrics: [cpu],
      ...spec,
    },
  });
}

const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};

/** Its pods use what they should: nothing wants to change. */
function workload(namespace: string, name: string, kind = 'Deployment'): string {
  return stringify({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: {
          labels: { app: name },
          annotations: { [usageAnnotations.cpu]: '50m', [usageAnnotations.memory]: '50Mi' },
        },
        spec: {
          containers: [{ name: 'app', image: 'shop/app:1', resources: { requests: { cpu: '100m' } } }],
        },
      },
    },
  });
}

const replicasOf = async (namespace: string, name: string, kind = 'deployment'): Promise<number> =>
  Number(await cluster.kubectl(['get', kind, name, '-n', namespace, '-o', 'jsonpath={.spec.replicas}']));

const useMuch = (namespace: string, name: string): Promise<void> =>
  cluster.setPodUsage({ namespace, labelSelector: `app=${name}`, cpu: '90m' });

async function untilReady(namespace: string, name: string): Promise<void> {
  await cluster.kubectl(['rollout', 'status', `deployment/${name}`, '-n', namespace, '--timeout=60s']);
}

async function untilReplicas(namespace: string, name: string, count: number): Promise<void> {
  await eventually({
    description: `${count} replicas of ${namespace}/${name}`,
    timeoutMilliseconds,
    probe: async () => ((await replicasOf(namespace, name)) >= count ? true : undefined),
  });
}

const millicoresPer = { n: 1e-6, u: 1e-3, m: 1, '': 1_000 } as const;

/** Waits until the metrics API has what the pods use, and then for a pass that could have seen it. */
async function untilPassWithUsage(namespace: string): Promise<void> {
  await eventually({
    description: `usage of ${namespace}`,
    timeoutMilliseconds,
    probe: async () => {
      const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
      const usages = (await cluster.kubectl(['get', '--raw', path])).matchAll(/"cpu":"(\d+)([num]?)"/g);
      const millicores = [...usages].map(
        ([, digits, unit = '']) => Number(digits) * millicoresPer[unit as keyof typeof millicoresPer],
      );
      return millicores.some((used) => used > 80) ? true : undefined;
    },
  });
  const from = new Date().toISOString();
  await eventually({
    description: `a pass of ${namespace}`,
    timeoutMilliseconds,
    probe: async () => {
      const found = (await statuses()).find((each) => each.namespace === namespace);
      return (found?.status?.time ?? '') > from ? true : undefined;
    },
  });
}

describe('a controller whose ServiceAccount may do what plimsoll rbac prints, and nothing else', () => {
  it.each([
    { scope: 'all namespaces', namespaces: ['*'], namespace: 'everywhere' },
    { scope: 'a list of namespaces', namespaces: ['listed', 'empty'], namespace: 'listed' },
  ])(
    'scales, and renders an HPA that scales, in $scope',
    async ({ namespaces, namespace }) => {
      for (const name of new Set([namespace, ...namespaces.filter((each) => each !== '*')]))
        await cluster.kubectl(['create', 'namespace', name]);
      for (const name of ['scaled', 'rendered']) {
        await cluster.kubectl(['apply', '-f', '-'], workload(namespace, name));
        await untilReady(namespace, name);
        await useMuch(namespace, name);
      }
      const { roles } = await start({
        name: namespace,
        namespaces,
        policies: {
          'scaled.yaml': policyOf(namespace, 'scaled', { selectionStrategy: 'OwnerReference' }),
          'rendered.yaml': policyOf(namespace, 'rendered', { actuation: 'HorizontalPodAutoscaler' }),
        },
      });
      // 2 pods × 90 % ÷ 50 % = 3.6 → 4.
      await untilReplicas(namespace, 'scaled', 4);
      await untilReplicas(namespace, 'rendered', 4);
      await eventually({
        description: 'an Event of our scaling',
        timeoutMilliseconds,
        probe: async () => {
          const events = await cluster.kubectl(['events', '-n', namespace, '--for=deployment/scaled']);
          return events.includes('SuccessfulRescale') ? true : undefined;
        },
      });
      expect(await controller?.stop()).toBe(0);
      // Its database is new, and that is said.
      const warnings = controller?.log.filter(({ level }) => Number(level) >= 40);
      expect(warnings).toMatchObject([{ setting: 'database.url' }]);
      await cluster.kubectl(['delete', '-f', '-'], roles);
    },
    2 * timeoutMilliseconds,
  );

  it(
    'says which verb on which resource it lacks, and leaves the count as it is',
    async () => {
      const namespaces = rows.map(namespaceOf);
      for (const row of rows) await prepare(row);
      const { repository, roles } = await start({
        name: 'lacking',
        namespaces,
        policies: Object.fromEntries(rows.map((row) => [`${namespaceOf(row)}.yaml`, policyBefore(row)])),
        options: ['--actuation', 'HorizontalPodAutoscaler', '--'],
        reduced: (printed) =>
          withoutOneVerbEach(printed, rows, ({ isMissingAtStart }) => isMissingAtStart === true),
      });
      await untilAllHavePassed();
      const hpas = await hpaSpecs();
      await cluster.kubectl(
        ['apply', '-f', '-'],
        withoutOneVerbEach(roles, rows, () => true),
      );
      const hungry = rows.filter(({ wantsMore }) => wantsMore);
      // What was seen before a watch is known to be lost may be acted on.
      const [late, early] = [hungry.filter(isWatch), hungry.filter((row) => !isWatch(row))];
      for (const row of early) await useMuch(namespaceOf(row), 'app');
      for (const row of rows) await row.provoke?.(namespaceOf(row));
      repository.commit('Change policies', Object.fromEntries(rows.flatMap(policyAfter)));
      expect(await whatIsNotSaid()).toEqual([]);
      for (const row of late) await useMuch(namespaceOf(row), 'app');
      for (const row of hungry) await untilPassWithUsage(namespaceOf(row));
      for (const row of hungry) {
        const count = await replicasOf(namespaceOf(row), 'app', row.kind);
        expect([namespaceOf(row), count]).toEqual([namespaceOf(row), 2]);
      }
      expect(await hpaSpecs()).toEqual(hpas);
      expect(await controller?.stop()).toBe(0);
      expect(controller?.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    },
    2 * timeoutMilliseconds,
  );
});

/** Kinds that are watched where a Role allows it, and else read one by one. */
const watchedKinds: readonly Pick<Row, 'verb' | 'resource'>[] = [
  'deployments.apps',
  'statefulsets.apps',
  'replicasets.apps',
  'jobs.batch',
].flatMap((resource) => ['list', 'watch'].map((verb) => ({ verb, resource })));

describe('a controller whose Role does not allow to watch the kinds of targets and owners', () => {
  it(
    'says which verb of which kind, is degraded, and scales all the same',
    async () => {
      const namespaces = watchedKinds.map(namespaceOf);
      for (const namespace of namespaces) {
        await cluster.kubectl(['create', 'namespace', namespace]);
        await cluster.kubectl(['apply', '-f', '-'], workload(namespace, 'app'));
      }
      for (const namespace of namespaces) await useMuch(namespace, 'app');
      await start({
        name: 'unwatched',
        namespaces,
        policies: Object.fromEntries(
          namespaces.map((namespace) => [
            `${namespace}.yaml`,
            policyOf(namespace, 'app', { selectionStrategy: 'OwnerReference' }),
          ]),
        ),
        reduced: (printed) => withoutOneVerbEach(printed, watchedKinds, () => true),
      });
      for (const namespace of namespaces) await untilReplicas(namespace, 'app', 4);
      const told = (): readonly string[] =>
        (controller?.log ?? []).flatMap(({ level, message, msg }) =>
          msg === 'watch interrupted' && level === 40 ? [String(message)] : [],
        );
      for (const { resource } of watchedKinds) {
        const [kind = '', group = ''] = resource.split('.');
        const want = new RegExp(`cannot (list|watch) resource "${kind}" in API group "${group}"`);
        expect(told()).toContainEqual(expect.stringMatching(want));
      }
      const answer = await controller?.query<{ degraded: readonly { what: string }[] }>(
        '{ degraded { what } }',
      );
      expect(answer?.degraded.map(({ what }) => what)).toContain('access');
    },
    2 * timeoutMilliseconds,
  );
});

async function untilAllHavePassed(): Promise<void> {
  await eventually({
    description: 'a pass of every policy',
    timeoutMilliseconds,
    probe: async () => {
      const found = await statuses();
      const hasPassed = found.length === rows.length && found.every(({ status }) => status !== null);
      return hasPassed ? true : undefined;
    },
  });
}

/** Waits until every policy says what it lacks; those that do not in the end, with what they say instead. */
async function whatIsNotSaid(): Promise<readonly string[]> {
  let missing: readonly string[] = [];
  const probe = async (): Promise<true | undefined> => {
    const found = await statuses();
    missing = rows.flatMap((row) => {
      const sentences = sentencesOf(found.find(({ namespace }) => namespace === namespaceOf(row)));
      return sentences.some((text) => row.want.test(text)) ? [] : [namespaceOf(row), ...sentences];
    });
    return missing.length === 0 ? true : undefined;
  };
  await eventually({ description: 'what every policy says', timeoutMilliseconds, probe }).catch(
    () => undefined,
  );
  return missing;
}

function sentencesOf(policy: PolicyStatus | undefined): readonly string[] {
  const status = policy?.status ?? null;
  if (status === null) return [];
  const { outcome, reason, message, conditions } = status;
  return [
    `${outcome} ${reason} ${message}`,
    ...conditions.map((condition) => `${condition.type} ${condition.message}`),
  ];
}

/** A namespace whose Role lacks one verb. */
interface Row {
  readonly verb: string;
  /** `deployments/scale.apps`; the core group has no dot. */
  readonly resource: string;
  /** The verb of a list is used where a watch begins: at the start. */
  readonly isMissingAtStart?: boolean;
  /** Of the target. */
  readonly kind?: string;
  /** The policy's `spec`, beside what all of them have. */
  readonly spec?: object;
  /** The same once the verb is taken away. */
  readonly after?: object;
  /** Whether its pods use so much that more replicas are wanted, which must not come. */
  readonly wantsMore: boolean;
  /** What makes the controller use the verb. */
  readonly provoke?: (namespace: string) => Promise<unknown>;
  /** Of the status, or of a condition. */
  readonly want: RegExp;
}

const native = { actuation: 'HorizontalPodAutoscaler' };
const hpaResource = 'horizontalpodautoscalers.autoscaling';
const external = {
  metrics: [
    { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'Value', value: 5 } } },
  ],
};
const custom = {
  metrics: [
    { type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: 5 } } },
  ],
};
const lifecycle = {
  lifecycle: {
    blockedBy: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'maintenance',
      jsonPath: '.data.state',
      notEqual: 'open',
    },
  },
};
const replicaSet = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app' } };

const rows: readonly Row[] = [
  {
    verb: 'list',
    resource: 'pods',
    isMissingAtStart: true,
    wantsMore: true,
    want: /cannot list resource "pods" in API group ""/,
  },
  { verb: 'watch', resource: 'pods', wantsMore: true, want: /cannot watch resource "pods" in API group ""/ },
  {
    verb: 'list',
    resource: hpaResource,
    isMissingAtStart: true,
    wantsMore: true,
    want: /cannot list resource "horizontalpodautoscalers"/,
  },
  {
    verb: 'watch',
    resource: hpaResource,
    wantsMore: true,
    want: /cannot watch resource "horizontalpodautoscalers"/,
  },
  {
    verb: 'list',
    resource: 'pods.metrics.k8s.io',
    wantsMore: true,
    want: /cannot list resource "pods" in API group "metrics\.k8s\.io"/,
  },
  {
    verb: 'update',
    resource: 'deployments/scale.apps',
    wantsMore: true,
    want: /WriteRefused could not scale to 4: .* cannot update resource "deployments\/scale"/,
  },
  {
    verb: 'get',
    resource: 'replicasets/scale.apps',
    kind: 'ReplicaSet',
    spec: replicaSet,
    wantsMore: true,
    // Any new version of the object makes the scale that was read before a former one.
    provoke: (namespace) =>
      cluster.kubectl(['annotate', 'replicaset', 'app', '-n', namespace, 'example.com/touched=yes']),
    want: /FailedGetScale .*cannot get resource "replicasets\/scale"/,
  },
  {
    verb: 'list',
    resource: '*.external.metrics.k8s.io',
    spec: external,
    wantsMore: false,
    want: /cannot list resource "queue" in API group "external\.metrics\.k8s\.io"/,
  },
  {
    verb: 'get',
    resource: '*.custom.metrics.k8s.io',
    spec: custom,
    wantsMore: false,
    want: /cannot get resource "pods\/rps" in API group "custom\.metrics\.k8s\.io"/,
  },
  {
    verb: 'get',
    resource: 'configmaps',
    spec: lifecycle,
    wantsMore: true,
    want: /cannot get resource "configmaps"/,
  },
  {
    verb: 'get',
    resource: 'daemonsets.apps',
    spec: { selectionStrategy: 'OwnerReference' },
    wantsMore: false,
    provoke: (namespace) => addPodOfDaemonSet(namespace),
    want: /cannot get resource "daemonsets"/,
  },
  {
    verb: 'create',
    resource: hpaResource,
    spec: { dryRun: true },
    after: native,
    wantsMore: false,
    want: /WriteRefused could not create the HPA: .*cannot create resource "horizontalpodautoscalers"/,
  },
  {
    verb: 'update',
    resource: hpaResource,
    spec: native,
    after: { ...native, maxReplicas: 9 },
    wantsMore: false,
    want: /WriteRefused could not update the HPA: .*cannot update resource "horizontalpodautoscalers"/,
  },
  {
    verb: 'delete',
    resource: hpaResource,
    spec: native,
    after: { ...native, enabled: false },
    wantsMore: false,
    want: /WriteRefused could not delete the HPA: .*cannot delete resource "horizontalpodautoscalers"/,
  },
  {
    verb: 'get',
    resource: hpaResource,
    spec: native,
    after: { ...native, maxReplicas: 9 },
    wantsMore: false,
    want: /HpaUnknown .*cannot get resource "horizontalpodautoscalers"/,
  },
];

function isWatch({ verb }: Row): boolean {
  return verb === 'watch';
}

function namespaceOf({ verb, resource }: Pick<Row, 'verb' | 'resource'>): string {
  return `no-${verb}-${resource.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '')}`.slice(0, 60);
}

function policyBefore(row: Row): string {
  return policyOf(namespaceOf(row), 'app', row.spec);
}

/** The file of the changed policy, for those that change. */
function policyAfter(row: Row): readonly (readonly [string, string])[] {
  if (row.after === undefined) return [];
  return [[`${namespaceOf(row)}.yaml`, policyOf(namespaceOf(row), 'app', row.after)]];
}

async function prepare(row: Row): Promise<void> {
  const namespace = namespaceOf(row);
  await cluster.kubectl(['create', 'namespace', namespace]);
  const manifests = [
    workload(namespace, 'app', row.kind),
    stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'maintenance', namespace },
      data: { state: 'open' },
    }),
  ];
  await cluster.kubectl(['apply', '-f', '-'], manifests.join('---\n'));
}

/** A pod that the selector finds and that belongs to a DaemonSet, too, without being its own. */
async function addPodOfDaemonSet(namespace: string): Promise<void> {
  const template = { metadata: { labels: { daemon: 'yes' } }, spec: { containers: [container] } };
  const daemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'daemon', namespace },
    spec: {
      selector: { matchLabels: { daemon: 'yes' } },
      template: { ...template, spec: { ...template.spec, nodeSelector: { none: 'such' } } },
    },
  };
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(daemonSet));
  const uid = await cluster.kubectl([
    'get',
    'daemonset',
    'daemon',
    '-n',
    namespace,
    '-o',
    'jsonpath={.metadata.uid}',
  ]);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'other',
      namespace,
      labels: { app: 'app' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'daemon', uid }],
    },
    spec: { containers: [container] },
  };
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(pod));
}

const container = { name: 'app', image: 'shop/app:1', resources: { requests: { cpu: '100m' } } };

interface Role {
  readonly kind: string;
  readonly metadata: { readonly namespace: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** The same Roles, each without the verb of its namespace's row. */
function withoutOneVerbEach<R extends Pick<Row, 'verb' | 'resource'>>(
  roles: string,
  of: readonly R[],
  isMissing: (row: R) => boolean,
): string {
  const documents = parseAllDocuments(roles).map((document) => document.toJS() as Role);
  return documents
    .map((document) => {
      const row = of.find((one) => isMissing(one) && namespaceOf(one) === document.metadata.namespace);
      if (document.kind !== 'Role' || row === undefined) return stringify(document);
      const rules = document.rules.flatMap((rule) => withoutVerb(rule, row));
      expect(rules).not.toEqual(document.rules);
      return stringify({ ...document, rules });
    })
    .join('---\n');
}

function withoutVerb(
  rule: Role['rules'][number],
  { verb, resource }: Pick<Row, 'verb' | 'resource'>,
): readonly Role['rules'][number][] {
  const group = rule.apiGroups.join();
  const isMeant = (name: string): boolean => (group === '' ? name : `${name}.${group}`) === resource;
  const rest = rule.resources.filter((name) => !isMeant(name));
  if (rest.length === rule.resources.length) return [rule];
  const meant = {
    ...rule,
    resources: rule.resources.filter(isMeant),
    verbs: rule.verbs.filter((one) => one !== verb),
  };
  return [{ ...rule, resources: rest }, meant].filter(
    ({ resources, verbs }) => resources.length * verbs.length > 0,
  );
}

async function hpaSpecs(): Promise<readonly string[]> {
  const path = '{range .items[*]}{.metadata.namespace} {.spec.minReplicas} {.spec.maxReplicas}{"\\n"}{end}';
  const text = await cluster.kubectl(['get', 'hpa', '--all-namespaces', '-o', `jsonpath=${path}`]);
  return text.split('\n').filter((line) => line.startsWith('no-'));
}
