import { defaultShardCount, shardOf } from '#coordination';
import type { NamespacedName } from '#kernel';
import { type AppendRequest, type Fence, policiesOf, type ShardLayoutPort, shardScope } from '#ledger';
import type { ShardsPort } from '#reconciliation';
import type { Holdings } from '../holdings/holdings.ts';

/** Which shard a policy belongs to, and under which fences what is recorded of it is appended. */
export class Shards implements ShardsPort {
  readonly #holdings: Pick<Holdings, 'of' | 'holds' | 'mayWrite'>;
  readonly #layout: ShardLayoutPort;
  #count = defaultShardCount;
  /** By policy: each shard that is given up looks at all of them several times. */
  #known = new WeakMap<NamespacedName, number>();

  constructor(holdings: Pick<Holdings, 'of' | 'holds' | 'mayWrite'>, layout: ShardLayoutPort) {
    this.#holdings = holdings;
    this.#layout = layout;
  }

  /** How many there are by the database, and whether that is about to change. @throws AdapterError */
  async readLayout(): Promise<{ readonly shardCount: number; readonly isChanging: boolean }> {
    const { shardCount, isChanging } = await this.#layout.read();
    return { shardCount: shardCount ?? defaultShardCount, isChanging };
  }

  /** Spreads the policies over so many. To be called while this process holds no shard, and works under none. */
  resize(count: number): void {
    this.#count = count;
    this.#known = new WeakMap();
  }

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** All shards, from 0. */
  get all(): readonly number[] {
    return Array.from({ length: this.#count }, (_, shard) => shard);
  }

  shardOf(policy: NamespacedName): number {
    const known = this.#known.get(policy);
    if (known !== undefined) return known;
    const shard = shardOf(policy, this.#count);
    this.#known.set(policy, shard);
    return shard;
  }

  scopeOf(policy: NamespacedName): string {
    return shardScope(this.shardOf(policy));
  }

  /** The fences of the shards that this process holds. */
  get held(): readonly Fence[] {
    return this.all
      .map(shardScope)
      .filter((scope) => this.#holdings.holds(scope))
      .map((scope) => this.#holdings.of(scope));
  }

  mayWrite(policy: NamespacedName): boolean {
    return this.#holdings.mayWrite(this.scopeOf(policy));
  }

  /** Whether this process decides the policy. */
  holds(policy: NamespacedName): boolean {
    return this.#holdings.holds(this.scopeOf(policy));
  }

  /**
   * The fences of the shards of these policies, each once.
   *
   * @throws AdapterError `Fenced` where this process does not hold one of them.
   */
  fencesOf(policies: readonly NamespacedName[]): readonly Fence[] {
    // Those of a request are made for it, and kept nowhere.
    const shards = new Set(policies.map((policy) => shardOf(policy, this.#count)));
    return [...shards].map((shard) => this.#holdings.of(shardScope(shard)));
  }

  /**
   * The fences that a request about policies is appended under.
   *
   * @throws AdapterError `Fenced` where this process does not hold one of them; Error where it is about no policy: a bug
   */
  readonly fencesFor = (request: AppendRequest): readonly Fence[] => {
    const policies = policiesOf(request);
    if (policies.length === 0) throw new Error('an append about no policy needs a fence of its own');
    return this.fencesOf(policies);
  };
}
