import {
  type EntryQuery,
  type Fence,
  type FencePort,
  type LedgerEntry,
  type LedgerPort,
  type LedgerWriter,
  policyStream,
  type ShardLayoutPort,
  type StoredSource,
  type TokenStorePort,
} from '#ledger';
import { checkout } from '../../support/ledger-builders.ts';

/** A ledger's ports. */
export interface EmptyLedger {
  readonly ledger: LedgerPort;
  readonly fences: FencePort;
  readonly layout: ShardLayoutPort;
  readonly tokens: TokenStorePort;
  /** Where sources stand, by name. */
  readonly sources: () => Promise<readonly StoredSource[]>;
  /** Lets so many seconds pass on the clock by which fences expire. */
  readonly age: (seconds: number) => Promise<void>;
}

/** A ledger under test. */
export interface LedgerUnderTest {
  /** A ledger without entries and fences. */
  readonly empty: () => Promise<EmptyLedger>;
  readonly end: () => Promise<void>;
  /** Makes an empty database and returns its URL; absent: there is none. */
  readonly createDatabase?: (name: string) => Promise<string>;
}

/** An empty ledger, with what appends to it. */
export interface LedgerContext {
  readonly port: LedgerPort;
  readonly fences: FencePort;
  readonly layout: ShardLayoutPort;
  readonly tokens: TokenStorePort;
  readonly sources: EmptyLedger['sources'];
  readonly age: EmptyLedger['age'];
  readonly fence: Fence;
  readonly writer: LedgerWriter;
  /** All entries, or those of a query, oldest first. */
  readonly all: (query?: Partial<EntryQuery>) => Promise<readonly LedgerEntry[]>;
}

export const cart = { namespace: 'shop', name: 'cart' };
export const stream = policyStream(checkout);
