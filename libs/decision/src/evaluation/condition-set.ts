import { rememberedMessage } from '../condition-message.ts';
import type { Condition } from '../model/decision.ts';
import type { ConditionStatus, RememberedCondition } from '../model/memory.ts';
import type { Optional } from '../model/observation.ts';

export interface ConditionChange {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/**
 * The conditions of an evaluation: those remembered, in their order, then those it adds. `lastTransitionTime` changes
 * only with the status, compared with the value set last, also within one evaluation.
 */
export class ConditionSet {
  readonly #conditions: Condition[];
  readonly #now: string;

  constructor(remembered: Optional<readonly RememberedCondition[]>, now: string) {
    this.#now = now;
    this.#conditions = (remembered ?? []).map(({ type, status, reason, lastTransitionTime }) => ({
      type,
      status,
      reason: reason ?? '',
      message: rememberedMessage,
      lastTransitionTime: lastTransitionTime ?? now,
    }));
  }

  set(type: string, { status, reason, message }: ConditionChange): void {
    const index = this.#indexOf(type);
    // An index below 0 would be looked up as a name, which takes longer than all the rest.
    const known = index < 0 ? undefined : this.#conditions[index];
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : this.#now;
    const condition = { type, status, reason, message, lastTransitionTime };
    if (known === undefined) this.#conditions.push(condition);
    else this.#conditions[index] = condition;
  }

  remove(type: string): void {
    for (let index = this.#indexOf(type); index >= 0; index = this.#indexOf(type))
      this.#conditions.splice(index, 1);
  }

  get(type: string): Condition | undefined {
    const index = this.#indexOf(type);
    return index < 0 ? undefined : this.#conditions[index];
  }

  isTrue(type: string): boolean {
    return this.get(type)?.status === 'True';
  }

  list(): readonly Condition[] {
    return this.#conditions.slice();
  }

  #indexOf(type: string): number {
    for (let index = 0; index < this.#conditions.length; index += 1)
      if (this.#conditions[index]?.type === type) return index;
    return -1;
  }
}
