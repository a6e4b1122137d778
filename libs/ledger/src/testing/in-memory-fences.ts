import { err, ok, type Result } from '#kernel';
import {
  type Fence,
  fenceExpirySeconds,
  type FenceLost,
  type FencePort,
  type ScopeHeld,
} from '../fence.port.ts';

interface Row {
  readonly epoch: bigint;
  readonly holder: string | null;
  readonly renewedAt: number | null;
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

  /** Takes a scope for a new holder, as if the fence in force had expired. */
  takeOver(scope: string): Fence {
    const epoch = (this.#rows.get(scope)?.epoch ?? 0n) + 1n;
    const fence = { scope, epoch, holder: `holder ${epoch}` };
    this.#rows.set(scope, { ...fence, renewedAt: this.#now });
    return fence;
  }

  take(scopes: readonly string[], holder: string): Promise<Result<readonly Fence[], ScopeHeld>> {
    if (!scopes.every((scope) => this.#isFree(scope, holder)))
      return Promise.resolve(err({ code: 'ScopeHeld' }));
    const taken = [...new Set(scopes)].sort().map((scope) => {
      const fence = { scope, epoch: (this.#rows.get(scope)?.epoch ?? 0n) + 1n, holder };
      this.#rows.set(scope, { ...fence, renewedAt: this.#now });
      return fence;
    });
    return Promise.resolve(ok(taken));
  }

  renew(fences: readonly Fence[]): Promise<Result<undefined, FenceLost>> {
    if (!fences.every((fence) => this.isInForce(fence))) return Promise.resolve(err({ code: 'Fenced' }));
    for (const { scope, epoch, holder } of fences)
      this.#rows.set(scope, { epoch, holder, renewedAt: this.#now });
    return Promise.resolve(ok(undefined));
  }

  giveUp(fences: readonly Fence[]): Promise<void> {
    for (const fence of fences) {
      if (this.isInForce(fence))
        this.#rows.set(fence.scope, { epoch: fence.epoch, holder: null, renewedAt: null });
    }
    return Promise.resolve();
  }

  epochOf(scope: string): Promise<bigint> {
    return Promise.resolve(this.#rows.get(scope)?.epoch ?? 0n);
  }

  #isFree(scope: string, holder: string): boolean {
    const row = this.#rows.get(scope);
    if (row === undefined || row.renewedAt === null || row.holder === holder) return true;
    return row.renewedAt <= this.#now - fenceExpirySeconds;
  }
}
