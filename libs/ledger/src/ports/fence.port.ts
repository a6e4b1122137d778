import type { Result } from '#kernel';

/**
 * The right to write under one scope. Every append, and every write to a table that processes share, carries the fence
 * of its scope, and the database compares all three fields with its row in the same transaction.
 */
export interface Fence {
  /** What one process at a time may write: {@link shardScope}, {@link sourceScope} or {@link administrationScope}. */
  readonly scope: string;
  /** Grows by one with each take-over of the scope. */
  readonly epoch: bigint;
  /** A random id of the process, so that an epoch that a restored database gives out again is still another fence. */
  readonly holder: string;
}

/** The same text for equal fences alone. */
export function fenceKey({ scope, epoch, holder }: Fence): string {
  return `${scope} ${epoch} ${holder}`;
}

/** After so long without a renewal, by the database's clock, another process may take a scope over. */
export const fenceExpirySeconds = 15;

/** How often a holder renews its fences: seven attempts before they expire. */
export const fenceRenewalSeconds = 2;

/** The scope of operators' actions, the settings and, later, checkpoints. */
export const administrationScope = 'administration';

/**
 * The scope that releases before the scopes of today took over as a whole. Holding it fences such a process, and its
 * take-over fences this one.
 */
export const formerScope = 'ledger';

/** Whoever holds it changes the number of shards: until it is given up, or expires, no other holds a shard. */
export const shardLayoutScope = 'shard-layout';

/** The scope of a shard: the decisions and writes of its policies. */
export function shardScope(shard: number): string {
  return `shard/${shard}`;
}

const shardForm = /^shard\/(\d+)$/;

/** The number of a shard's scope; undefined: it is a scope of something else. */
export function shardOfScope(scope: string): number | undefined {
  const [, number] = shardForm.exec(scope) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The scope of a source: its state, its revisions, and what its syncs append. */
export function sourceScope(source: string): string {
  return `source/${source}`;
}

/** The scope under which a journal is delivered whose process was taken over: late entries alone. */
export function journalScope(journal: string): string {
  return `journal/${journal}`;
}

/** Why no scope was taken: another process holds this one. */
export interface ScopeHeld {
  readonly code: 'ScopeHeld';
}

/** Why no fence was renewed: another process has taken one of the scopes over. */
export interface FenceLost {
  readonly code: 'Fenced';
}

/** A scope as the database had it at some moment. */
export interface SeenScope {
  readonly scope: string;
  /** Of its last take-over; 0: it was never taken. */
  readonly epoch: bigint;
  /** Null: it is free. */
  readonly holder: string | null;
  /** How long ago the holder renewed it last, by the database's clock; null: it is free. One that is gone renews none. */
  readonly silentMilliseconds: number | null;
  /** How the holder's admin API is reached, as it said when it won the scope; null: it is free, or its holder did not say. */
  readonly url: string | null;
}

/** Who takes scopes over that it has won by an election. */
export interface ElectedHolder {
  readonly holder: string;
  /** How its admin API is reached. */
  readonly url: string;
  /**
   * Holders whose right to write is over, as their Leases have shown: their fences may be taken although they have not
   * expired. Those of any other holder, such as a process that works without Leases, have to be free.
   */
  readonly expired: readonly string[];
}

/** Hands out fences. Every method throws an `AdapterError` where the database fails. */
export interface FencePort {
  /**
   * Takes scopes over, all or none. A scope is free when it was never taken or was given up, when its fence has not been
   * renewed for {@link fenceExpirySeconds}, or when `holder` holds it already, as after a lost answer. Earlier fences of
   * these scopes are refused from then on.
   */
  take(scopes: readonly string[], holder: string): Promise<Result<readonly Fence[], ScopeHeld>>;
  /** The scopes as they are now, in the order given. */
  look(scopes: readonly string[]): Promise<readonly SeenScope[]>;
  /**
   * Takes scopes over that an election has won, all or none, and only as they were seen before the Lease was won: where
   * another has taken one of them since, this winner comes late.
   */
  takeElected(
    seen: readonly SeenScope[],
    elected: ElectedHolder,
  ): Promise<Result<readonly Fence[], ScopeHeld>>;
  /**
   * Renews fences, all or none. A fence that has expired is renewed, too, as long as its scope was not taken over. Also
   * without fences it is found out whether the database takes writes.
   */
  renew(fences: readonly Fence[]): Promise<Result<undefined, FenceLost>>;
  /** Frees the scopes of these fences, except those that were taken over. */
  giveUp(fences: readonly Fence[]): Promise<void>;
  /** The epoch of the scope's last take-over; 0: it was never taken. */
  epochOf(scope: string): Promise<bigint>;
}
