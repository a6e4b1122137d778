import { LedgerWriter, policyStream, type StrategyChangePayload } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { type ReconcileOptions, Reconciler, scaleTargetOf, StandingInterventions } from '#reconciliation';
import {
  anOpenBrake,
  FakeCompetingAutoscalers,
  FakeJournal,
  FakeKubernetesEvents,
  FakeLog,
  FakeMetrics,
  FakeNativeAutoscalers,
  FakeObjects,
  FakeOwners,
  FakePassReports,
  FakePods,
  FakeRecommenders,
  FakeReplicaChanges,
  FakeScales,
  FakeShards,
  FakeWindows,
  reconcileOptions,
} from '#reconciliation/testing';
import type { SyncBench } from './sync-bench.ts';

const options: ReconcileOptions = { ...reconcileOptions, mode: 'Observe' };

/** Passes over what a sync bench has in force, on a cluster in memory. */
export class PassBench {
  readonly events = new FakeKubernetesEvents();
  readonly #sync: SyncBench;
  readonly #ledger = new InMemoryLedger();
  readonly #scale = new FakeScales();
  #reconciler: Reconciler | undefined;

  constructor(sync: SyncBench) {
    this.#sync = sync;
  }

  /** A process begins: what is in force is restored, with what was recorded of it. */
  async start(): Promise<void> {
    const ledger = this.#ledger;
    const fence = await ledger.takeOver('ledger');
    const { clock } = this.#sync;
    const writer = new LedgerWriter({ port: ledger, fence, cluster: 'test' });
    this.#reconciler = new Reconciler({
      options,
      ports: {
        activePolicies: { listActivePolicies: () => this.#sync.active.listActivePolicies() },
        pods: new FakePods(),
        owners: new FakeOwners(),
        objects: new FakeObjects(),
        recommenders: new FakeRecommenders(),
        competingAutoscalers: new FakeCompetingAutoscalers(),
        scale: this.#scale,
        replicaChanges: new FakeReplicaChanges(),
        nativeAutoscalers: new FakeNativeAutoscalers(),
        metrics: new FakeMetrics(),
        windows: new FakeWindows(),
        brake: anOpenBrake,
        shards: new FakeShards(),
        interventions: new StandingInterventions({ ledger, writer, clock }),
        kubernetesEvents: this.events,
        ledger,
        writer,
        journal: new FakeJournal(),
        clock,
        log: new FakeLog(),
        reports: new FakePassReports(),
      },
    });
    await this.#reconciler.take([0]);
  }

  /** Every policy in force is looked at once. */
  async pass(): Promise<void> {
    for (const { policy } of this.#sync.active.listActivePolicies())
      this.#scale.set(scaleTargetOf(policy), 3);
    this.#sync.clock.advance(60_000);
    await this.#reconciler?.sweep();
  }

  /** The strategy changes of a policy, oldest first. */
  async strategyChanges(namespace: string, name: string): Promise<readonly StrategyChangePayload[]> {
    const { items } = await this.#ledger.entries({
      kinds: ['StrategyChange'],
      stream: policyStream({ namespace, name }),
      order: 'OldestFirst',
      limit: 100,
    });
    return items.flatMap(({ entry }) => (entry.kind === 'StrategyChange' ? [entry.payload] : []));
  }
}
