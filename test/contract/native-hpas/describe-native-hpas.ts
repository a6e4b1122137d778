import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Kubernetes, openKubernetes } from '#adapter-kubernetes';
import { isJsonObject, type JsonObject } from '#kernel';
import { LedgerWriter } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { parsePolicyJson } from '#policy';
import {
  type ActivePolicy,
  type NativeAutoscalersPort,
  Reconciler,
  StandingInterventions,
} from '#reconciliation';
import {
  anActivePolicy,
  FakeActivePolicies,
  FakeClock,
  FakeJournal,
  FakeLog,
  FakeMetrics,
  FakePassReports,
  FakeRecommenders,
  FakeWindows,
  reconcileOptions,
} from '#reconciliation/testing';
import { eventually } from '../../control-plane/poll.ts';
import { type ApiConnection, connectWith } from '../kubernetes-api/api-connection.ts';

/** A cluster that policies are rendered into, and that deletes what an owner leaves behind. */
export interface NativeHpaCluster {
  readonly kubeconfig: string;
  readonly stop: () => Promise<void>;
}

const startMilliseconds = 60_000;
const timeoutMilliseconds = 20_000;
const strange = { app: 'checkout' };

/** What a policy's HPA goes through, on an API server. */
export function describeNativeHpas(name: string, start: () => Promise<NativeHpaCluster>): void {
  describe(`native HPAs on ${name}`, () => {
    let cluster: NativeHpaCluster;
    let api: ApiConnection;
    let count = 0;
    let fleet: Fleet;

    beforeAll(async () => {
      cluster = await start();
      api = await connectWith(cluster.kubeconfig);
    }, startMilliseconds);

    afterAll(async () => {
      await api.close();
      await cluster.stop();
    });

    beforeEach(async () => {
      count += 1;
      fleet = await openFleet(cluster.kubeconfig, api, `shop-${count}`);
    });

    afterEach(() => fleet.stop());

    it('are made for every type of metric, taken as they are, and written once', async () => {
      await fleet.createTarget();
      fleet.put(aDocument({ metrics: everyMetric, behavior }));
      await fleet.start();
      expect(await fleet.pass()).toBe('Done/HpaCreated');
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/Unchanged');
      expect(await fleet.pass()).toBe('Done/Unchanged');
      expect(fleet.actuations()).toEqual(['Create → Applied']);
      expect(fleet.ledger.payloadsOf('ActuationOutcome')).toMatchObject([{ dropped: [] }]);
      const hpa = await fleet.readHpa();
      expect(hpa.metadata).toMatchObject({
        labels: { 'app.kubernetes.io/instance': 'checkout', 'app.kubernetes.io/managed-by': 'plimsoll' },
        ownerReferences: [{ kind: 'Deployment', name: 'checkout', controller: true }],
      });
      expect(hpa.spec['metrics']).toHaveLength(everyMetric.length);
    });

    it('follow the policy, and are corrected where somebody edits them', async () => {
      await fleet.createTarget();
      fleet.put(aDocument({}));
      await fleet.start();
      await fleet.pass();
      fleet.put(aDocument({ maxReplicas: 7 }));
      expect(await fleet.pass()).toBe('Done/HpaUpdated');
      expect((await fleet.readHpa()).spec['maxReplicas']).toBe(7);
      await fleet.editHpa('kubectl-edit', { maxReplicas: 99, behavior });
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/HpaUpdated');
      const { spec } = await fleet.readHpa();
      expect(spec['maxReplicas']).toBe(7);
      expect(spec['behavior']).toBeUndefined();
      expect(fleet.ledger.payloadsOf('ActuationOutcome').at(-1)).toMatchObject({
        verb: 'Update',
        drift: { kind: 'Edited', manager: 'kubectl-edit' },
        differences: expect.arrayContaining([{ field: 'spec.maxReplicas', found: '99', wanted: '7' }]),
      });
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/Unchanged');
    });

    it('of others are left alone, and taken over where the policy says so', async () => {
      await fleet.createTarget();
      await fleet.createHpa('helm', { maxReplicas: 5 });
      fleet.put(aDocument({ maxReplicas: 5 }));
      await fleet.start();
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Stalled/Conflict');
      expect(await fleet.pass()).toBe('Stalled/Conflict');
      fleet.put(aDocument({ maxReplicas: 6 }, { 'plimsoll.dev/adopt': 'IfEqual' }));
      expect(await fleet.pass()).toBe('Stalled/Conflict');
      fleet.put(aDocument({ maxReplicas: 5 }, { 'plimsoll.dev/adopt': 'IfEqual' }));
      expect(await fleet.pass()).toBe('Done/HpaAdopted');
      expect(fleet.ledger.payloadsOf('StrategyChange').at(-1)).toMatchObject({
        field: 'adoption',
        before: 'helm',
      });
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/Unchanged');
    });

    it('are deleted when the policy is carried out otherwise, and the count is restored after that', async () => {
      await fleet.createTarget();
      const rendered = anAutoscalingPolicy({ actuation: 'HorizontalPodAutoscaler', replicas: 2 });
      fleet.put(rendered);
      await fleet.start();
      await fleet.pass();
      fleet.put(anAutoscalingPolicy({ actuation: 'HorizontalPodAutoscaler', replicas: 2, enabled: false }));
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/HpaDeleted');
      await fleet.untilGone();
      expect(await fleet.pass()).toBe('Done/Scaled');
      expect(await fleet.replicas()).toBe(2);
    });

    it('that a server refuses are told, and not written again', async () => {
      await fleet.createTarget();
      fleet.put(aDocument({ minReplicas: 0, metrics: everyMetric }));
      await fleet.start();
      const outcomes = [await fleet.pass(), await fleet.pass(), await fleet.pass()];
      expect(outcomes).toEqual(Array<string>(3).fill('Stalled/FieldNotSupported'));
      expect(fleet.actuations()).toEqual(['Create → Failed']);
    });

    it('of which a field is dropped are told, and not written again', async () => {
      await fleet.createTarget();
      fleet.put(aDocument({ behavior: { scaleUp: { tolerance: '0.05' } } }));
      await fleet.start({ drops: 'Tolerance' });
      const outcomes = [await fleet.pass()];
      await fleet.untilListed();
      outcomes.push(await fleet.pass(), await fleet.pass());
      expect(outcomes).toEqual(Array<string>(3).fill('Stalled/FieldNotSupported'));
      expect(fleet.actuations()).toEqual(['Create → Applied']);
    });

    it.each(['Yes', 'No'] as const)(
      'are found again by a process that goes on after a kill in the write (made: %s)',
      async (made) => {
        await fleet.createTarget();
        fleet.put(aDocument({}));
        await fleet.start({ killedInWrite: made });
        await fleet.passUntilKilled();
        await fleet.start();
        await fleet.pass();
        await fleet.untilListed();
        expect(await fleet.pass()).toBe('Done/Unchanged');
        expect(fleet.actuations()).toEqual(
          made === 'Yes' ? ['Create → Applied'] : ['Create → Failed', 'Create → Applied'],
        );
      },
    );

    it('go with their target, and come anew with a new one', async () => {
      await fleet.createTarget();
      fleet.put(aDocument({}));
      await fleet.start();
      await fleet.pass();
      const before = (await fleet.readHpa()).metadata['uid'];
      await fleet.deleteTarget();
      await fleet.untilGone();
      expect(await fleet.pass()).toBe('Failed/FailedGetScale');
      await fleet.createTarget();
      await eventually({
        description: 'the HPA of the new target',
        timeoutMilliseconds,
        probe: async () => ((await fleet.pass()) === 'Done/HpaCreated' ? true : undefined),
      });
      expect((await fleet.readHpa()).metadata['uid']).not.toBe(before);
      expect(fleet.ledger.payloadsOf('ActuationIntent').map(({ drift }) => drift)).toEqual([null, null]);
    });
  });
}

interface HpaObject {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

/** One namespace with a target, and the process that carries its policy out. */
interface Fleet {
  readonly ledger: InMemoryLedger;
  readonly put: (document: JsonObject) => void;
  /** A new process; the one before is dead. */
  readonly start: (fault?: {
    readonly killedInWrite?: 'Yes' | 'No';
    readonly drops?: 'Tolerance';
  }) => Promise<void>;
  /** One pass, and what it came to. */
  readonly pass: () => Promise<string | undefined>;
  readonly passUntilKilled: () => Promise<void>;
  readonly actuations: () => readonly string[];
  readonly createTarget: () => Promise<void>;
  readonly deleteTarget: () => Promise<void>;
  readonly replicas: () => Promise<unknown>;
  readonly createHpa: (manager: string, spec: JsonObject) => Promise<void>;
  readonly editHpa: (manager: string, changes: JsonObject) => Promise<void>;
  readonly readHpa: () => Promise<HpaObject>;
  /** Until the watch shows the HPA as the API server has it. */
  readonly untilListed: () => Promise<void>;
  readonly untilGone: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

async function openFleet(kubeconfig: string, api: ApiConnection, namespace: string): Promise<Fleet> {
  const hpas = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
  const targets = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
    const answer = await api.call({ method, path, ...(body !== undefined && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as JsonObject;
  };
  await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const ledger = new InMemoryLedger();
  const activePolicies = new FakeActivePolicies();
  const clock = new FakeClock(new Date().toISOString());
  const reports = new FakePassReports();
  const kubernetes = openKubernetes({
    connection: { kind: 'Explicit', kubeconfig },
    namespaces: [namespace],
    log: new FakeLog(),
  });
  kubernetes.start();
  await kubernetes.whenSynced(timeoutMilliseconds);
  let reconciler: Reconciler | undefined;
  let killed = Promise.withResolvers<undefined>();
  const listed = () => {
    const listing = kubernetes.autoscalers.listAutoscalers(namespace);
    return listing.state === 'Synced' ? listing.autoscalers : [];
  };
  const readHpa = async () => (await send('GET', `${hpas}/checkout`)) as unknown as HpaObject;
  const hpaDocument = (spec: JsonObject): JsonObject => ({
    metadata: { name: 'checkout' },
    spec: { scaleTargetRef: aTarget, ...spec },
  });
  return {
    ledger,
    put: (document) => {
      activePolicies.policies = [activeOf(document, namespace)];
    },
    start: async ({ killedInWrite, drops } = {}) => {
      killed = Promise.withResolvers();
      const kill = () => killed.resolve(undefined);
      const whole = drops === undefined ? kubernetes.autoscalers : withoutTolerance(kubernetes.autoscalers);
      const port = killedInWrite === undefined ? whole : deadly(kubernetes, killedInWrite, kill);
      reconciler = await startReconciler({ kubernetes, port, ledger, activePolicies, clock, reports });
    },
    pass: async () => {
      clock.advance(15_000);
      await reconciler?.sweep();
      return reports.outcomesOf(`${namespace}/checkout`).at(-1);
    },
    passUntilKilled: async () => {
      clock.advance(15_000);
      void reconciler?.sweep();
      await killed.promise;
    },
    actuations: () =>
      ledger
        .payloadsOf('ActuationOutcome')
        .map((payload) => `${payload['verb'] as string} → ${payload['result'] as string}`),
    createTarget: async () => {
      const template = {
        metadata: { labels: strange },
        spec: { containers: [{ name: 'a', image: 'none' }] },
      };
      const spec = { replicas: 0, selector: { matchLabels: strange }, template };
      await send('POST', targets, { metadata: { name: 'checkout' }, spec });
    },
    deleteTarget: async () => {
      await send('DELETE', `${targets}/checkout`);
    },
    replicas: async () => {
      const { spec } = await send('GET', `${targets}/checkout/scale`);
      return isJsonObject(spec) ? spec['replicas'] : undefined;
    },
    createHpa: async (manager, spec) => {
      await send('POST', `${hpas}?fieldManager=${manager}`, hpaDocument(spec));
    },
    editHpa: async (manager, changes) => {
      const hpa = await readHpa();
      const body = { ...hpa, spec: { ...hpa.spec, ...changes } };
      await send('PUT', `${hpas}/checkout?fieldManager=${manager}`, body);
    },
    readHpa,
    untilListed: async () => {
      await eventually({
        description: 'the HPA in the cache',
        timeoutMilliseconds,
        intervalMilliseconds: 20,
        probe: async () => {
          const { metadata } = await readHpa();
          const isCurrent = listed().some(
            ({ resourceVersion }) => resourceVersion === metadata['resourceVersion'],
          );
          return isCurrent ? true : undefined;
        },
      });
    },
    untilGone: async () => {
      await eventually({
        description: 'the HPA to be gone',
        timeoutMilliseconds,
        intervalMilliseconds: 20,
        probe: () => Promise.resolve(listed().length === 0 ? true : undefined),
      });
    },
    stop: async () => {
      await kubernetes.stop();
    },
  };
}

interface ProcessParts {
  readonly kubernetes: Kubernetes;
  readonly port: NativeAutoscalersPort;
  readonly ledger: InMemoryLedger;
  readonly activePolicies: FakeActivePolicies;
  readonly clock: FakeClock;
  readonly reports: FakePassReports;
}

async function startReconciler(parts: ProcessParts): Promise<Reconciler> {
  const { kubernetes, port, ledger, activePolicies, clock, reports } = parts;
  const fence = ledger.fences.takeOver('ledger');
  const writer = new LedgerWriter({ port: ledger, fence, cluster: 'test' });
  const { pods, owners, objects, scales: scale, replicaChanges, events: kubernetesEvents } = kubernetes;
  const cluster = { pods, owners, objects, scale, replicaChanges, kubernetesEvents, nativeAutoscalers: port };
  const [metrics, recommenders, windows] = [new FakeMetrics(), new FakeRecommenders(), new FakeWindows()];
  const log = new FakeLog();
  const reconciler = new Reconciler({
    ports: {
      ...cluster,
      competingAutoscalers: kubernetes.competingAutoscalers,
      activePolicies,
      metrics,
      recommenders,
      windows,
      interventions: new StandingInterventions({ ledger, writer, clock }),
      ledger,
      writer,
      journal: new FakeJournal(),
      clock,
      log,
      reports,
    },
    options: reconcileOptions,
  });
  await reconciler.restore();
  return reconciler;
}

/** The port of a process that is killed in its first creation: nothing after it is answered. */
function deadly({ autoscalers }: Kubernetes, made: 'Yes' | 'No', kill: () => void): NativeAutoscalersPort {
  const forever = new Promise<never>(() => undefined);
  return {
    listAutoscalers: (namespace) => autoscalers.listAutoscalers(namespace),
    listOwned: () => autoscalers.listOwned(),
    serverVersion: () => autoscalers.serverVersion(),
    readAutoscaler: (hpa, signal) => autoscalers.readAutoscaler(hpa, signal),
    createAutoscaler: async (document, signal) => {
      if (made === 'Yes') await autoscalers.createAutoscaler(document, signal);
      kill();
      return forever;
    },
    replaceAutoscaler: () => forever,
    deleteAutoscaler: () => forever,
  };
}

/** What an API server makes of an HPA whose HPAConfigurableTolerance gate is off. */
function withoutTolerance(port: NativeAutoscalersPort): NativeAutoscalersPort {
  const stripped = (document: JsonObject): JsonObject =>
    JSON.parse(JSON.stringify(document), (key, value: unknown) =>
      key === 'tolerance' ? undefined : value,
    ) as JsonObject;
  return {
    listAutoscalers: (namespace) => port.listAutoscalers(namespace),
    listOwned: () => port.listOwned(),
    serverVersion: () => port.serverVersion(),
    readAutoscaler: (hpa, signal) => port.readAutoscaler(hpa, signal),
    createAutoscaler: (document, signal) => port.createAutoscaler(stripped(document), signal),
    replaceAutoscaler: ({ document, observed }, signal) =>
      port.replaceAutoscaler({ document: stripped(document), observed }, signal),
    deleteAutoscaler: (write, signal) => port.deleteAutoscaler(write, signal),
  };
}

const aTarget = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' };

function aDocument(spec: JsonObject, annotations: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'checkout', annotations },
    spec: { scaleTargetRef: aTarget, maxReplicas: 5, ...spec },
  };
}

function anAutoscalingPolicy(spec: JsonObject): JsonObject {
  return {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name: 'checkout' },
    spec: { scaleTargetRef: aTarget, maxReplicas: 5, ...spec },
  };
}

function activeOf(document: JsonObject, namespace: string): ActivePolicy {
  const metadata = isJsonObject(document['metadata']) ? document['metadata'] : {};
  const policy = parsePolicyJson({ ...document, metadata: { ...metadata, namespace } });
  if (!policy.ok) throw new Error(JSON.stringify(policy.error));
  const active = anActivePolicy();
  version += 1;
  const commit = { ...active.origin.commit, hash: String(version).padStart(40, '0') };
  return { policy: policy.value, document, origin: { ...active.origin, commit } };
}

let version = 0;

const selector = {
  matchLabels: { queue: 'orders' },
  matchExpressions: [{ key: 'tier', operator: 'Exists' }],
};
const everyMetric: readonly JsonObject[] = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '0.5Gi' } } },
  {
    type: 'ContainerResource',
    containerResource: {
      name: 'cpu',
      container: 'application',
      target: { type: 'Utilization', averageUtilization: 70 },
    },
  },
  { type: 'Pods', pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: 1000 } } },
  {
    type: 'Object',
    object: {
      describedObject: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'main' },
      metric: { name: 'hits' },
      target: { type: 'Value', value: '2k' },
    },
  },
  {
    type: 'External',
    external: {
      metric: { name: 'queue_messages_ready', selector },
      target: { type: 'AverageValue', averageValue: '1500m' },
    },
  },
];
const behavior = {
  scaleUp: { tolerance: '50m', policies: [{ type: 'Pods', value: 2, periodSeconds: 60 }] },
  scaleDown: { stabilizationWindowSeconds: 120, selectPolicy: 'Min' },
};
