import {
  type Action,
  type Condition,
  type DecideInput,
  type DecideOutput,
  type Decision,
  defaultSettings,
  type Memory,
  type ObservedMetric,
} from '#decision';
import { LedgerWriter } from '#ledger';
import type { EffectivePolicy } from '#policy';
import type { ActivePolicy } from '../model/active-policy.ts';
import { scaleTargetOf } from '../model/scale-target.ts';
import type { ReconcileOptions, ReconcilePorts } from '../pass/pass.ts';
import { FakeActivePolicies } from '../ports/active-policies.fake.ts';
import { FakeClock } from '../ports/clock.fake.ts';
import { FakeKubernetesEvents } from '../ports/kubernetes-events.fake.ts';
import { FakeLog } from '../ports/log.fake.ts';
import { FakeMetrics } from '../ports/metrics.fake.ts';
import { FakeNativeAutoscalers } from '../ports/native-autoscalers.fake.ts';
import { FakeOwners } from '../ports/owners.fake.ts';
import { FakePassReports } from '../ports/pass-reports.fake.ts';
import { FakePods } from '../ports/pods.fake.ts';
import { FakeReplicaChanges } from '../ports/replica-changes.fake.ts';
import { FakeScales } from '../ports/scale.fake.ts';
import { FakeWindows } from '../ports/windows.fake.ts';
import { Reconciler } from '../reconciler.ts';
import { anActivePolicy } from './a-policy.ts';
import { MemoryLedger } from './memory-ledger.ts';

/** A cluster, a ledger and a clock in memory; the reconciler in it can crash and start again. */
export class World {
  readonly activePolicies = new FakeActivePolicies();
  readonly pods = new FakePods();
  readonly owners = new FakeOwners();
  readonly scale = new FakeScales();
  readonly nativeAutoscalers = new FakeNativeAutoscalers();
  readonly metrics = new FakeMetrics();
  readonly windows = new FakeWindows();
  readonly kubernetesEvents = new FakeKubernetesEvents();
  readonly ledger = new MemoryLedger();
  readonly clock = new FakeClock();
  readonly log = new FakeLog();
  reports = new FakePassReports();
  replicaChanges = new FakeReplicaChanges();
  options: ReconcileOptions = {
    mode: 'Act',
    settings: defaultSettings,
    concurrency: 4,
    passTimeoutMilliseconds: 30_000,
    metricsTimeoutMilliseconds: 20_000,
    jitterPercent: 0,
    seed: '',
  };

  /** Puts a policy in force, with a target of so many replicas and one pod. */
  add(changes: Partial<EffectivePolicy>, replicas: number): ActivePolicy {
    const active = anActivePolicy(changes);
    const { namespace, name } = active.policy;
    this.activePolicies.policies = [...this.activePolicies.policies, active];
    this.scale.set(scaleTargetOf(active.policy), replicas);
    this.pods.set({ namespace, selector: `app=${name}` }, [{ name: `${name}-1`, phase: 'Running' }]);
    return active;
  }

  /** What the metric proposes from now on; see {@link propose}. */
  proposes({ policy }: ActivePolicy, replicas: number): void {
    const metrics: ObservedMetric[] = [{ value: String(replicas) }];
    this.metrics.set(queryOf(policy), { kind: 'Answers', metrics });
  }

  /** `spec.replicas` of the policy's target now. */
  replicasOf({ policy }: ActivePolicy): number | undefined {
    return this.scale.replicasOf(scaleTargetOf(policy));
  }

  /** A new process on the same cluster and ledger; the one before is dead, whatever it was doing. */
  async start(): Promise<Reconciler> {
    this.reports = new FakePassReports();
    this.replicaChanges = new FakeReplicaChanges();
    const fence = await this.ledger.takeOver('ledger');
    const writer = new LedgerWriter({ port: this.ledger, fence, cluster: 'test' });
    const reconciler = new Reconciler({
      ports: this.#portsWith(writer),
      engine: { decide: propose, memoryWithoutWrite },
      options: this.options,
    });
    await reconciler.restore();
    return reconciler;
  }

  #portsWith(writer: LedgerWriter): ReconcilePorts {
    const { activePolicies, pods, owners, scale, nativeAutoscalers, metrics, windows } = this;
    const { kubernetesEvents, ledger, clock, log, reports, replicaChanges } = this;
    const seen = { activePolicies, pods, owners, scale, nativeAutoscalers, metrics, windows, replicaChanges };
    return { ...seen, kubernetesEvents, ledger, writer, clock, log, reports };
  }

  /** One interval later, one sweep. */
  async pass(reconciler: Reconciler): Promise<void> {
    this.clock.advance(15_000);
    await reconciler.sweep();
  }
}

/** The fake metrics' key of a policy. */
export function queryOf({ namespace, name }: EffectivePolicy): {
  readonly namespace: string;
  readonly selector: string;
} {
  return { namespace, selector: `app=${name}` };
}

/** Lets everything run that waits for nothing outside. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
}

/**
 * A decision core with one rule: the first metric's value is the count, and an invalid one holds. It remembers counts and
 * changes, so that a test sees which memory a pass began with.
 */
export function propose(input: DecideInput): DecideOutput {
  const { scale } = input.observation;
  const current = 'specReplicas' in scale ? scale.specReplicas : null;
  const held = heldBy(input, current);
  const desired = held === null ? Number(input.observation.metrics?.[0]?.value) : current;
  const change = held === null ? Number(desired) - Number(current) : 0;
  const reason = held?.reason ?? `proposes ${String(desired)}`;
  const { namespace, name, selectionStrategy } = input.policy;
  const decision: Decision = {
    time: input.observation.time,
    policy: { namespace, name },
    currentReplicas: current,
    desiredReplicas: desired,
    action: held === null ? actionOf(change) : 'Hold',
    reason,
    selection: { requested: selectionStrategy, effective: selectionStrategy, fallback: null },
    metrics: [],
    steps: [{ rule: 'proposal', before: current, after: desired, because: reason }],
    conditions: held === null ? [] : [held],
  };
  return { decision, memory: remembered(input, decision, change) };
}

function remembered({ memory, policy }: DecideInput, decision: Decision, change: number): Memory {
  const { time, desiredReplicas } = decision;
  const recommendations = [...(memory.recommendations ?? []), { replicas: desiredReplicas ?? 0, time }];
  const next: Memory = { ...memory, recommendations, selectionStrategy: policy.selectionStrategy };
  if (change === 0) return next;
  const scaleUpEvents = [...(memory.scaleUpEvents ?? []), { replicas: Math.abs(change), time }];
  return { ...next, scaleUpEvents, lastScaleTime: time };
}

function heldBy({ observation }: DecideInput, current: number | null): Condition | null {
  const { metrics, competingPolicies, time } = observation;
  if (current === null) return condition('AbleToScale', 'FailedGetScale', time);
  if ((competingPolicies ?? []).length > 0) return condition('ScalingActive', 'AmbiguousSelector', time);
  const error = metrics?.[0]?.error;
  if (error === undefined || error === null) return null;
  return condition('ScalingActive', error.reason ?? 'FailedGetResourceMetric', time);
}

function actionOf(change: number): Action {
  if (change === 0) return 'None';
  return change > 0 ? 'ScaleUp' : 'ScaleDown';
}

function memoryWithoutWrite({ memory }: DecideInput, output: DecideOutput): Memory {
  const { recommendations, selectionStrategy } = output.memory;
  return { ...memory, recommendations, selectionStrategy };
}

function condition(type: string, reason: string, time: string): Condition {
  return { type, status: 'False', reason, message: reason, lastTransitionTime: time };
}
