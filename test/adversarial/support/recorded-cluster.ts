import { setTimeout as delay } from 'node:timers/promises';
import { type Kubernetes, openKubernetes } from '#adapter-kubernetes';
import { type AppendBatch, type LedgerPort, LedgerWriter, type ScalingEventPayload } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { type ClockPort, Reconciler } from '#reconciliation';
import {
  anActivePolicy,
  FakeActivePolicies,
  FakeCompetingAutoscalers,
  FakeKubernetesEvents,
  FakeLog,
  FakeMetrics,
  FakeObjects,
  FakeOwners,
  FakePassReports,
  FakeRecommenders,
  FakeWindows,
  reconcileOptions,
} from '#reconciliation/testing';
import { type Simulator, startSimulator } from '#simulator';
import { aDeployment } from '../../support/simulated-kubernetes.ts';
import type { SeededRandom } from './seeded-random.ts';

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const scalePath = '/apis/apps/v1/namespaces/shop/deployments/checkout/scale';
const others = ['ada', 'grace', 'helm'] as const;
/** How many times as fast as the machine's the clock goes. */
const speed = 20;
const calmPasses = 6;

/** One change of replicas, as the API server or the ledger has it. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly manager: string | null;
  readonly resourceVersion: string;
}

/** Versions of the target between which a process was down, or died: there, only the sum can be known. */
interface Gap {
  readonly after: bigint;
  readonly upTo: bigint;
}

/** Time that goes fast, and is moved on besides. */
class FastClock implements ClockPort {
  #offset = 0;

  now(): string {
    return new Date(Date.parse('2026-11-20T12:00:00Z') + this.monotonicMilliseconds()).toISOString();
  }

  monotonicMilliseconds(): number {
    return performance.now() * speed + this.#offset;
  }

  schedule(milliseconds: number, callback: () => void): () => void {
    const timer = setTimeout(callback, milliseconds / speed);
    return () => clearTimeout(timer);
  }

  noteWork(): void {
    // Nothing watches this thread.
  }

  async nextTurn(): Promise<void> {
    await delay(0);
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }
}

/** A controller on a simulated API server, on a ledger that outlives it, beside others who scale the same target. */
export class RecordedCluster {
  readonly ledger = new InMemoryLedger();
  readonly #simulator: Simulator;
  readonly #clock = new FastClock();
  readonly #policies = new FakeActivePolicies();
  readonly #metrics = new FakeMetrics();
  readonly #made: Change[] = [];
  readonly #gaps: Gap[] = [];
  #process = 0;
  #kubernetes: Kubernetes | undefined;
  #reconciler: Reconciler | undefined;

  private constructor(simulator: Simulator) {
    this.#simulator = simulator;
    this.#policies.policies = [anActivePolicy({ maxReplicas: 12 })];
    this.wants(4);
    simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    simulator.objects.create(aDeployment('checkout', 4));
    simulator.store.subscribe(({ object, previous }) => {
      const [from, to] = [replicasOf(previous), replicasOf(object)];
      if (object.kind !== 'Deployment' || from === undefined || to === undefined || from === to) return;
      const { resourceVersion } = object.metadata;
      this.#made.push({ from, to, manager: this.#writer, resourceVersion });
    });
  }

  /** Who writes in this process at the moment; else it is the controller, over HTTP. */
  #writer = 'plimsoll';

  static async start(): Promise<RecordedCluster> {
    const cluster = new RecordedCluster(await startSimulator({ controllers: 'ApiOnly' }));
    await cluster.#startProcess();
    await cluster.pass({});
    return cluster;
  }

  /** What the policy's metric asks for from now on. */
  wants(replicas: number): void {
    const query = { namespace: 'shop', selector: 'app=checkout' };
    this.#metrics.set(query, { kind: 'Answers', metrics: [{ values: [String(replicas)] }] });
  }

  /** One to four changes by others, at once. */
  async scaleByOthers(random: SeededRandom): Promise<void> {
    for (let left = 1 + random.below(4); left > 0; left -= 1) {
      this.#writer = random.pick(others);
      this.#simulator.objects.scale(deployment, 1 + random.below(12), this.#writer);
      this.#writer = 'plimsoll';
      if (random.below(2) === 0) await delay(random.below(5));
    }
  }

  /** One interval later, one sweep; others may scale while it runs. */
  async pass(during: { readonly others?: SeededRandom }): Promise<void> {
    this.#clock.advance(15_000);
    const sweep = this.#reconciler?.sweep();
    if (during.others !== undefined) await this.scaleByOthers(during.others);
    await sweep;
  }

  /** The next write of the controller fails: before it is made, after it, or with an answer. */
  failWrite(kind: 'Reset' | 'Truncate' | 'Error'): void {
    const fault = kind === 'Error' ? ({ kind, code: 500 } as const) : { kind };
    this.#simulator.faults.add({ match: { verb: 'update', path: scalePath }, fault, times: 1 });
  }

  /** The next write, or the next watch, is slow. */
  slowDown(what: 'put' | 'watch', milliseconds: number): void {
    const match =
      what === 'put' ? ({ verb: 'update', path: scalePath } as const) : ({ verb: 'watch' } as const);
    this.#simulator.faults.add({ match, fault: { kind: 'Latency', milliseconds }, times: 1 });
  }

  dropWatches(): void {
    this.#simulator.faults.dropWatches();
  }

  /** Kills the process in the middle of a pass, and starts another. */
  async restart(): Promise<void> {
    this.#clock.advance(15_000);
    void this.#reconciler?.sweep();
    await delay(Math.floor(this.#clock.monotonicMilliseconds()) % 6);
    this.#process += 1;
    const accounted = this.ledger.states.get('policy:shop/checkout')?.account?.resourceVersion;
    await this.#kubernetes?.stop();
    await this.#startProcess();
    this.#gaps.push({ after: BigInt(accounted ?? 0), upTo: BigInt(this.#simulator.store.revision) });
  }

  /** Faults end, and a few passes later everything is recorded. */
  async calmDown(): Promise<void> {
    this.#simulator.faults.clear();
    this.ledger.faults.length = 0;
    const resourceVersion = this.#simulator.objects.find(deployment)?.metadata.resourceVersion ?? '';
    // A watch that was cut often connects again after some seconds.
    await this.#kubernetes?.replicaChanges.reached(deployment, resourceVersion);
    for (let pass = 0; pass < calmPasses; pass += 1) {
      await this.pass({});
      await delay(20);
    }
  }

  async stop(): Promise<void> {
    await this.#reconciler?.shutdown();
    this.#process += 1;
    await this.#kubernetes?.stop();
    await this.#simulator.stop();
  }

  /** Changes outside gaps, from the ledger and from the API server, each in its order. */
  compare(): { readonly recorded: readonly Change[]; readonly made: readonly Change[] } {
    return {
      recorded: this.#recorded().filter((change) => !this.#isInGap(change)),
      made: this.#made.filter((change) => !this.#isInGap(change)),
    };
  }

  /** Where a recorded change does not begin at the count before it, and where the last is not the present one. */
  gapsInTheRecord(): readonly string[] {
    const gaps: string[] = [];
    let count = 4;
    for (const { from, to } of this.#recorded()) {
      if (from !== count) gaps.push(`${count}, then ${from} → ${to}`);
      count = to;
    }
    const present = replicasOf(this.#simulator.objects.find(deployment));
    return present === count ? gaps : [...gaps, `${count}, at last ${String(present)}`];
  }

  /** Intents whose outcomes are not exactly one. */
  openIntents(): readonly string[] {
    const outcomes = this.ledger.entriesInOrder.flatMap(({ resolvesIntent }) => resolvesIntent ?? []);
    return this.ledger.entriesInOrder
      .filter(({ kind }) => kind === 'ScalingIntent')
      .map(({ stream, seq }) => `${stream}#${seq}`)
      .filter((id) => outcomes.filter((outcome) => outcome === id).length !== 1);
  }

  #recorded(): readonly Change[] {
    return this.ledger.payloadsOf('ScalingEvent').map((payload) => {
      const { from, to, manager, resourceVersion } = payload as unknown as ScalingEventPayload;
      return { from, to, manager, resourceVersion: resourceVersion ?? '' };
    });
  }

  #isInGap({ manager, resourceVersion }: Change): boolean {
    // What happened before the first change that a new process sees.
    if (resourceVersion === '') return manager === null && this.#gaps.length > 0;
    const version = BigInt(resourceVersion);
    return this.#gaps.some(({ after, upTo }) => version > after && version <= upTo);
  }

  async #startProcess(): Promise<void> {
    const { ledger } = this;
    const log = new FakeLog();
    const kubernetes = openKubernetes({
      connection: { kind: 'Explicit', kubeconfig: this.#simulator.kubeconfigYaml },
      namespaces: ['*'],
      log,
    });
    this.#kubernetes = kubernetes;
    kubernetes.start();
    await kubernetes.whenSynced(10_000);
    const fence = await ledger.takeOver('ledger');
    const writer = new LedgerWriter({
      port: this.#mortalLedger(),
      fence,
      cluster: 'test',
      beforeRetry: async () => {
        await delay(5);
        return true;
      },
    });
    const { pods, scales: scale, replicaChanges, autoscalers: nativeAutoscalers } = kubernetes;
    this.#reconciler = new Reconciler({
      ports: {
        activePolicies: this.#policies,
        pods,
        owners: new FakeOwners(),
        objects: new FakeObjects(),
        recommenders: new FakeRecommenders(),
        competingAutoscalers: new FakeCompetingAutoscalers(),
        scale,
        replicaChanges,
        nativeAutoscalers,
        metrics: this.#metrics,
        windows: new FakeWindows(),
        kubernetesEvents: new FakeKubernetesEvents(),
        ledger,
        writer,
        clock: this.#clock,
        log,
        reports: new FakePassReports(),
      },
      options: reconcileOptions,
    });
    await this.#reconciler.restore();
  }

  /** What a dead process asks for is never stored. */
  #mortalLedger(): LedgerPort {
    const { ledger } = this;
    const born = this.#process;
    const append = (batch: AppendBatch): ReturnType<LedgerPort['append']> =>
      born === this.#process ? ledger.append(batch) : new Promise(() => undefined);
    return { ...bound(ledger), append };
  }
}

function bound(ledger: InMemoryLedger): Omit<LedgerPort, 'append'> {
  return {
    heads: (streams) => ledger.heads(streams),
    listHeads: (page) => ledger.listHeads(page),
    entry: (address) => ledger.entry(address),
    entries: (query) => ledger.entries(query),
    newestEntry: (query) => ledger.newestEntry(query),
    streamEntries: (page) => ledger.streamEntries(page),
    pendingIntents: (page) => ledger.pendingIntents(page),
    policyStates: (page) => ledger.policyStates(page),
  };
}

function replicasOf(object: unknown): number | undefined {
  const spec: unknown = Reflect.get(Object(object) as object, 'spec');
  const replicas: unknown = Reflect.get(Object(spec) as object, 'replicas');
  return typeof replicas === 'number' ? replicas : undefined;
}
