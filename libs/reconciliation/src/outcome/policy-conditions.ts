import type { Condition } from '#decision';

/** The conditions that Plimsoll sets itself, in the order in which they are shown; after them come upstream's. */
export const policyConditionTypes = [
  'Ready',
  'Available',
  'Progressing',
  'Degraded',
  'Conflict',
  'Contested',
  'FieldNotSupported',
  'OwnerLookupFailed',
] as const;

/** @see docs/spec/reconciliation.md "Conditions of a policy" */
export type PolicyConditionType = (typeof policyConditionTypes)[number];

/** A condition of a policy: one that Plimsoll sets ({@link PolicyConditionType}), or upstream's. */
export type PolicyCondition = Condition;

/** A condition without its time. */
export type ConditionState = Omit<Condition, 'lastTransitionTime'>;

/** The conditions of one policy, with the times of their transitions. */
export class PolicyConditions {
  readonly #conditions = new Map<string, Condition>();
  /** What is stored, without messages. */
  #recorded = fingerprintOf([]);
  #isRecording = false;
  #hasFailed = false;

  /** Sets a condition; its time is kept while its status stays. Returns the condition there was, undefined for none. */
  set(state: ConditionState, time: string): Condition | undefined {
    const before = this.#conditions.get(state.type);
    const lastTransitionTime = before?.status === state.status ? before.lastTransitionTime : time;
    this.#conditions.set(state.type, { ...state, lastTransitionTime });
    return before;
  }

  /** Replaces upstream's conditions, whose times come with them. */
  replaceUpstream(conditions: readonly Condition[]): void {
    for (const type of this.#conditions.keys()) if (!isPolicyCondition(type)) this.#conditions.delete(type);
    for (const condition of conditions) this.#conditions.set(condition.type, condition);
  }

  get(type: string): Condition | undefined {
    return this.#conditions.get(type);
  }

  isTrue(type: PolicyConditionType): boolean {
    return this.#conditions.get(type)?.status === 'True';
  }

  /** Those of Plimsoll first, in their order, then upstream's in theirs. */
  list(): readonly Condition[] {
    const own = policyConditionTypes.flatMap((type) => this.#conditions.get(type) ?? []);
    return [...own, ...[...this.#conditions.values()].filter(({ type }) => !isPolicyCondition(type))];
  }

  /**
   * What is to be stored, until {@link noteRecorded} or {@link noteUnrecorded}; null: nothing has changed, or an earlier
   * list has no answer yet. A message alone is stored with the next change, since figures change with each pass.
   */
  takeUnrecorded(): readonly Condition[] | null {
    const conditions = this.list();
    if (this.#isRecording || fingerprintOf(conditions) === this.#recorded) return null;
    this.#isRecording = true;
    return conditions;
  }

  /** Notes that these are stored. */
  noteRecorded(conditions: readonly Condition[]): void {
    this.#isRecording = false;
    this.#hasFailed = false;
    this.#recorded = fingerprintOf(conditions);
  }

  /** Notes that what was taken is not stored; returns whether that is news since the last that was. */
  noteUnrecorded(): boolean {
    const isNews = !this.#hasFailed;
    this.#isRecording = false;
    this.#hasFailed = true;
    return isNews;
  }

  /** Goes on from what is stored. */
  restore(conditions: readonly Condition[]): void {
    for (const condition of conditions) this.#conditions.set(condition.type, condition);
    this.noteRecorded(conditions);
  }
}

const ownTypes: ReadonlySet<string> = new Set(policyConditionTypes);

function isPolicyCondition(type: string): boolean {
  return ownTypes.has(type);
}

function fingerprintOf(conditions: readonly Condition[]): string {
  return conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).join('\n');
}
