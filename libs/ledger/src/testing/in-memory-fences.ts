import { err, ok, type Result } from '#kernel';
import {
  type ElectedHolder,
  type Fence,
  fenceExpirySeconds,
  type FenceLost,
  type FencePort,
  type ScopeHeld,
  type SeenScope,
} from '../ports/fence.port.ts';

interface Row {
  readonly epoch: bigint;
  readonly holder: string | null;
  readonly renewedAt: number | null;
  readonly url: string | null;
}

/** The fences' port in memory, with a clock that a test moves. It passes the contract suite of the databases. */
export class InMemoryFences implements FencePort {
  readonly #rows = new Map<string, Row>();
  #now = 0;

  /** Moves the clock by which fences expire. */
  advance(seconds: number): void {
    this.#now += seconds;
  }

  isInForce({ scope, epoch, holder }: Fence): boolean {
    const row = this.#rows.get(scope);
    return row?.epoch === epoch && row.holder === holder;
  }

  /** Whether the scope's holder has renewed it in time. */
  isRenewed(scope: string): boolean {
    const renewedAt = this.#rows.get(scope)?.renewedAt ?? null;
    return renewedAt !== null && renewedAt > this.#now - fenceExpirySeconds;
  }

  /** Takes a scope for a new holder, as if the fence in force had expired. */
  takeOver(scope: string): Fence {
    const epoch = (this.#rows.get(scope)?.epoch ?? 0n) + 1n;
    const fence = { scope, epoch, holder: `holder ${epoch}` };
    this.#rows.set(scope, { ...fence, renewedAt: this.#now, url: null });
    return fence;
  }

  take(scopes: readonly string[], holder: string): Promise<Result<readonly Fence[], ScopeHeld>> {
    return Promise.resolve(
      scopes.every((scope) => this.#isFree(scope, holder))
        ? ok(this.#takeAll(scopes, { holder, url: null }))
        : err({ code: 'ScopeHeld' }),
    );
  }

  look(scopes: readonly string[]): Promise<readonly SeenScope[]> {
    return Promise.resolve(
      scopes.map((scope) => {
        const { epoch = 0n, holder = null, renewedAt = null, url = null } = this.#rows.get(scope) ?? {};
        const silentMilliseconds = renewedAt === null ? null : (this.#now - renewedAt) * 1_000;
        return { scope, epoch, holder, silentMilliseconds, url };
      }),
    );
  }

  takeElected(
    seen: readonly SeenScope[],
    { holder, url, expired }: ElectedHolder,
  ): Promise<Result<readonly Fence[], ScopeHeld>> {
    const mayTake = seen.every((before) => {
      const row = this.#rows.get(before.scope);
      const isSame = row === undefined || (row.epoch === before.epoch && row.holder === before.holder);
      const mayOverride = before.holder !== null && expired.includes(before.holder);
      return isSame && (mayOverride || this.#isFree(before.scope, holder));
    });
    const scopes = seen.map(({ scope }) => scope);
    return Promise.resolve(mayTake ? ok(this.#takeAll(scopes, { holder, url })) : err({ code: 'ScopeHeld' }));
  }

  renew(fences: readonly Fence[]): Promise<Result<undefined, FenceLost>> {
    if (!fences.every((fence) => this.isInForce(fence))) return Promise.resolve(err({ code: 'Fenced' }));
    for (const { scope, epoch, holder } of fences) {
      const url = this.#rows.get(scope)?.url ?? null;
      this.#rows.set(scope, { epoch, holder, renewedAt: this.#now, url });
    }
    return Promise.resolve(ok(undefined));
  }

  giveUp(fences: readonly Fence[]): Promise<void> {
    for (const fence of fences) {
      if (this.isInForce(fence))
        this.#rows.set(fence.scope, { epoch: fence.epoch, holder: null, renewedAt: null, url: null });
    }
    return Promise.resolve();
  }

  epochOf(scope: string): Promise<bigint> {
    return Promise.resolve(this.#rows.get(scope)?.epoch ?? 0n);
  }

  #takeAll(
    scopes: readonly string[],
    { holder, url }: Pick<Row, 'url'> & Pick<Fence, 'holder'>,
  ): readonly Fence[] {
    return [...new Set(scopes)].sort().map((scope) => {
      const fence = { scope, epoch: (this.#rows.get(scope)?.epoch ?? 0n) + 1n, holder };
      this.#rows.set(scope, { ...fence, renewedAt: this.#now, url });
      return fence;
    });
  }

  #isFree(scope: string, holder: string): boolean {
    const row = this.#rows.get(scope);
    if (row === undefined || row.renewedAt === null || row.holder === holder) return true;
    return row.renewedAt <= this.#now - fenceExpirySeconds;
  }
}
