import { openKubernetes } from '#adapter-kubernetes';
import { isJsonObject, type JsonObject } from '#kernel';
import type { PolicyDeparture } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { parsePolicyJson } from '#policy';
import type { ActivePolicy, OwnedAutoscaler, StandingInterventions } from '#reconciliation';
import {
  anActivePolicy,
  FakeActivePolicies,
  FakeClock,
  FakeLog,
  FakePassReports,
} from '#reconciliation/testing';
import { eventually } from '../../control-plane/poll.ts';
import type { ApiConnection } from '../kubernetes-api/api-connection.ts';
import { deadly, recordDeparture, type Running, startReconciler, withoutTolerance } from './hpa-process.ts';

export const timeoutMilliseconds = 20_000;

const strange = { app: 'checkout' };

export interface HpaObject {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

/** How a process begins. */
interface StartOptions {
  readonly killedInWrite?: 'Yes' | 'No';
  readonly drops?: 'Tolerance';
  /** On a new ledger, with no policy in force. */
  readonly ledger?: 'Lost';
}

/** One namespace with a target, and the process that carries its policy out. */
export interface Fleet {
  readonly ledger: InMemoryLedger;
  /** Its time of day begins on 2026-11-20 at noon, UTC. */
  readonly clock: FakeClock;
  readonly put: (document: JsonObject) => void;
  /** Takes the policy out of force, and records why. */
  readonly leave: (departure: PolicyDeparture) => Promise<void>;
  /** A new process; the one before is dead. */
  readonly start: (options?: StartOptions) => Promise<void>;
  /** Of the process that runs. */
  readonly interventions: () => StandingInterventions;
  readonly orphans: () => readonly OwnedAutoscaler[];
  /** One pass, and what it came to. */
  readonly pass: () => Promise<string | undefined>;
  /** What is due now, and what it came to. */
  readonly sweep: () => Promise<string | undefined>;
  /** The message of the last pass. */
  readonly said: () => string | undefined;
  readonly passUntilKilled: () => Promise<void>;
  readonly actuations: () => readonly string[];
  readonly createTarget: (replicas?: number) => Promise<void>;
  readonly deleteTarget: () => Promise<void>;
  readonly createNamespace: () => Promise<void>;
  /** Resolves when it is gone, with all that was in it. */
  readonly deleteNamespace: () => Promise<void>;
  readonly replicas: () => Promise<unknown>;
  readonly createHpa: (manager: string, spec: JsonObject) => Promise<void>;
  readonly editHpa: (manager: string, changes: JsonObject) => Promise<void>;
  readonly deleteHpa: () => Promise<void>;
  readonly readHpa: () => Promise<HpaObject>;
  /** Until the watch shows the HPA as the API server has it. */
  readonly untilListed: () => Promise<void>;
  readonly untilGone: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function openFleet(kubeconfig: string, api: ApiConnection, namespace: string): Promise<Fleet> {
  const hpas = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
  const targets = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
    const answer = await api.call({ method, path, ...(body !== undefined && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as JsonObject;
  };
  const createNamespace = async (): Promise<void> => {
    await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  };
  await createNamespace();
  let ledger = new InMemoryLedger();
  const activePolicies = new FakeActivePolicies();
  const clock = new FakeClock();
  const reports = new FakePassReports();
  const kubernetes = openKubernetes({
    connection: { kind: 'Explicit', kubeconfig },
    namespaces: [namespace],
    log: new FakeLog(),
  });
  kubernetes.start();
  await kubernetes.whenSynced(timeoutMilliseconds);
  let running: Running | undefined;
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
  const sweep = async (): Promise<string | undefined> => {
    await running?.reconciler.sweep();
    return reports.outcomesOf(`${namespace}/checkout`).at(-1);
  };
  return {
    get ledger() {
      return ledger;
    },
    clock,
    put: (document) => {
      activePolicies.policies = [activeOf(document, namespace)];
    },
    leave: async (departure) => {
      const left = activePolicies.policies;
      activePolicies.policies = [];
      for (const each of left) await recordDeparture(each, { departure, ledger, time: clock.now() });
    },
    start: async ({ killedInWrite, drops, ledger: kept } = {}) => {
      if (kept === 'Lost') {
        ledger = new InMemoryLedger();
        activePolicies.policies = [];
      }
      killed = Promise.withResolvers();
      const kill = () => killed.resolve(undefined);
      const whole = drops === undefined ? kubernetes.autoscalers : withoutTolerance(kubernetes.autoscalers);
      const port = killedInWrite === undefined ? whole : deadly(kubernetes, killedInWrite, kill);
      running = await startReconciler({
        ...{ kubernetes, port, ledger, activePolicies, clock, reports },
      });
    },
    pass: async () => {
      clock.advance(15_000);
      return sweep();
    },
    sweep,
    said: () => reports.reports.at(-1)?.outcome.message,
    interventions: () => {
      if (running === undefined) throw new Error('no process runs');
      return running.interventions;
    },
    orphans: () => running?.reconciler.listOrphanedHpas() ?? [],
    passUntilKilled: async () => {
      clock.advance(15_000);
      void running?.reconciler.sweep();
      await killed.promise;
    },
    actuations: () =>
      ledger
        .payloadsOf('ActuationOutcome')
        .map((payload) => `${payload['verb'] as string} → ${payload['result'] as string}`),
    createNamespace,
    deleteNamespace: async () => {
      await send('DELETE', `/api/v1/namespaces/${namespace}`);
      await eventually({
        description: 'the namespace to be gone',
        timeoutMilliseconds: 60_000,
        probe: async () => {
          const { status } = await api.call({ method: 'GET', path: `/api/v1/namespaces/${namespace}` });
          return status === 404 || undefined;
        },
      });
    },
    createTarget: async (replicas = 0) => {
      const template = {
        metadata: { labels: strange },
        spec: { containers: [{ name: 'a', image: 'none' }] },
      };
      const spec = { replicas, selector: { matchLabels: strange }, template };
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
    deleteHpa: async () => {
      await send('DELETE', `${hpas}/checkout`);
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

const aTarget = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' };

export function aDocument(spec: JsonObject, annotations: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'checkout', annotations },
    spec: { scaleTargetRef: aTarget, maxReplicas: 5, ...spec },
  };
}

export function anAutoscalingPolicy(spec: JsonObject, annotations: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name: 'checkout', annotations },
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
