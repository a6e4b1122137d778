import { AdapterError } from '#kernel';
import type { Fence } from '../ports/fence.port.ts';

/** Finds the fences that this process holds. */
export interface FenceLookup {
  /** @throws AdapterError `Fenced` where this process does not hold the scope. */
  of(scope: string): Fence;
}

/** The fences of one take-over. */
export class HeldFences implements FenceLookup {
  readonly all: readonly Fence[];
  readonly #byScope: ReadonlyMap<string, Fence>;

  constructor(fences: readonly Fence[]) {
    this.all = fences;
    this.#byScope = new Map(fences.map((fence) => [fence.scope, fence]));
  }

  has(scope: string): boolean {
    return this.#byScope.has(scope);
  }

  of(scope: string): Fence {
    const fence = this.#byScope.get(scope);
    if (fence !== undefined) return fence;
    throw new AdapterError({
      code: 'Fenced',
      message: `this process does not hold the scope ${scope}`,
      retryable: true,
    });
  }
}
