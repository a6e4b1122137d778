import type { Settings } from '#decision';
import type { Semaphore } from '#kernel';
import type { LedgerPort, LedgerWriter } from '#ledger';
import type { FleetBrake } from '../brake/fleet-brake.ts';
import type { PodClaims } from '../claims/pod-claims.ts';
import type { StandingInterventions } from '../interventions/standing-interventions.ts';
import type { VersionEnd } from '../outcome/version-end.ts';
import type { ControllerMode } from '../plan/plan-write.ts';
import type { ActivePoliciesPort } from '../ports/active-policies.port.ts';
import type { ClockPort } from '../ports/clock.port.ts';
import type { CompetingAutoscalersPort } from '../ports/competing-autoscalers.port.ts';
import type { JournalPort } from '../ports/journal.port.ts';
import type { KubernetesEventsPort } from '../ports/kubernetes-events.port.ts';
import type { LogPort } from '../ports/log.port.ts';
import type { MetricsPort, NamespaceMetrics } from '../ports/metrics.port.ts';
import type { NativeAutoscalersPort } from '../ports/native-autoscalers.port.ts';
import type { ObjectsPort } from '../ports/objects.port.ts';
import type { OwnersPort } from '../ports/owners.port.ts';
import type { PassReportsPort } from '../ports/pass-reports.port.ts';
import type { PassSeriesPort } from '../ports/pass-series.port.ts';
import type { PodsPort } from '../ports/pods.port.ts';
import type { RecommendersPort } from '../ports/recommenders.port.ts';
import type { ReplicaChangesPort } from '../ports/replica-changes.port.ts';
import type { ScalePort } from '../ports/scale.port.ts';
import type { ShardsPort } from '../ports/shards.port.ts';
import type { Span, TracesPort } from '../ports/traces.port.ts';
import type { SettledWindowsPort } from '../ports/windows.port.ts';
import type { PolicyRuntime } from '../runtime/policy-runtime.ts';
import type { Deadline } from './deadline.ts';

/** Everything outside that reconciling needs. */
export interface ReconcilePorts {
  readonly activePolicies: ActivePoliciesPort;
  readonly pods: PodsPort;
  readonly owners: OwnersPort;
  readonly objects: ObjectsPort;
  readonly scale: ScalePort;
  readonly replicaChanges: ReplicaChangesPort;
  readonly nativeAutoscalers: NativeAutoscalersPort;
  readonly competingAutoscalers: CompetingAutoscalersPort;
  readonly metrics: MetricsPort;
  readonly recommenders: RecommendersPort;
  readonly windows: SettledWindowsPort;
  readonly interventions: StandingInterventions;
  readonly brake: Pick<FleetBrake, 'note' | 'mayHold'>;
  readonly shards: ShardsPort;
  readonly kubernetesEvents: KubernetesEventsPort;
  readonly ledger: LedgerPort;
  readonly writer: LedgerWriter;
  readonly journal: JournalPort;
  readonly clock: ClockPort;
  readonly log: LogPort;
  readonly reports: PassReportsPort;
  /** Absent: no series are kept. */
  readonly series?: PassSeriesPort;
  /** Absent: no pass is traced. */
  readonly traces?: TracesPort;
}

/** How reconciling is configured. */
export interface ReconcileOptions {
  readonly mode: ControllerMode;
  readonly settings: Settings;
  /** Those whose objects are read and written; `*` is all of them. */
  readonly namespaces: readonly string[];
  /** Requests to the Kubernetes API at the same time. */
  readonly concurrency: number;
  /** A pass that takes longer fails, and stops no other. */
  readonly passTimeoutMilliseconds: number;
  /** Metrics that take longer are invalid; less than a pass, so that the pass can still decide and record. */
  readonly metricsTimeoutMilliseconds: number;
  /** Share of an interval over which the passes of the namespaces are spread; 0 to 50. */
  readonly jitterPercent: number;
  /** Drawn once by the shell; see `DueTimes`. */
  readonly seed: string;
}

/** One reconciliation of one policy. */
export interface Pass {
  readonly ports: ReconcilePorts;
  readonly options: ReconcileOptions;
  readonly runtime: PolicyRuntime;
  /** Looks whether what the pass works with has ended; null: it is in force. */
  readonly versionEnd: () => VersionEnd | null;
  readonly claims: PodClaims;
  /** Bounds the calls to the Kubernetes API at a time, over all passes. */
  readonly semaphore: Semaphore;
  readonly deadline: Deadline;
  /** Its interval has not elapsed: something changed that does not wait for it. */
  readonly isEarly: boolean;
  /** What the pass is timed as. */
  readonly span: Span;
  /** Shared by all passes of the tick over its namespace. */
  readonly metrics: NamespaceMetrics;
}

/** Whether the objects of a namespace may be read and written. */
export function managesNamespace(
  { namespaces }: Pick<ReconcileOptions, 'namespaces'>,
  namespace: string,
): boolean {
  return namespaces.includes('*') || namespaces.includes(namespace);
}
