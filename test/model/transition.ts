import { clean } from './clean-state.ts';
import type { Rules } from './model-rules.ts';
import { Holder, ModelState, type Replica, Status } from './model-state.ts';
import { rights } from './shell-rules.ts';
import { type StepName, stepOf } from './steps.ts';

/** Of a fence that no restored database gives out again. */
export const noEpoch = 3;

/** Takes the state that a step leads to, and the rule that the step broke. */
export type Emit = (next: ModelState, step: number, broken: string | null) => void;

/** From a state to each of those that come next, and what the processes may do in it. */
export class Transition {
  readonly rules: Rules;
  /** By replica. */
  readonly usesLeases: readonly [boolean, boolean];
  /** How many are announced on one way. */
  readonly maximumWrites: number;
  readonly next = new ModelState();
  state = new ModelState();
  #emit: Emit = () => undefined;

  constructor({
    rules,
    usesLeases,
    maximumWrites,
  }: Pick<Transition, 'rules' | 'usesLeases' | 'maximumWrites'>) {
    this.rules = rules;
    this.usesLeases = usesLeases;
    this.maximumWrites = maximumWrites;
  }

  /** Goes on from another state. */
  from(state: ModelState, emit: Emit): void {
    this.state = state;
    this.#emit = emit;
  }

  /** A copy of the state, to be changed by one step. */
  begin(): ModelState {
    this.next.copy(this.state);
    return this.next;
  }

  beginFault(): ModelState {
    const next = this.begin();
    next.faults -= 1;
    return next;
  }

  move(index: 0 | 1, phase: number, name: StepName): void {
    this.next.replicas[index].phase = phase;
    this.end(name, index + 1);
  }

  /** Hands on what {@link begin} began. */
  end(name: StepName, replica = 0, broken: string | null = null): void {
    clean(this.next);
    this.#emit(this.next, stepOf(name, replica), broken);
  }

  /** What a process does that can go on no longer. */
  startAnew(index: 0 | 1): void {
    forget(this.begin(), index);
    this.end('starts anew', index + 1);
  }

  /** Whether its rights to write were renewed within their deadlines. */
  mayWrite({ leaseAge, fenceAge }: Replica): boolean {
    return rights[leaseAge]![fenceAge]!;
  }

  isPastDeadline(index: 0 | 1): boolean {
    return !this.mayWrite(this.state.replicas[index]);
  }

  /** Whether the database takes its fence for the one in force. */
  isInForce(index: 0 | 1): boolean {
    const { row, epoch, hasSnapshot, replicas } = this.state;
    if (row === index + 1) return true;
    return !this.rules.holder && hasSnapshot === 2 && row !== Holder.None && replicas[index].epoch === epoch;
  }

  mayAppend(index: 0 | 1): boolean {
    return !this.rules.fence || this.isInForce(index);
  }

  /** The rule that an entry of it breaks; null: none. */
  brokenByAppend(index: 0 | 1): string | null {
    const { row } = this.state;
    const isOther = row !== index + 1 && row !== Holder.None;
    return isOther ? 'the ledger takes an entry of a holder that was taken over' : null;
  }

  /** Whatever was written under an earlier fence is superseded once its successor reads the scale. */
  supersede(next: ModelState, index: 0 | 1): void {
    if (next.row !== index + 1) return;
    for (const write of next.writes)
      if (write.status !== Status.None && write.author !== index + 1) write.isSuperseded = 1;
  }
}

/** Every version that anyone has read, or made a request on, is a former one from now on. */
export function changeTarget(next: ModelState): void {
  for (const replica of next.replicas) replica.isFresh = 0;
  for (const write of next.writes) write.isFresh = 0;
}

export function changeLease(next: ModelState, holder: number): void {
  next.lease = holder;
  for (const replica of next.replicas) {
    replica.hasSeen = 0;
    replica.seenAge = 0;
  }
}

/** A process ends, and starts as another holder that knows nothing. */
export function forget(next: ModelState, index: 0 | 1): void {
  const holder = index + 1;
  next.replicas[index].reset();
  if (next.lease === holder) next.lease = Holder.Gone;
  if (next.row === holder) next.row = Holder.Gone;
  if (next.snapshotRow === holder) next.snapshotRow = Holder.Gone;
  for (const write of next.writes) if (write.author === holder) write.author = Holder.Gone;
}
