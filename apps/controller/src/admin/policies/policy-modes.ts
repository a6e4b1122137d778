import type { NamespacedName } from '#kernel';
import type { ControllerMode } from '#reconciliation';
import type { ModeInForce } from '../../configuration/mode-in-force.ts';
import type { Leadership } from '../../coordination/shards/leadership.ts';
import type { Shards } from '../../coordination/shards/shards.ts';

export interface PolicyModesOptions {
  readonly controller: Pick<ModeInForce, 'mode'>;
  readonly leadership: Pick<Leadership, 'modeOfHolder'>;
  readonly shards: Pick<Shards, 'holds' | 'shardOf'>;
}

/** Whether what is decided of a policy is carried out. */
export class PolicyModes {
  readonly #options: PolicyModesOptions;

  constructor(options: PolicyModesOptions) {
    this.#options = options;
  }

  /**
   * The mode that each policy is decided in at this moment: of the replica that holds it, which may have another than this
   * one, as during a rollout; where that is not known, of this one. Who holds a shard is looked up once.
   */
  now(): (policy: NamespacedName) => ControllerMode {
    const { controller, leadership, shards } = this.#options;
    const known = new Map<number, ControllerMode>();
    return (policy) => {
      if (shards.holds(policy)) return controller.mode;
      const shard = shards.shardOf(policy);
      const mode = known.get(shard) ?? leadership.modeOfHolder(shard) ?? controller.mode;
      known.set(shard, mode);
      return mode;
    };
  }
}
