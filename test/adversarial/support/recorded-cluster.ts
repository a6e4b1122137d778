import { setTimeout as delay } from 'node:timers/promises';
import { type Kubernetes, openKubernetes } from '#adapter-kubernetes';
import {
  type AccountedReplicas,
  type AppendBatch,
  type LedgerPort,
  LedgerWriter,
  type ScalingEventPayload,
} from '#ledger';
import { InMemoryLedger, withAppend } from '#ledger/testing';
import { Reconciler, StandingInterventions } from '#reconciliation';
import {
  anActivePolicy,
  anOpenBrake,
  FakeActivePolicies,
  FakeCompetingAutoscalers,
  FakeJournal,
  FakeKubernetesEvents,
  FakeLog,
  FakeMetrics,
  FakeObjects,
  FakeOwners,
  FakePassReports,
  FakeRecommenders,
  FakeShards,
  FakeWindows,
  reconcileOptions,
} from '#reconciliation/testing';
import { type Simulator, startSimulator } from '#simulator';
import { FastClock } from '../../support/fast-clock.ts';
import { aDeployment } from '../../support/simulated-kubernetes.ts';
import type { SeededRandom } from './seeded-random.ts';

const names = ['checkout', 'till'] as const;
type Name = (typeof names)[number];
const others = ['ada', 'grace', 'helm'] as const;
const calmPasses = 6;

/** One change of replicas, as the API server or the ledger has it. */
export interface Change {
  readonly target: string;
  readonly uid: string;
  readonly from: number;
  readonly to: number;
  readonly manager: string | null;
  readonly resourceVersion: string;
}

/** Versions of the target between which a process was down, or died: there, only the sum can be known. */
interface Gap {
  readonly target: string;
  readonly after: bigint;
  readonly upTo: bigint;
}

/**
 * A controller on a simulated API server, on a ledger that outlives it, beside others who scale the same targets, and
 * policies that are renamed, swap their targets and leave.
 */
export class RecordedCluster {
  readonly ledger = new InMemoryLedger();
  readonly #simulator: Simulator;
  readonly #clock = new FastClock();
  readonly #policies = new FakeActivePolicies();
  readonly #metrics = new FakeMetrics();
  readonly #made: Change[] = [];
  readonly #gaps: Gap[] = [];
  /** The policy's name of each target that has one. */
  readonly #policyNames = new Map<string, string>(names.map((name) => [name, name]));
  /** The count that each object was made with. */
  readonly #firstCounts = new Map<string, number>();
  #renamings = 0;
  #process = 0;
  #kubernetes: Kubernetes | undefined;
  #reconciler: Reconciler | undefined;

  private constructor(simulator: Simulator) {
    this.#simulator = simulator;
    simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    simulator.store.subscribe(({ type, object, previous }) => {
      const [from, to] = [replicasOf(previous), replicasOf(object)];
      if (object.kind !== 'Deployment' || to === undefined) return;
      const { name, uid, resourceVersion } = object.metadata;
      if (type === 'ADDED') this.#firstCounts.set(uid, to);
      if (type !== 'MODIFIED' || from === undefined || from === to) return;
      this.#made.push({ target: name, uid, from, to, manager: this.#writer, resourceVersion });
    });
    for (const name of names) {
      simulator.objects.create(aDeployment(name, 4, name));
      this.wants(name, 4);
    }
    this.#putInForce();
  }

  /** Who writes in this process at the moment; else it is the controller, over HTTP. */
  #writer = 'plimsoll';

  static async start(): Promise<RecordedCluster> {
    const cluster = new RecordedCluster(await startSimulator({ controllers: 'ApiOnly' }));
    await cluster.#startProcess();
    await cluster.pass({});
    return cluster;
  }

  /** What the metric of a target's policy asks for from now on. */
  wants(name: Name, replicas: number): void {
    const query = { namespace: 'shop', selector: `app=${name}` };
    this.#metrics.set(query, { kind: 'Answers', metrics: [{ values: [String(replicas)] }] });
  }

  /** The policy of a target has another name. */
  rename(name: Name): void {
    this.#renamings += 1;
    this.#policyNames.set(name, `${name}-${this.#renamings}`);
    this.#putInForce();
  }

  /** The policies of the two targets take each other's. */
  swapTargets(): void {
    const [first, second] = names.map((name) => this.#policyNames.get(name));
    if (first === undefined || second === undefined) return;
    this.#policyNames.set(names[0], second);
    this.#policyNames.set(names[1], first);
    this.#putInForce();
  }

  /** The policy of a target leaves for good. */
  remove(name: Name): void {
    this.#policyNames.delete(name);
    this.#putInForce();
  }

  /** A target is deleted, and made anew with another count. What the watch had not reported by then is not known. */
  async remake(name: Name, replicas: number): Promise<void> {
    await this.#reached(name);
    this.#simulator.objects.delete(deploymentOf(name));
    this.#simulator.objects.create(aDeployment(name, replicas, name));
  }

  #putInForce(): void {
    this.#policies.policies = [...this.#policyNames].map(([target, name]) =>
      anActivePolicy({
        name,
        maxReplicas: 12,
        target: { apiVersion: 'apps/v1', kind: 'Deployment', name: target },
      }),
    );
  }

  async #reached(name: Name): Promise<void> {
    const resourceVersion = this.#simulator.objects.find(deploymentOf(name))?.metadata.resourceVersion ?? '';
    await this.#kubernetes?.replicaChanges.reached(deploymentOf(name), resourceVersion);
  }

  /** One to four changes by others, at once. */
  async scaleByOthers(random: SeededRandom): Promise<void> {
    for (let left = 1 + random.below(4); left > 0; left -= 1) {
      this.#writer = random.pick(others);
      this.#simulator.objects.scale(deploymentOf(random.pick(names)), 1 + random.below(12), this.#writer);
      this.#writer = 'plimsoll';
      if (random.below(2) === 0) await delay(random.below(5));
    }
  }

  /** One interval later, one sweep; others may scale while it runs. */
  async pass(during: { readonly others?: SeededRandom; readonly meanwhile?: () => void }): Promise<void> {
    this.#clock.advance(15_000);
    const sweep = this.#reconciler?.sweep();
    if (during.meanwhile !== undefined) {
      await delay(1);
      during.meanwhile();
    }
    if (during.others !== undefined) await this.scaleByOthers(during.others);
    await sweep;
  }

  /** The next write of the controller fails: before it is made, after it, or with an answer. */
  failWrite(kind: 'Reset' | 'Truncate' | 'Error'): void {
    const fault = kind === 'Error' ? ({ kind, code: 500 } as const) : { kind };
    this.#simulator.faults.add({ match: { verb: 'update' }, fault, times: 1 });
  }

  /** The next write, or the next watch, is slow. */
  slowDown(what: 'put' | 'watch', milliseconds: number): void {
    const match = what === 'put' ? ({ verb: 'update' } as const) : ({ verb: 'watch' } as const);
    this.#simulator.faults.add({ match, fault: { kind: 'Latency', milliseconds }, times: 1 });
  }

  dropWatches(): void {
    this.#simulator.faults.dropWatches();
  }

  /**
   * Kills the process in the middle of a pass, and starts another. Not while a policy is leaving, and not before a target
   * that was made anew has an account: what happened to those until then could not be known.
   */
  async restart(): Promise<void> {
    const known = [...this.#policyNames.values()].map((name) => `policy:shop/${name}`);
    if ([...this.ledger.states.keys()].some((key) => !known.includes(key))) return;
    if (names.some((name) => this.#accountOf(name)?.uid !== this.#uidOf(name))) return;
    this.#clock.advance(15_000);
    void this.#reconciler?.sweep();
    await delay(Math.floor(this.#clock.monotonicMilliseconds()) % 6);
    this.#process += 1;
    const accounted = new Map(
      names.map((name) => [name, BigInt(this.#accountOf(name)?.resourceVersion ?? 0)]),
    );
    await this.#kubernetes?.stop();
    await this.#startProcess();
    const upTo = BigInt(this.#simulator.store.revision);
    for (const [target, after] of accounted) this.#gaps.push({ target, after, upTo });
  }

  #accountOf(name: Name): AccountedReplicas | undefined {
    const policy = this.#policyNames.get(name) ?? '';
    return this.ledger.states.get(`policy:shop/${policy}`)?.account ?? undefined;
  }

  #uidOf(name: Name): string | undefined {
    return this.#simulator.objects.find(deploymentOf(name))?.metadata.uid;
  }

  /** Faults end, and a few passes later everything is recorded. */
  async calmDown(): Promise<void> {
    this.#simulator.faults.clear();
    this.ledger.faults.length = 0;
    // A watch that was cut often connects again after some seconds.
    for (const name of names) await this.#reached(name);
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

  /** Changes outside gaps, from the ledger and from the API server, target by target, each in its order. */
  compare(): { readonly recorded: readonly Change[]; readonly made: readonly Change[] } {
    const known = (changes: readonly Change[]): readonly Change[] =>
      names
        .flatMap((name) => changes.filter(({ target }) => target === name))
        .filter((change) => !this.#isInGap(change));
    return { recorded: known(this.#recorded()), made: known(this.#made) };
  }

  /** Where a recorded change does not begin at the count before it, and where the last is not the present one. */
  gapsInTheRecord(): readonly string[] {
    const gaps: string[] = [];
    const counts = new Map(this.#firstCounts);
    for (const { target, uid, from, to } of this.#recorded()) {
      if (from !== counts.get(uid)) gaps.push(`${target} ${String(counts.get(uid))}, then ${from} → ${to}`);
      counts.set(uid, to);
    }
    for (const name of names) {
      const present = this.#simulator.objects.find(deploymentOf(name));
      const count = counts.get(present?.metadata.uid ?? '');
      if (replicasOf(present) !== count)
        gaps.push(`${name} ${String(count)}, at last ${String(replicasOf(present))}`);
    }
    return gaps;
  }

  /** The policies that the ledger has a state of, and those in force. */
  states(): { readonly kept: readonly string[]; readonly inForce: readonly string[] } {
    const inForce = [...this.#policyNames.values()].map((name) => `policy:shop/${name}`);
    return { kept: [...this.ledger.states.keys()].sort(), inForce: inForce.sort() };
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
      const { target, from, to, manager, resourceVersion } = payload as unknown as ScalingEventPayload;
      const { name, uid } = target;
      return { target: name, uid: uid ?? '', from, to, manager, resourceVersion: resourceVersion ?? '' };
    });
  }

  #isInGap({ target, manager, resourceVersion }: Change): boolean {
    // What happened before the first change that a new process sees.
    if (resourceVersion === '') return manager === null && this.#gaps.length > 0;
    const version = BigInt(resourceVersion);
    return this.#gaps.some((gap) => gap.target === target && version > gap.after && version <= gap.upTo);
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
    await kubernetes.whenSynced(45_000);
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
        brake: anOpenBrake,
        shards: new FakeShards(),
        interventions: new StandingInterventions({ ledger, writer, clock: this.#clock }),
        kubernetesEvents: new FakeKubernetesEvents(),
        ledger,
        writer,
        journal: new FakeJournal(),
        clock: this.#clock,
        log,
        reports: new FakePassReports(),
      },
      options: reconcileOptions,
    });
    await this.#reconciler.take([0]);
  }

  /** What a dead process asks for is never stored. */
  #mortalLedger(): LedgerPort {
    const { ledger } = this;
    const born = this.#process;
    const append = (batch: AppendBatch): ReturnType<LedgerPort['append']> =>
      born === this.#process ? ledger.append(batch) : new Promise(() => undefined);
    return withAppend(ledger, append);
  }
}

function deploymentOf(name: string): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
} {
  return { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name };
}

function replicasOf(object: unknown): number | undefined {
  const spec: unknown = Reflect.get(Object(object) as object, 'spec');
  const replicas: unknown = Reflect.get(Object(spec) as object, 'replicas');
  return typeof replicas === 'number' ? replicas : undefined;
}
