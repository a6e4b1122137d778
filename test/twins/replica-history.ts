import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../control-plane/control-plane.ts';

/** Much less than an evaluation's period, so that no count is missed. */
const pollMilliseconds = 150;

interface Deployments {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly replicas: number };
    readonly status: { readonly readyReplicas?: number; readonly replicas?: number };
  }[];
}

/** The counts that each Deployment of a namespace went through, in order. */
export class ReplicaHistory {
  readonly #counts = new Map<string, number[]>();
  readonly #statuses = new Map<string, { readonly made: number; readonly ready: number }>();
  readonly #stopping = new AbortController();
  readonly #polling: Promise<void>;

  constructor(cluster: ControlPlane, namespace: string) {
    this.#polling = this.#poll(cluster, namespace);
  }

  /** From the last {@link begin} on, the count of then first. */
  of(name: string): readonly number[] {
    return this.#counts.get(name) ?? [];
  }

  /** Whether it has so many replicas, made or ready. */
  isAt(name: string, count: number, state: 'Made' | 'Ready' = 'Made'): boolean {
    const { made, ready } = this.#statuses.get(name) ?? { made: 0, ready: 0 };
    return this.of(name).at(-1) === count && (state === 'Made' ? made : ready) === count;
  }

  /** Begins a phase. */
  begin(): void {
    for (const [name, counts] of this.#counts) this.#counts.set(name, counts.slice(-1));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
  }

  async #poll({ api }: ControlPlane, namespace: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const { body } = await api({ path: `/apis/apps/v1/namespaces/${namespace}/deployments` });
      for (const { metadata, spec, status } of (body as Deployments).items) {
        this.#note(metadata.name, spec.replicas);
        this.#statuses.set(metadata.name, { made: status.replicas ?? 0, ready: status.readyReplicas ?? 0 });
      }
      await delay(pollMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }

  #note(name: string, count: number): void {
    const counts = this.#counts.get(name) ?? [];
    this.#counts.set(name, counts);
    if (counts.at(-1) !== count) counts.push(count);
  }
}
