import type { Logger } from 'pino';
import { messageOf, withinTime } from '#kernel';
import type { StoredToken, TokenStorePort } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { Principal } from '../callers/principal.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';

/** A token that is revoked anywhere is refused everywhere within a second. */
const lookMilliseconds = 500;

/** For how long a caller whose token is not known waits for a look at the database. */
const awaitedMilliseconds = 1_000;

/** Last uses are written this often, all in one transaction. */
const noteMilliseconds = 60_000;

export interface TokenRegistryOptions {
  readonly store: TokenStorePort;
  readonly authenticator: Pick<TokenAuthenticator, 'replaceStored'>;
  readonly clock: Pick<ClockPort, 'now' | 'schedule'>;
  readonly logger: Logger;
}

/**
 * Keeps the tokens that were made through the API in memory, so that a request asks no database, and those that are known
 * stay valid, until they expire, while the database is away.
 */
export class TokenRegistry {
  readonly #options: TokenRegistryOptions;
  readonly #uses = new Map<string, string>();
  #tokens: readonly StoredToken[] = [];
  #revision = -1n;
  /** Ids, as they were told last. */
  #unreadable = '';
  #looking: Promise<void> | undefined;
  /** A look that has not begun yet, which all who ask for one share. */
  #next: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #timers: readonly NodeJS.Timeout[] = [];

  constructor(options: TokenRegistryOptions) {
    this.#options = options;
  }

  /** Loads all tokens, and looks for changes from then on. @throws AdapterError */
  async start(): Promise<void> {
    await this.refresh();
    const look = setInterval(() => void this.look(), lookMilliseconds);
    const note = setInterval(() => void this.#noteUses(), noteMilliseconds);
    this.#timers = [look, note];
    for (const timer of this.#timers) timer.unref();
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looking;
    await this.#noteUses();
  }

  /** As known, revoked and expired ones included, by id. */
  list(): readonly StoredToken[] {
    return this.#tokens.map((token) => {
      const used = this.#uses.get(token.id);
      return used === undefined ? token : { ...token, lastUsedAt: used };
    });
  }

  /** Reads what has changed since the last look, and all that was stored before it is called. @throws AdapterError */
  refresh(): Promise<void> {
    return this.#exclusively(() => this.#refresh());
  }

  async #refresh(): Promise<void> {
    const { store, authenticator } = this.#options;
    const revision = await store.revision();
    if (revision === this.#revision) return;
    const unreadable: string[] = [];
    this.#tokens = await store.load((id) => unreadable.push(id));
    authenticator.replaceStored(this.#tokens);
    const ids = unreadable.join(', ');
    if (unreadable.length > 0 && ids !== this.#unreadable)
      this.#options.logger.warn({ ids }, 'API tokens whose rows hold no token are not valid');
    this.#unreadable = ids;
    this.#revision = revision;
  }

  /** Notes that a caller's token was used, to the minute. */
  noteUse({ token }: Principal): void {
    if (token === undefined) return;
    const minute = `${this.#options.clock.now().slice(0, 16)}:00Z`;
    this.#uses.set(token.id, minute);
  }

  /** Looks for changes now. A database that is away is seen elsewhere, and asked again in a moment. */
  look(): Promise<void> {
    this.#looking ??= this.refresh()
      .catch((error: unknown) => {
        this.#options.logger.debug({ reason: messageOf(error) }, 'API tokens could not be read');
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /**
   * Looks for what was stored before it is called, a second at most: a token that another process has just made is not known
   * here yet. However many ask, one look is under way and one waits.
   */
  async lookAnew(): Promise<void> {
    const under = this.#looking ?? Promise.resolve();
    this.#next ??= under.then(() => {
      this.#next = undefined;
      return this.look();
    });
    await withinTime(this.#options.clock, awaitedMilliseconds, this.#next);
  }

  #noteUses(): Promise<void> {
    return this.#exclusively(() => this.#storeUses());
  }

  /** A slow look would put what it has read in the place of what was read after it. */
  #exclusively(work: () => Promise<void>): Promise<void> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #storeUses(): Promise<void> {
    const uses = new Map(this.#uses);
    if (uses.size === 0) return;
    try {
      await this.#options.store.noteUses(uses);
    } catch (error) {
      this.#options.logger.debug({ reason: messageOf(error) }, 'last uses of API tokens could not be stored');
      return;
    }
    this.#tokens = this.#tokens.map((token) => ({
      ...token,
      lastUsedAt: uses.get(token.id) ?? token.lastUsedAt,
    }));
    for (const [id, time] of uses) if (this.#uses.get(id) === time) this.#uses.delete(id);
  }
}
