import type { StoredToken, TokenChanges, TokenStorePort } from '../ports/token-store.port.ts';

/** API tokens in memory, as the in-memory ledger's appends change them. */
export class InMemoryTokens implements TokenStorePort {
  readonly #tokens = new Map<string, StoredToken>();
  #revision = 0n;

  change({ put, forget }: TokenChanges): void {
    this.#revision += BigInt(put.length);
    for (const token of put) {
      const lastUsedAt = this.#tokens.get(token.id)?.lastUsedAt ?? token.lastUsedAt;
      this.#tokens.set(token.id, { ...structuredClone(token), lastUsedAt });
    }
    for (const id of forget) this.#tokens.delete(id);
  }

  revision(): Promise<bigint> {
    return Promise.resolve(this.#revision);
  }

  load(): Promise<readonly StoredToken[]> {
    const tokens = [...this.#tokens.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    return Promise.resolve(structuredClone(tokens));
  }

  noteUses(uses: ReadonlyMap<string, string>): Promise<void> {
    for (const [id, lastUsedAt] of uses) {
      const token = this.#tokens.get(id);
      if (token !== undefined && (token.lastUsedAt === null || token.lastUsedAt < lastUsedAt))
        this.#tokens.set(id, { ...token, lastUsedAt });
    }
    return Promise.resolve();
  }
}
