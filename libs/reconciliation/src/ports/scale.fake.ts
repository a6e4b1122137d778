import type { ScaleTarget } from '../policies/scale-target.ts';
import type { ReplicaChangeListener } from './replica-changes.port.ts';
import type {
  Rollout,
  ScalePort,
  ScaleQuery,
  ScaleReading,
  ScaleState,
  ScaleWrite,
  ScaleWriteFailure,
  ScaleWriteOutcome,
  VersionRetirement,
  VersionRetirementOutcome,
} from './scale.port.ts';

/** What goes wrong with the next write of a {@link FakeScales}. */
export type FakeWriteFault =
  | { readonly kind: 'Fails'; readonly failure: ScaleWriteFailure }
  /**
   * The answer is lost, or says nothing (`code`); `taken` says whether the write was made, `made` the count that admission
   * made of it.
   */
  | { readonly kind: 'Lost'; readonly taken: 'Yes' | 'No'; readonly made?: number; readonly code?: string }
  /** It is delivered twice, and the second answer is handed on; `made`: the count that admission made of it. */
  | { readonly kind: 'Twice'; readonly made?: number }
  /** Another client writes first, and may change the selector too. */
  | {
      readonly kind: 'Overtaken';
      readonly replicas: number;
      readonly selector?: string;
      readonly manager?: string | null;
    }
  /** Admission makes another count of it. */
  | { readonly kind: 'Kept'; readonly replicas: number }
  /** It waits, before it is made or after, and then has an answer or none. */
  | {
      readonly kind: 'Waits';
      readonly until: Promise<unknown>;
      readonly taken: 'Before' | 'After';
      readonly answer: 'Given' | 'Lost';
    }
  /** No answer ever comes; `taken` says whether the write was made. */
  | { readonly kind: 'Hangs'; readonly taken: 'Yes' | 'No'; readonly made?: number }
  /** No answer ever comes, and the request is under way until {@link FakeScales.deliverLate}. */
  | { readonly kind: 'Late' };

/** Scales in memory with resource versions, a writer and faults. */
export class FakeScales implements ScalePort {
  /** Every write that was made, in order. */
  readonly writes: { readonly target: string; readonly from: number; readonly to: number }[] = [];
  /** Every read that was asked for, in order. */
  readonly reads: ScaleQuery[] = [];
  /** Every version that was made a former one, in order. */
  readonly retired: { readonly target: string; readonly version: string }[] = [];
  /** What the coming retirements of versions come to, in order; a function acts first, as another manager would. */
  readonly retirements: (
    Extract<VersionRetirementOutcome, { readonly kind: 'Refused' | 'Unknown' }> | (() => void)
  )[] = [];
  /** Faults of the coming writes, in order. */
  readonly faults: FakeWriteFault[] = [];
  readonly #late: ScaleWrite[] = [];
  readonly #watched = new Set<string>();
  readonly #states = new Map<string, ScaleState>();
  readonly #unreadable = new Map<string, string>();
  readonly #listeners = new Set<ReplicaChangeListener>();
  #version = 100;

  /** Tells of every change of replicas, as a watch does. */
  watch(listener: ReplicaChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Puts a scale there, as another manager would. */
  set(
    target: ScaleTarget,
    replicas: number,
    by: { readonly selector?: string; readonly manager?: string | null } = {},
  ): void {
    const { selector, manager = 'kubectl' } = by;
    const before = this.#states.get(keyOf(target));
    this.#put(target, {
      uid: before?.uid ?? `uid-of-${target.name}`,
      selector: selector ?? before?.selector ?? `app=${target.name}`,
      specReplicas: replicas,
      ...(manager !== null && { writer: { manager, time: '2026-11-20T12:00:00.000Z' } }),
    });
  }

  /** Deletes the target and makes another of its name. */
  replace(target: ScaleTarget, replicas: number): void {
    const uid = `${this.#states.get(keyOf(target))?.uid ?? 'uid'}-anew`;
    const writer = { manager: 'kubectl', time: '2026-11-20T12:00:00.000Z' };
    this.#version += 100;
    this.#put(target, { uid, selector: `app=${target.name}`, specReplicas: replicas, writer });
  }

  /** What the target's status says of its rollout, until its scale changes. */
  roll(target: ScaleTarget, rollout: Rollout): void {
    const state = this.#states.get(keyOf(target));
    if (state !== undefined) this.#states.set(keyOf(target), { ...state, rollout });
  }

  /** Makes reads of this target fail until {@link mend}. */
  breakReads(target: ScaleTarget, message: string): void {
    this.#unreadable.set(keyOf(target), message);
  }

  /** Ends {@link breakReads}. */
  mend(target: ScaleTarget): void {
    this.#unreadable.delete(keyOf(target));
  }

  /** Takes the target away. */
  remove(target: ScaleTarget): void {
    this.#states.delete(keyOf(target));
  }

  /** `spec.replicas` now; undefined: there is no such scale. */
  replicasOf(target: ScaleTarget): number | undefined {
    return this.#states.get(keyOf(target))?.specReplicas;
  }

  /** Nothing is watched, so that every scale is read, but for what is in {@link addWatched}. */
  cachedScale(target: ScaleTarget): ScaleState | undefined {
    return this.#watched.has(keyOf(target)) ? this.#states.get(keyOf(target)) : undefined;
  }

  /** From now on the scale is watched. */
  addWatched(target: ScaleTarget): void {
    this.#watched.add(keyOf(target));
  }

  readScale(query: ScaleQuery): Promise<ScaleReading> {
    this.reads.push(query);
    const { target } = query;
    const broken = this.#unreadable.get(keyOf(target));
    if (broken !== undefined)
      return Promise.resolve({ error: { reason: 'FailedGetScale', message: broken }, cause: 'Failed' });

    const state = this.#states.get(keyOf(target));
    if (state !== undefined) return Promise.resolve({ state });
    const message = `${target.kind} ${target.namespace}/${target.name} not found`;
    return Promise.resolve({ error: { reason: 'FailedGetScale', message }, cause: 'NotFound' });
  }

  writeScale(write: ScaleWrite, signal: AbortSignal): Promise<ScaleWriteOutcome> {
    const failure = write.unwanted?.() ?? null;
    if (failure !== null) return Promise.resolve({ outcome: 'Failed', failure });
    const fault = this.faults.shift();
    if (fault?.kind === 'Kept') return Promise.resolve(this.#take({ ...write, replicas: fault.replicas }));
    return fault === undefined
      ? Promise.resolve(this.#take(write))
      : this.#takeWith(fault, { write, signal });
  }

  /** Every request that is under way reaches the API server. */
  deliverLate(): void {
    for (const write of this.#late.splice(0)) this.#take(write);
  }

  retireVersion(retirement: VersionRetirement): Promise<VersionRetirementOutcome> {
    const { target, observed } = retirement;
    const failure = retirement.unwanted();
    if (failure !== null) return Promise.resolve({ kind: 'Unknown', message: failure.message });
    const planned = this.retirements.shift();
    if (typeof planned === 'function') planned();
    else if (planned !== undefined) return Promise.resolve(planned);
    const state = this.#states.get(keyOf(target));
    if (state === undefined || state.resourceVersion !== observed.resourceVersion)
      return Promise.resolve({ kind: 'Changed' });
    this.retired.push({ target: keyOf(target), version: observed.resourceVersion });
    return Promise.resolve({ kind: 'Retired', state: this.#put(target, state) });
  }

  #takeWith(
    fault: Exclude<FakeWriteFault, { readonly kind: 'Kept' }>,
    { write, signal }: { readonly write: ScaleWrite; readonly signal: AbortSignal },
  ): Promise<ScaleWriteOutcome> {
    switch (fault.kind) {
      case 'Fails':
        return Promise.resolve({ outcome: 'Failed', failure: fault.failure });
      case 'Lost':
        if (fault.taken === 'Yes') this.#take(madeOf(write, fault.made));
        return Promise.resolve(unanswered(fault.code));
      case 'Twice':
        this.#take(madeOf(write, fault.made));
        return Promise.resolve(this.#take(write));
      case 'Waits':
        return this.#takeSlowly(write, fault);
      case 'Hangs':
        if (fault.taken === 'Yes') this.#take(madeOf(write, fault.made));
        return untilAborted(signal);
      case 'Late':
        this.#late.push(write);
        return untilAborted(signal);
      case 'Overtaken': {
        const { replicas, ...by } = fault;
        this.set(write.target, replicas, by);
        return Promise.resolve(this.#take(write));
      }
    }
  }

  async #takeSlowly(
    write: ScaleWrite,
    { until, taken, answer }: Extract<FakeWriteFault, { readonly kind: 'Waits' }>,
  ): Promise<ScaleWriteOutcome> {
    const before = taken === 'Before' ? this.#take(write) : null;
    await until;
    const outcome = before ?? this.#take(write);
    return answer === 'Given' ? outcome : unanswered();
  }

  #take({ target, observed, replicas }: ScaleWrite): ScaleWriteOutcome {
    const state = this.#states.get(keyOf(target));
    if (state === undefined)
      return { outcome: 'Failed', failure: { code: 'NotFound', message: 'not found', retryable: false } };

    if (state.resourceVersion !== observed.resourceVersion) return { outcome: 'Changed', state };
    this.writes.push({ target: keyOf(target), from: state.specReplicas, to: replicas });
    const writer = { manager: 'plimsoll', time: '2026-11-20T12:00:00.000Z' };
    const { uid, selector } = state;
    return {
      outcome: 'Written',
      state: this.#put(target, { uid, selector, specReplicas: replicas, writer }),
    };
  }

  #publish(target: ScaleTarget, before: ScaleState | undefined, after: ScaleState): void {
    if (before?.uid !== after.uid || before.specReplicas === after.specReplicas) return;
    const { uid, resourceVersion, writer } = after;
    const { manager, time } = writer ?? { manager: null, time: '2026-11-20T12:00:00.000Z' };
    const from = { from: before.specReplicas, fromVersion: before.resourceVersion };
    const change = { target, uid, ...from, to: after.specReplicas, manager, time };
    for (const listener of this.#listeners) listener({ ...change, resourceVersion });
  }

  #put(
    target: ScaleTarget,
    state: Pick<ScaleState, 'uid' | 'selector' | 'specReplicas' | 'writer'>,
  ): ScaleState {
    this.#version += 1;
    const put = { ...state, statusReplicas: state.specReplicas, resourceVersion: String(this.#version) };
    const before = this.#states.get(keyOf(target));
    this.#states.set(keyOf(target), put);
    this.#publish(target, before, put);
    return put;
  }
}

/** What admission makes of a write. */
function madeOf(write: ScaleWrite, replicas = write.replicas): ScaleWrite {
  return { ...write, replicas };
}

function unanswered(code = 'Timeout'): ScaleWriteOutcome {
  return { outcome: 'Unknown', failure: { code, message: 'no answer within 10 s', retryable: true } };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
}

function keyOf({ namespace, kind, name }: ScaleTarget): string {
  return `${namespace}/${kind}/${name}`;
}
