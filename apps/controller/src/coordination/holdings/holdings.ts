import type { Fence, FenceLookup } from '#ledger';
import type { ScopeLoss } from './scope-loss.ts';

/** `active`: it holds the scopes; `standby`: it has never held them; `fenced`: it has lost them. */
export type ControllerRole = 'active' | 'standby' | 'fenced';

/** The work of a scope: begins when the process has taken the scope, and ends before the process gives it up. */
export interface ScopeWork {
  /**
   * Reads what the last holder left, and begins.
   *
   * @throws AdapterError where that cannot be read: the scope is given up again
   */
  begin(signal: AbortSignal): Promise<void>;
  /** Ends what is under way, and records it. It takes a bounded time. */
  end(): Promise<void>;
  /** Whether it has ended for good: only a process that starts anew can begin it again. */
  readonly hasEnded?: boolean;
}

/** How many shards there are. */
export interface ShardNumber {
  /** By the database. @throws AdapterError */
  readLayout(): Promise<{ readonly shardCount: number; readonly isChanging: boolean }>;
  /** Spreads the policies over so many. To be called while no shard is held. */
  resize(count: number): void;
}

/** The work of all scopes that a replica may hold. */
export interface ReplicaWork {
  /** What one replica does for all. */
  readonly leader: ScopeWork;
  readonly shard: (shard: number) => ScopeWork;
  readonly shards: ShardNumber;
  /** Those of administration, of earlier releases, and of every source. @throws AdapterError */
  readonly leaderScopes: () => Promise<readonly string[]>;
}

/** How a process competes with others for what it holds. */
export interface Candidacy {
  /**
   * Competes from now on, in the background.
   *
   * @param onLost is called at most once, when a scope was lost that was held.
   * @throws AdapterError where the Leases cannot be read or written
   */
  start(work: ReplicaWork, onLost: (loss: ScopeLoss) => void, signal: AbortSignal): Promise<void>;
  /** Leaves what is held, and gives it up, so that others go on at once. It takes a bounded time. */
  stop(): Promise<void>;
}

/** What this process holds: the scopes that it may write under. */
export abstract class Holdings implements FenceLookup {
  abstract readonly role: ControllerRole;
  /** Whether it does what one process does for all: it holds administration and the sources, and has read what is stored. */
  abstract readonly isLeader: boolean;
  /** Since when the database has not taken a renewal, RFC 3339: nothing can be recorded; null: it has. */
  abstract readonly failingSince: string | null;
  /** What it failed with last, in a sentence; null: it has not failed. */
  abstract readonly failure: string | null;
  /** Since when the Leases could not be looked at or renewed, RFC 3339; null: they could, or there are none. */
  abstract readonly leasesFailingSince: string | null;
  /** What they failed with last, in a sentence; null: they have not failed. */
  abstract readonly leasesFailure: string | null;
  /** @throws AdapterError `Fenced` where this process does not hold the scope. */
  abstract of(scope: string): Fence;
  abstract holds(scope: string): boolean;
  /** Since when this process has held the scope, RFC 3339 by the machine's clock; null: it does not hold it. */
  abstract heldSince(scope: string): string | null;
  /** Whether a write to Kubernetes may be sent now: looked at directly before it is. */
  abstract mayWrite(scope: string): boolean;
  /**
   * Takes further scopes, those of sources that a changed configuration brings. Nothing happens where they are held.
   *
   * @throws AdapterError `Fenced` where another process holds one of them, or the fences are lost.
   */
  abstract extend(scopes: readonly string[]): Promise<void>;
}
