import type { NamespacedName } from '#kernel';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { ShardsPort } from '../ports/shards.port.ts';

/** `Taking`: its policies are being restored; `GivingUp`: their passes end. Neither begins a pass. */
type Transition = 'Taking' | 'GivingUp';

interface Moving {
  readonly transition: Transition;
  /** Its policies when that began: none comes or leaves meanwhile. */
  readonly policies: readonly ActivePolicy[];
}

/** The shards whose policies this process carries out. */
export class HeldShards {
  readonly #shards: ShardsPort;
  readonly #held = new Set<number>();
  readonly #moving = new Map<number, Moving>();
  #active: readonly ActivePolicy[] = [];
  /** Of `#active`, those of shards that are held or moving; null: to be selected anew. */
  #selected: readonly ActivePolicy[] | null = null;

  constructor(shards: ShardsPort) {
    this.#shards = shards;
  }

  /** Of the policies in force, those that this process carries out; the same list as long as nothing changes. */
  select(active: readonly ActivePolicy[]): readonly ActivePolicy[] {
    if (this.#selected !== null && this.#active === active) return this.#selected;
    this.#active = active;
    const held = active.filter(({ policy }) => this.#held.has(this.#shards.shardOf(policy)));
    const moving = [...this.#moving.values()].flatMap(({ policies }) => policies);
    this.#selected = held.length === active.length ? active : [...held, ...moving];
    return this.#selected;
  }

  /** Begins to take or to give up shards. @returns those for which that was not under way */
  begin(
    transition: Transition,
    shards: readonly number[],
    active: readonly ActivePolicy[],
  ): ReadonlySet<number> {
    const begun = new Set(
      shards.filter(
        (shard) => !this.#moving.has(shard) && this.#held.has(shard) === (transition === 'GivingUp'),
      ),
    );
    const byShard = Map.groupBy(active, ({ policy }) => this.#shards.shardOf(policy));
    for (const shard of begun) {
      this.#held.delete(shard);
      this.#moving.set(shard, { transition, policies: byShard.get(shard) ?? [] });
    }
    this.#selected = null;
    return begun;
  }

  /** Ends what was begun. */
  end(shards: Iterable<number>, areHeld: boolean): void {
    for (const shard of shards) {
      this.#moving.delete(shard);
      if (areHeld) this.#held.add(shard);
    }
    this.#selected = null;
  }

  /** Whether passes of the policy may begin. */
  has(policy: NamespacedName): boolean {
    return this.#held.has(this.#shards.shardOf(policy));
  }

  isTaking(policy: NamespacedName): boolean {
    return this.#moving.size > 0 && this.#moving.get(this.#shards.shardOf(policy))?.transition === 'Taking';
  }

  /** Whether no shard is being taken or given up: all that is selected may begin. */
  get isUnmoving(): boolean {
    return this.#moving.size === 0;
  }
}
