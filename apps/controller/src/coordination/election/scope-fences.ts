import type { Fence, SeenScope } from '#ledger';
import type { ElectionTools } from '../leases/election-tools.ts';

type ScopeFencesTools = Pick<ElectionTools, 'identity' | 'advertisedUrl' | 'fences' | 'clock'>;

/** Fences that were taken. */
export interface TakenFences {
  readonly fences: readonly Fence[];
  /** When they were asked for, by the clock of elections. */
  readonly sentAt: number;
}

/** The fences that the holder of one Lease takes together. */
export class ScopeFences {
  readonly #scopes: () => Promise<readonly string[]>;
  readonly #tools: ScopeFencesTools;
  /** As they were before the Lease was won; null: to be looked at. */
  #seen: readonly SeenScope[] | null = null;
  /** Whose fences may be taken before they have expired. */
  #expired: readonly string[] = [];
  #held: readonly Fence[] = [];
  /** Those that may be another's by now; they are given up as far as they are not. */
  #lost: readonly Fence[] = [];
  #renewedAt = 0;
  #takenAt = '';

  /** @param scopes of the database, whose fences are taken together */
  constructor(scopes: () => Promise<readonly string[]>, tools: ScopeFencesTools) {
    this.#scopes = scopes;
    this.#tools = tools;
  }

  get held(): readonly Fence[] {
    return this.#held;
  }

  /** Since when they are held, RFC 3339 by the machine's clock; null: they are not. */
  get heldSince(): string | null {
    return this.#held.length === 0 ? null : this.#takenAt;
  }

  /** When the last renewal that succeeded was sent, by the clock of elections. */
  get renewedAt(): number {
    return this.#renewedAt;
  }

  /** Whether some that were held may be another's by now. */
  get areLost(): boolean {
    return this.#lost.length > 0;
  }

  /** Who holds the scopes now. @throws AdapterError */
  async look(): Promise<readonly SeenScope[]> {
    return this.#tools.fences.look(await this.#scopes());
  }

  /**
   * The Lease was won.
   *
   * @param seen as they were before it was
   * @param expired whose deadlines are over
   */
  noteWon(seen: readonly SeenScope[], expired: readonly string[]): void {
    this.#seen = seen;
    this.#expired = expired;
  }

  /**
   * Takes them, unless somebody else has since they were looked at: then they are looked at anew at the next attempt.
   *
   * @param isWanted whether they still are, once they were looked at
   * @returns what is to be held, or given back, at once; null: they were not taken
   * @throws AdapterError
   */
  async take(isWanted: () => boolean): Promise<TakenFences | null> {
    const { fences, identity, advertisedUrl: url, clock } = this.#tools;
    const seen = this.#seen ?? (await this.look());
    if (!isWanted()) return null;
    const sentAt = clock.elapsed();
    const taken = await fences.takeElected(seen, { holder: identity, url, expired: this.#expired });
    this.#seen = null;
    this.#expired = [];
    return taken.ok ? { fences: taken.value, sentAt } : null;
  }

  hold({ fences, sentAt }: TakenFences): void {
    this.#held = fences;
    this.#renewedAt = sentAt;
    this.#takenAt = this.#tools.clock.now();
  }

  /** @throws AdapterError: they expire */
  async giveBack({ fences }: TakenFences): Promise<void> {
    await this.#tools.fences.giveUp(fences);
  }

  add(fences: readonly Fence[]): void {
    this.#held = [...this.#held, ...fences];
  }

  noteRenewed(sentAt: number): void {
    this.#renewedAt = sentAt;
  }

  /** They may be another's by now. */
  lose(): void {
    this.#lost = [...this.#lost, ...this.#held];
    this.#held = [];
  }

  /** Leaves them to expire. */
  leaveToExpire(): void {
    this.#held = [];
  }

  /**
   * Gives up what is held, or was lost and is not another's yet.
   *
   * @returns whether there was anything to be given up
   * @throws AdapterError: they are lost then, and can be given up later
   */
  async giveUp(): Promise<boolean> {
    this.lose();
    const given = this.#lost;
    if (given.length > 0) await this.#tools.fences.giveUp(given);
    this.#lost = [];
    return given.length > 0;
  }
}
