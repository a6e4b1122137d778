import type { LeasePort, LeaseRecord, LeaseVerb, LeaseWrite, StoredLease } from '../lease.port.ts';

/** Leases in memory. It passes the contract suite of the API server's. */
export class InMemoryLeases implements LeasePort {
  readonly #leases = new Map<string, StoredLease>();
  #version = 0;
  /** What every call fails with from now on; null: it answers. */
  failure: Error | null = null;
  readonly rehearsed: string[] = [];

  list(signal?: AbortSignal): Promise<readonly StoredLease[]> {
    const names = [...this.#leases.keys()].sort();
    return this.#answer(() => names.flatMap((name) => this.#leases.get(name) ?? []), signal);
  }

  create(name: string, record: LeaseRecord, signal?: AbortSignal): Promise<LeaseWrite> {
    return this.#answer(() => (this.#leases.has(name) ? conflict : this.#store(name, record)), signal);
  }

  update(observed: StoredLease, record: LeaseRecord, signal?: AbortSignal): Promise<LeaseWrite> {
    const write = (): LeaseWrite =>
      this.#isPresent(observed) ? this.#store(observed.name, record) : conflict;
    return this.#answer(write, signal);
  }

  delete(observed: StoredLease): Promise<void> {
    return this.#answer(() => {
      if (this.#isPresent(observed)) this.#leases.delete(observed.name);
    });
  }

  rehearse(verb: LeaseVerb, name: string): Promise<void> {
    return this.#answer(() => void this.rehearsed.push(`${verb} ${name}`));
  }

  #isPresent({ name, resourceVersion }: StoredLease): boolean {
    return this.#leases.get(name)?.resourceVersion === resourceVersion;
  }

  #store(name: string, record: LeaseRecord): LeaseWrite {
    this.#version += 1;
    const resourceVersion = String(this.#version);
    const uid = this.#leases.get(name)?.uid ?? `uid-${resourceVersion}`;
    const lease = { name, uid, resourceVersion, record };
    this.#leases.set(name, lease);
    return { kind: 'Written', lease };
  }

  #answer<T>(answer: () => T, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return this.failure === null ? Promise.resolve(answer()) : Promise.reject(this.failure);
  }
}

const conflict: LeaseWrite = { kind: 'Conflict' };
