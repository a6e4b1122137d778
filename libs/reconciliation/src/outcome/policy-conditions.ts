import type { Condition, Memory } from '#decision';
import { shareParts } from '#kernel';

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

/** What upstream's conditions are made of after a pass that changed nothing: while it is the same, so are they. */
export interface UpstreamSource {
  /** Of the decision. */
  readonly decided: readonly Condition[];
  readonly remembered: Memory['conditions'];
  /** Of the target; null: not known. */
  readonly replicas: number | null;
}

/** The conditions of one policy, with the times of their transitions. */
export class PolicyConditions {
  /** Those of Plimsoll first, in their order, then upstream's in theirs. It is the same list until one of them changes. */
  #conditions: readonly Condition[] = [];
  /** Null: upstream's conditions were made of something else, too. */
  #upstream: UpstreamSource | null = null;
  #recorded: readonly Condition[] = [];
  #isRecording = false;
  #hasFailed = false;

  /** Sets a condition; its time is kept while its status stays. Returns the condition there was, undefined for none. */
  set(state: ConditionState, time: string): Condition | undefined {
    const before = this.get(state.type);
    // Most of what a pass finds is as before, and nothing is made then.
    if (before !== undefined && isSameState(before, state)) return before;
    const lastTransitionTime = before?.status === state.status ? before.lastTransitionTime : time;
    this.#put({ ...state, lastTransitionTime });
    return before;
  }

  /** Whether upstream's conditions were made of the same as this: by identity, since a decision keeps what is as before. */
  areMadeOf({ decided, remembered, replicas }: UpstreamSource): boolean {
    const known = this.#upstream;
    if (known === null || known.replicas !== replicas) return false;
    return known.decided === decided && known.remembered === remembered;
  }

  /** Replaces upstream's conditions, whose times come with them. */
  replaceUpstream(conditions: readonly Condition[], source: UpstreamSource | null = null): void {
    this.#upstream = source;
    const own = this.#conditions.filter(({ type }) => orderOf(type) < upstreamOrder);
    this.#conditions = shareParts(this.#conditions, [...own, ...conditions]);
  }

  get(type: string): Condition | undefined {
    return this.#conditions.find((condition) => condition.type === type);
  }

  isTrue(type: PolicyConditionType): boolean {
    return this.get(type)?.status === 'True';
  }

  /** Those of Plimsoll first, in their order, then upstream's in theirs. */
  list(): readonly Condition[] {
    return this.#conditions;
  }

  /**
   * What is to be stored, until {@link noteRecorded} or {@link noteUnrecorded}; null: nothing has changed, or an earlier
   * list has no answer yet. A message alone is stored with the next change, since figures change with each pass.
   */
  takeUnrecorded(): readonly Condition[] | null {
    if (this.#isRecording || areRecordedAlike(this.#recorded, this.#conditions)) return null;
    this.#isRecording = true;
    return this.#conditions;
  }

  /** Notes that these are stored. */
  noteRecorded(conditions: readonly Condition[]): void {
    this.#isRecording = false;
    this.#hasFailed = false;
    this.#recorded = conditions;
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
    this.#upstream = null;
    for (const condition of conditions) this.#put(condition);
    this.noteRecorded(conditions);
  }

  #put(condition: Condition): void {
    const known = this.#conditions;
    const at = known.findIndex(({ type }) => type === condition.type);
    if (at >= 0) {
      this.#conditions = known.with(at, condition);
      return;
    }
    const next = known.findIndex(({ type }) => orderOf(type) > orderOf(condition.type));
    this.#conditions = known.toSpliced(next < 0 ? known.length : next, 0, condition);
  }
}

const orders: ReadonlyMap<string, number> = new Map(policyConditionTypes.map((type, order) => [type, order]));
const upstreamOrder = policyConditionTypes.length;

function orderOf(type: string): number {
  return orders.get(type) ?? upstreamOrder;
}

function isSameState(before: Condition, { status, reason, message }: ConditionState): boolean {
  return before.status === status && before.reason === reason && before.message === message;
}

/** Whether they are stored alike, messages and times apart. */
function areRecordedAlike(recorded: readonly Condition[], conditions: readonly Condition[]): boolean {
  return (
    recorded.length === conditions.length &&
    conditions.every(({ type, status, reason }, index) => {
      const before = recorded[index];
      return before?.type === type && before.status === status && before.reason === reason;
    })
  );
}
