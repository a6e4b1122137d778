/** A condition of a policy, beside those of its decision. */
export interface PolicyCondition {
  /**
   * - `Ready`: `True` done, `Unknown` waiting, `False` stalled or failed.
   * - `OwnerLookupFailed`: `True` while the owner filter falls back to all pods of the selector.
   * - `Contested`: `True` while others undo what Plimsoll writes.
   */
  readonly type: 'Ready' | 'OwnerLookupFailed' | 'Contested';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** When the status changed last, RFC 3339; a restart counts as a change. */
  readonly lastTransitionTime: string;
}

/** A condition without its time. */
export type ConditionState = Omit<PolicyCondition, 'lastTransitionTime'>;

/** The conditions of one policy, with the times of their transitions. */
export class PolicyConditions {
  readonly #conditions = new Map<PolicyCondition['type'], PolicyCondition>();

  /** Sets a condition; its time is kept while its status stays. Returns the condition there was, undefined for none. */
  set(state: ConditionState, time: string): PolicyCondition | undefined {
    const before = this.#conditions.get(state.type);
    const lastTransitionTime = before?.status === state.status ? before.lastTransitionTime : time;
    this.#conditions.set(state.type, { ...state, lastTransitionTime });
    return before;
  }

  /** In the order in which they were first set. */
  list(): readonly PolicyCondition[] {
    return [...this.#conditions.values()];
  }
}
