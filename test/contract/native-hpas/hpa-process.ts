import type { Kubernetes } from '#adapter-kubernetes';
import type { JsonObject } from '#kernel';
import { LedgerWriter, type PolicyDeparture, policyStream } from '#ledger';
import type { InMemoryLedger } from '#ledger/testing';
import { CronWindows } from '#policy';
import {
  type ActivePolicy,
  type NativeAutoscalersPort,
  Reconciler,
  SettledWindows,
  StandingInterventions,
} from '#reconciliation';
import {
  anOpenBrake,
  type FakeActivePolicies,
  type FakeClock,
  FakeJournal,
  FakeLog,
  FakeMetrics,
  type FakePassReports,
  FakeRecommenders,
  FakeShards,
  reconcileOptions,
} from '#reconciliation/testing';

export interface ProcessParts {
  readonly kubernetes: Kubernetes;
  readonly port: NativeAutoscalersPort;
  readonly ledger: InMemoryLedger;
  readonly activePolicies: FakeActivePolicies;
  readonly clock: FakeClock;
  readonly reports: FakePassReports;
}

/** A process. */
export interface Running {
  readonly reconciler: Reconciler;
  readonly interventions: StandingInterventions;
}

/** A process that carries out the policies in force. */
export async function startReconciler(parts: ProcessParts): Promise<Running> {
  const { kubernetes, port, ledger, activePolicies, clock, reports } = parts;
  const fence = ledger.fences.takeOver('ledger');
  const writer = new LedgerWriter({ port: ledger, fence, cluster: 'test' });
  const { pods, owners, objects, scales: scale, replicaChanges, events: kubernetesEvents } = kubernetes;
  const cluster = { pods, owners, objects, scale, replicaChanges, kubernetesEvents, nativeAutoscalers: port };
  const [metrics, recommenders] = [new FakeMetrics(), new FakeRecommenders()];
  const interventions = new StandingInterventions({ ledger, writer, clock });
  const log = new FakeLog();
  const windows = new SettledWindows({ windows: new CronWindows(), clock, log });
  const reconciler = new Reconciler({
    ports: {
      ...cluster,
      competingAutoscalers: kubernetes.competingAutoscalers,
      activePolicies,
      metrics,
      recommenders,
      windows,
      interventions,
      brake: anOpenBrake,
      shards: new FakeShards(),
      ledger,
      writer,
      journal: new FakeJournal(),
      clock,
      log,
      reports,
    },
    options: reconcileOptions,
  });
  await reconciler.take([0]);
  return { reconciler, interventions };
}

/** Records why a policy left, as the sync does. */
export async function recordDeparture(
  { policy, document, origin }: ActivePolicy,
  left: { readonly departure: PolicyDeparture; readonly ledger: InMemoryLedger; readonly time: string },
): Promise<void> {
  const { departure, ledger, time } = left;
  const fence = await ledger.takeOver('source/fleet');
  const writer = new LedgerWriter({ port: ledger, fence, cluster: 'test' });
  const { namespace, name } = policy;
  const { commit } = origin;
  const change = { policy: { namespace, name }, source: 'fleet', before: document, after: null };
  const payload = { ...change, departure, commit };
  await writer.append({ drafts: [{ stream: policyStream(policy), time, kind: 'PolicyChange', payload }] });
}

/** The port of a process that is killed in its first creation: nothing after it is answered. */
export function deadly(
  { autoscalers }: Kubernetes,
  made: 'Yes' | 'No',
  kill: () => void,
): NativeAutoscalersPort {
  const forever = new Promise<never>(() => undefined);
  return {
    listAutoscalers: (namespace) => autoscalers.listAutoscalers(namespace),
    listOwned: () => autoscalers.listOwned(),
    askedLately: (name) => autoscalers.askedLately(name),
    serverVersion: () => autoscalers.serverVersion(),
    readAutoscaler: (hpa, signal) => autoscalers.readAutoscaler(hpa, signal),
    createAutoscaler: async (document, signal) => {
      if (made === 'Yes') await autoscalers.createAutoscaler(document, signal);
      kill();
      return forever;
    },
    replaceAutoscaler: () => forever,
    deleteAutoscaler: () => forever,
    retireVersion: () => forever,
  };
}

/** What an API server makes of an HPA whose HPAConfigurableTolerance gate is off. */
export function withoutTolerance(port: NativeAutoscalersPort): NativeAutoscalersPort {
  const stripped = (document: JsonObject): JsonObject =>
    JSON.parse(JSON.stringify(document), (key, value: unknown) =>
      key === 'tolerance' ? undefined : value,
    ) as JsonObject;
  return {
    listAutoscalers: (namespace) => port.listAutoscalers(namespace),
    listOwned: () => port.listOwned(),
    askedLately: (name) => port.askedLately(name),
    serverVersion: () => port.serverVersion(),
    readAutoscaler: (hpa, signal) => port.readAutoscaler(hpa, signal),
    createAutoscaler: (document, signal) => port.createAutoscaler(stripped(document), signal),
    replaceAutoscaler: ({ document, ...write }, signal) =>
      port.replaceAutoscaler({ document: stripped(document), ...write }, signal),
    deleteAutoscaler: (write, signal) => port.deleteAutoscaler(write, signal),
    retireVersion: (retirement, signal) => port.retireVersion(retirement, signal),
  };
}
