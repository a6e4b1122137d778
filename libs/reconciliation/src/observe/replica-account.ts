import type { ReplicaChange } from '../ports/replica-changes.port.ts';
import type { ScaleState } from '../ports/scale.port.ts';

/** A change of replicas that was not ours. */
export interface ExternalChange {
  readonly from: number;
  readonly to: number;
  /** The field manager; null: not known. */
  readonly manager: string | null;
  /** RFC 3339; null: not known, somewhen since the last pass. */
  readonly time: string | null;
}

/** The count that every replica is accounted for up to. */
export interface AccountedReplicas {
  /** Null: restored from a record that does not name it. */
  readonly uid: string | null;
  readonly replicas: number;
  /** Null: restored, so every change that the watch saw is news. */
  readonly resourceVersion: string | null;
}

/** What became known: the new account, and the external changes that lead to it. */
export interface Accounting {
  readonly account: AccountedReplicas;
  readonly changes: readonly ExternalChange[];
}

/**
 * Accounts for every replica between the last pass and the scale that was read now: first by the changes that the watch
 * saw, then, for what no watch saw (a target that is not watched, or the time the controller was down), by the
 * difference itself. Changes at or before the account's resourceVersion are ours or already recorded.
 *
 * A target deleted and made again (another uid) starts a new account: its first count is nobody's change.
 */
export function accountFor(
  before: AccountedReplicas | null,
  seen: readonly ReplicaChange[],
  scale: ScaleState,
): Accounting {
  const account = accountOf(scale);
  if (before === null || (before.uid ?? scale.uid) !== scale.uid) return { account, changes: [] };
  const changes: ExternalChange[] = [];
  let replicas = before.replicas;
  for (const change of seen) {
    if (!isNews(change, before, scale) || change.to === replicas) continue;
    changes.push({ from: replicas, to: change.to, manager: change.manager, time: change.time });
    replicas = change.to;
  }
  if (replicas !== scale.specReplicas) changes.push(unseen(replicas, scale));
  return { account, changes };
}

/** The account that a scale read or written now begins. */
export function accountOf(scale: ScaleState): AccountedReplicas {
  return { uid: scale.uid, replicas: scale.specReplicas, resourceVersion: scale.resourceVersion };
}

function isNews(change: ReplicaChange, before: AccountedReplicas, scale: ScaleState): boolean {
  return (
    change.uid === scale.uid &&
    (before.resourceVersion === null || isLater(change.resourceVersion, before.resourceVersion)) &&
    !isLater(change.resourceVersion, scale.resourceVersion)
  );
}

function unseen(from: number, { specReplicas, writer }: ScaleState): ExternalChange {
  return { from, to: specReplicas, manager: writer?.manager ?? null, time: writer?.time ?? null };
}

/**
 * Whether one resourceVersion is later than another. They are comparable as whole numbers of any length.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions (KEP-5504)
 */
export function isLater(left: string, right: string): boolean {
  return left.length === right.length ? left > right : left.length > right.length;
}
