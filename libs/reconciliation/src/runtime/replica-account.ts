import type { AccountedReplicas } from '#ledger';
import { plimsollManager } from '../ports/field-manager.ts';
import type { ReplicaChange } from '../ports/replica-changes.port.ts';
import type { ScaleState } from '../ports/scale.port.ts';

/** Changes kept of one policy; beyond it the oldest collapse into one, whose manager is not known. */
const maximumQueuedChanges = 256;

/** One change of replicas that was not ours. */
export interface ExternalChange {
  /** Of the target that was changed: one that is made anew has another. */
  readonly uid: string;
  readonly from: number;
  readonly to: number;
  /** The field manager; null: not known. */
  readonly manager: string | null;
  /** The target's version after it; null: not known. */
  readonly resourceVersion: string | null;
}

/** What became known of a target's replicas since they were accounted for last. */
export interface Accounting {
  /** Oldest first. */
  readonly changes: readonly ExternalChange[];
  readonly accounted: AccountedReplicas;
}

/**
 * Whether the watch has reported every change up to a scale that was read. `Behind`: what differs may still be reported,
 * step by step and with its managers. Of a target that is not watched nothing will be, so it counts as `CaughtUp`.
 */
export type WatchProgress = 'CaughtUp' | 'Behind';

/** A change, ours included; `isReported`: the watch has reported it. */
interface Item extends ExternalChange {
  readonly resourceVersion: string;
  /** Of the count before it; null: it is certain. */
  readonly fromVersion: string | null;
  readonly isOwn: boolean;
  readonly isReported: boolean;
}

/**
 * Accounts for every replica of a policy's target, each change once: changes that the watch reports, our own writes, and,
 * for what no watch saw (a target that is not watched, the time that the controller was down), the difference between the
 * count accounted for and the count that was read. Changes are told apart by the target's version.
 */
export class ReplicaAccount {
  #accounted: AccountedReplicas | null = null;
  #changes: readonly ReplicaChange[] = [];
  /** Writes of ours beyond what is accounted for. */
  #own: readonly Item[] = [];
  /** Up to this version {@link takeLate} has looked; null: nowhere yet. */
  #lateUntil: string | null = null;

  /** What a restart goes on from, our own writes included. Null: nothing was accounted for. */
  get accounted(): AccountedReplicas | null {
    return afterOwn(this.#accounted, this.#own);
  }

  /** Goes on where the last process stopped. */
  restore(accounted: AccountedReplicas | null): void {
    this.#accounted = accounted;
  }

  /** Takes a change from the watch. */
  note(change: ReplicaChange): void {
    const changes = [...this.#changes, change];
    this.#changes = changes.length > maximumQueuedChanges ? changes.slice(1) : changes;
  }

  /** Takes a write of ours that the API server confirmed, so that it is not taken for a change by others. */
  noteOwn(from: number, { uid, specReplicas: to, resourceVersion }: ScaleState): void {
    if (this.#own.some((own) => own.resourceVersion === resourceVersion)) return;
    const own = {
      uid,
      from,
      fromVersion: null,
      to,
      manager: null,
      resourceVersion,
      isOwn: true,
      isReported: false,
    };
    this.#own = [...this.#own, own];
  }

  /** Whether a version of the target is a write of ours beyond what is accounted for. */
  isOwn(resourceVersion: string): boolean {
    return this.#own.some((own) => own.resourceVersion === resourceVersion);
  }

  /**
   * Writes of ours that were believed lost, and were made before a scale that was read: by our field manager, and none that
   * was noted. Each is returned once.
   */
  takeLate(scale: ScaleState): readonly ExternalChange[] {
    const until = this.#lateUntil;
    const { changes } = this.accountFor(scale, 'CaughtUp');
    if (changes.length === 0) return changes;
    this.#lateUntil = scale.resourceVersion;
    return changes.filter(
      ({ manager, resourceVersion }) =>
        manager === plimsollManager &&
        resourceVersion !== null &&
        (until === null || isLater(resourceVersion, until)),
    );
  }

  /**
   * The changes from the count accounted for to a scale that was read. They are returned again until {@link accept} takes them.
   *
   * A target that was deleted and made again (another uid) goes on with its own changes: its first count is no change.
   */
  accountFor(scale: ScaleState, progress: WatchProgress): Accounting {
    const before = this.#accounted;
    if (before === null) return { changes: [], accounted: accountedAt(scale) };
    const from = { ...before, uid: before.uid ?? scale.uid };
    const items = this.#itemsAfter(from).filter(
      ({ resourceVersion }) => !isLater(resourceVersion, scale.resourceVersion),
    );
    if (progress === 'Behind') return accountForReported(from, items);
    const { changes, uid, replicas } = follow(from, items);
    const isDifferent = uid === scale.uid && replicas !== scale.specReplicas;
    return {
      changes: isDifferent ? [...changes, unseenChange(replicas, scale)] : changes,
      accounted: accountedAt(scale),
    };
  }

  /** The same where there is no scale to read: what the watch has reported, and our own writes. */
  accountForKnown(): Accounting | null {
    const before = this.#accounted;
    if (before === null) return null;
    const items = this.#itemsAfter(before);
    const [first] = items;
    if (first === undefined) return { changes: [], accounted: before };
    const { changes, ...accounted } = follow({ ...before, uid: before.uid ?? first.uid }, items);
    return { changes, accounted };
  }

  /** What a restart goes on from once an accounting is durable. */
  accountedAfter({ accounted }: Accounting): AccountedReplicas {
    if (this.#own.length === 0) return accounted;
    return afterOwn(accounted, this.#own.filter(isBeyond(accounted))) ?? accounted;
  }

  /** Takes an accounting whose changes are durable. */
  accept({ accounted }: Accounting): void {
    this.#accounted = accounted;
    if (this.#changes.length > 0) this.#changes = this.#changes.filter(isBeyond(accounted));
    if (this.#own.length > 0) this.#own = this.#own.filter(isBeyond(accounted));
  }

  /** Changes after the account, in the order of their versions, each once. */
  #itemsAfter(before: AccountedReplicas): readonly Item[] {
    if (this.#own.length === 0 && this.#changes.length === 0) return [];
    const ownByVersion = new Map(this.#own.map((own) => [own.resourceVersion, own]));
    const reportedVersions = new Set(this.#changes.map(({ resourceVersion }) => resourceVersion));
    const reported = this.#changes.map((change): Item => ({
      ...change,
      isOwn: false,
      ...ownByVersion.get(change.resourceVersion),
      isReported: true,
    }));
    const unreported = this.#own.filter(({ resourceVersion }) => !reportedVersions.has(resourceVersion));
    return [...reported, ...unreported].filter(isBeyond(before)).sort(byVersion);
  }
}

/** A count that changes are followed from, and the object that has it. */
interface Position extends AccountedReplicas {
  readonly uid: string;
}

/** Where the watch is behind, what it reported without a gap is certain, and the rest is left to a later pass. */
function accountForReported(before: Position, items: readonly Item[]): Accounting {
  let at = before;
  const certain: Item[] = [];
  for (const item of items) {
    if (!item.isReported || (item.uid === at.uid && countBefore(item, at) !== at.replicas)) break;
    certain.push(item);
    at = after(item);
  }
  const { changes } = follow(before, certain);
  return { changes, accounted: at };
}

/**
 * Walks along changes. Where one does not begin at the count before it, an unseen change lies between; the first of
 * another object begins at the count that it was made with.
 */
function follow(
  before: Position,
  items: readonly Item[],
): Position & { readonly changes: readonly ExternalChange[] } {
  let at = before;
  const changes: ExternalChange[] = [];
  for (const item of items) {
    const { uid, to, manager, resourceVersion } = item;
    const from = uid === at.uid ? countBefore(item, at) : item.from;
    if (uid === at.uid && from !== at.replicas)
      changes.push({ uid, from: at.replicas, to: from, manager: null, resourceVersion: null });
    if (!item.isOwn && from !== to) changes.push({ uid, from, to, manager, resourceVersion });
    at = after(item);
  }
  return { ...at, changes };
}

/**
 * The count that an item changed. A report after a gap begins at the count that the watch knew before it, which is not
 * the one that was changed where a later one is known: then the report says no more than the count that it ends at.
 */
function countBefore({ from, fromVersion }: Item, at: Position): number {
  const isOutdated =
    fromVersion !== null && at.resourceVersion !== null && isLater(at.resourceVersion, fromVersion);
  return isOutdated ? at.replicas : from;
}

function after({ uid, to, resourceVersion }: Item): Position {
  return { uid, replicas: to, resourceVersion };
}

function unseenChange(
  from: number,
  { uid, specReplicas, resourceVersion, writer }: ScaleState,
): ExternalChange {
  return { uid, from, to: specReplicas, manager: writer?.manager ?? null, resourceVersion };
}

function accountedAt({ uid, specReplicas, resourceVersion }: ScaleState): AccountedReplicas {
  return { uid, replicas: specReplicas, resourceVersion };
}

function afterOwn(accounted: AccountedReplicas | null, own: readonly Item[]): AccountedReplicas | null {
  const last = own.at(-1);
  if (last === undefined) return accounted;
  return { uid: last.uid, replicas: last.to, resourceVersion: last.resourceVersion };
}

/** Whether a change is later than what is accounted for, whichever object of the name it is of. */
function isBeyond({
  resourceVersion,
}: AccountedReplicas): (change: { readonly resourceVersion: string }) => boolean {
  return (change) => resourceVersion === null || isLater(change.resourceVersion, resourceVersion);
}

function byVersion(a: Item, b: Item): number {
  if (isLater(a.resourceVersion, b.resourceVersion)) return 1;
  return isLater(b.resourceVersion, a.resourceVersion) ? -1 : 0;
}

/**
 * Whether one resourceVersion is later than another. They are comparable as whole numbers of any length.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions (KEP-5504)
 */
export function isLater(left: string, right: string): boolean {
  return left.length === right.length ? left > right : left.length > right.length;
}
