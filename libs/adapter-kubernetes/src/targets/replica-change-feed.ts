import type { ReplicaChange, ReplicaChangeListener, ScaleState, ScaleTarget } from '#reconciliation';
import { isAtLeast } from '../objects/resource-version.ts';
import { targetKey } from './target-key.ts';

interface Waiter {
  readonly resourceVersion: string;
  readonly resolve: () => void;
}

/** Hands every change of a target's replicas to its listeners, and says how far a target has been reported. */
export class ReplicaChangeFeed {
  readonly #listeners = new Set<ReplicaChangeListener>();
  readonly #selectorListeners = new Set<(target: ScaleTarget) => void>();
  readonly #waiting = new Map<string, readonly Waiter[]>();

  subscribe(listener: ReplicaChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  subscribeToSelectors(listener: (target: ScaleTarget) => void): () => void {
    this.#selectorListeners.add(listener);
    return () => this.#selectorListeners.delete(listener);
  }

  /** Reports what differs between two scales of a target. */
  publish(target: ScaleTarget, step: ScaleStep): void {
    const change = replicaChangeOf(target, step);
    if (change !== undefined) for (const listener of this.#listeners) listener(change);
    if (isSelectedAnew(step)) for (const listener of this.#selectorListeners) listener(target);
  }

  /** Every change of the target up to this version has been published. */
  advance(target: ScaleTarget, resourceVersion: string): void {
    if (this.#waiting.size === 0) return;
    const key = targetKey(target);
    const waiters = this.#waiting.get(key) ?? [];
    const isReached = (waiter: Waiter): boolean => isAtLeast(resourceVersion, waiter.resourceVersion);
    const left = waiters.filter((waiter) => !isReached(waiter));
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
    for (const waiter of waiters) if (isReached(waiter)) waiter.resolve();
  }

  /** Resolves when the target has been reported up to this version. */
  whenAdvanced(target: ScaleTarget, resourceVersion: string): Promise<void> {
    const key = targetKey(target);
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, [...waiters, { resourceVersion, resolve }]);
    });
  }
}

/** Two scales of one target, seen one after the other. */
export interface ScaleStep {
  readonly before: ScaleState | undefined;
  readonly after: ScaleState | undefined;
  /** Milliseconds since the epoch: the change's time where managedFields do not say. */
  readonly now: number;
}

/**
 * The change of `spec.replicas` between two scales; undefined where there is none, where they are not of one object, or where
 * they are of one version: nobody wrote then, the kind's definition names another field for the count.
 */
export function replicaChangeOf(
  target: ScaleTarget,
  { before, after, now }: ScaleStep,
): ReplicaChange | undefined {
  if (before === undefined || after === undefined || before.uid !== after.uid) return undefined;
  if (before.specReplicas === after.specReplicas) return undefined;
  if (before.resourceVersion === after.resourceVersion) return undefined;
  const { uid, resourceVersion, writer } = after;
  const isStamped = writer !== undefined && writer.time !== '';
  return {
    target,
    uid,
    from: before.specReplicas,
    fromVersion: before.resourceVersion,
    to: after.specReplicas,
    manager: writer?.manager ?? null,
    time: isStamped ? writer.time : new Date(now).toISOString(),
    resourceVersion,
  };
}

/** Another selector, another object of the name, or none any more: the first sight of a target is none of these. */
function isSelectedAnew({ before, after }: ScaleStep): boolean {
  if (before === undefined) return false;
  return before.uid !== after?.uid || before.selector !== after.selector;
}
