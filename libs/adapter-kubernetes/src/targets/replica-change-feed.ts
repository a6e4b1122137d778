import type {
  ReplicaChange,
  ReplicaChangeListener,
  ReplicaChangesPort,
  ScaleState,
  ScaleTarget,
} from '#reconciliation';

/** Hands every change of a target's replicas to whoever listens. */
export class ReplicaChangeFeed implements ReplicaChangesPort {
  readonly #listeners = new Set<ReplicaChangeListener>();

  subscribe(listener: ReplicaChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(change: ReplicaChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** Two scales of one target, seen one after the other. */
export interface ScaleStep {
  readonly before: ScaleState | undefined;
  readonly after: ScaleState | undefined;
  /** Milliseconds since the epoch: the change's time where managedFields do not say. */
  readonly now: number;
}

/** The change of `spec.replicas` between two scales; undefined where there is none, or where they are not of one object. */
export function replicaChangeOf(
  target: ScaleTarget,
  { before, after, now }: ScaleStep,
): ReplicaChange | undefined {
  if (before === undefined || after === undefined || before.uid !== after.uid) return undefined;
  if (before.specReplicas === after.specReplicas) return undefined;
  const { uid, resourceVersion, writer } = after;
  const isStamped = writer !== undefined && writer.time !== '';
  return {
    target,
    uid,
    from: before.specReplicas,
    to: after.specReplicas,
    manager: writer?.manager ?? null,
    time: isStamped ? writer.time : new Date(now).toISOString(),
    resourceVersion,
  };
}
