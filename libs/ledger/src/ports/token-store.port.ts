/** An API token that was made through the API, as it is stored: never the token itself. */
export interface StoredToken {
  readonly id: string;
  /** Of the token, in hex. */
  readonly sha256: string;
  /** `ann/ci`: who owns it, and what it is called. */
  readonly name: string;
  /** The person at the beginning: who made it, or made the token that made it. */
  readonly owner: string;
  /** The token that made it; its revocation is this one's, too. Null: none did. */
  readonly parent: string | null;
  readonly grants: readonly {
    readonly role: 'viewer' | 'operator' | 'approver' | 'admin';
    readonly namespaces: readonly string[];
  }[];
  /** The owner's, with which approvals are compared; null: unknown. */
  readonly email: string | null;
  readonly forgeLogin: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339. */
  readonly expiresAt: string;
  /** RFC 3339; null: it is not revoked. */
  readonly revokedAt: string | null;
  /** RFC 3339, to the minute; null: it was never used. */
  readonly lastUsedAt: string | null;
}

/** What a request does to the API tokens, in the transaction of the entries that say so. */
export interface TokenChanges {
  /** As they are from now on: new ones, and those that are revoked. */
  readonly put: readonly StoredToken[];
  /** Ids of those that are over and are kept no longer. */
  readonly forget: readonly string[];
}

/**
 * Reads API tokens, which are made and revoked with the entries that say so ({@link TokenChanges}). Every method throws an
 * `AdapterError` where the database fails.
 */
export interface TokenStorePort {
  /** Grows with every token that is made or revoked, by any process; 0 before the first. */
  revision(): Promise<bigint>;
  /**
   * All that are stored, by id.
   *
   * @param onUnreadable hears of each row that holds no token: it is left out, so that nobody is known by it
   */
  load(onUnreadable?: (id: string) => void): Promise<readonly StoredToken[]>;
  /** Notes when tokens were used last. Any process may: it orders nothing, so it needs no fence. */
  noteUses(uses: ReadonlyMap<string, string>): Promise<void>;
}
