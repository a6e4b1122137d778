import { Holder, ModelState, Net, Phase, type Replica, Status, type Write } from './model-state.ts';
import { longestAge, renewals, rights, terms, victories } from './shell-rules.ts';
import { type StepName, stepOf } from './steps.ts';

/** Looked up once: in a test's own realm that takes long. */
const { min } = Math;

/** Of a fence that no restored database gives out again. */
const noEpoch = 3;

/** Rules of the protocol, each of which a test takes away to see the model find what it is for. */
export interface Rules {
  /** A write is sent only when its intent is in the ledger. */
  readonly intent: boolean;
  /** A write is sent only while the rights to it were renewed within the deadline. */
  readonly deadline: boolean;
  /** The ledger takes entries under the fence in force only. */
  readonly fence: boolean;
  /** A fence is compared by its holder, too, and not by its epoch alone. */
  readonly holder: boolean;
  /** After a 409 the right to write is looked at again, once the new version is read. */
  readonly lookAfterConflict: boolean;
  /** Who takes over resolves the pending write before anything else. */
  readonly resolve: boolean;
  /** Before a write is called not made, the version that its request was made on is made a former one. */
  readonly invalidate: boolean;
  /** Who finds a Lease free, and not expired, waits for the fence to be free, too. */
  readonly waitForFence: boolean;
  /** Whose Lease was seen to expire has its fence taken before that has expired, and no other holder. */
  readonly onlyExpired: boolean;
  /** Who has won the Lease takes the fence only as it saw it before. */
  readonly sameFence: boolean;
  /** A holder whose deadline is over does not renew its Lease any more. */
  readonly renewInTime: boolean;
}

export const allRules: Rules = {
  intent: true,
  deadline: true,
  fence: true,
  holder: true,
  lookAfterConflict: true,
  resolve: true,
  invalidate: true,
  waitForFence: true,
  onlyExpired: true,
  sameFence: true,
  renewInTime: true,
};

/** What is explored. */
export interface ModelOptions {
  readonly rules?: Partial<Rules>;
  /** `None`: one process writes, and another takes the fence's row when it has expired. `First`: the second may not use them. Default `Both`. */
  readonly leases?: 'Both' | 'First' | 'None';
  /** How many faults happen on one way. */
  readonly faults: number;
  /** Which of them; default: all but `Restore`, which multiplies the states. */
  readonly kinds?: readonly Fault[];
}

export type Fault = 'Crash' | 'ForeignWrite' | 'LostRequest' | 'DeletedLease' | 'Restore';

const usualFaults: readonly Fault[] = ['Crash', 'ForeignWrite', 'LostRequest', 'DeletedLease'];

type Emit = (next: ModelState, step: number, broken: string | null) => void;

/** The protocol of two replicas that compete for one scope with one target, as every step that can come next. */
export class ProtocolModel {
  readonly #rules: Rules;
  /** By replica. */
  readonly #usesLeases: readonly [boolean, boolean];
  readonly #faults: number;
  readonly #kinds: ReadonlySet<Fault>;
  readonly #next = new ModelState();
  #state = new ModelState();
  #emit: Emit = () => undefined;

  constructor({ rules, leases = 'Both', faults, kinds = usualFaults }: ModelOptions) {
    this.#kinds = new Set(kinds);
    this.#rules = { ...allRules, ...rules };
    this.#usesLeases = [leases !== 'None', leases === 'Both'];
    this.#faults = faults;
  }

  start(state: ModelState): void {
    state.faults = this.#faults;
  }

  /** Some replica decides for the policy, and everything that was written has its outcome. */
  isWatched(state: ModelState): boolean {
    const [first, second] = state.writes;
    if (isOpen(first) || isOpen(second)) return false;
    return state.replicas.some(
      (replica, index) =>
        replica.phase === Phase.Watching && state.row === index + 1 && this.#mayWrite(replica),
    );
  }

  /** Calls back with each state that one step leads to, and the rule that the step broke. */
  expand(state: ModelState, emit: Emit): void {
    this.#state = state;
    this.#emit = emit;
    this.#tick();
    this.#deliver(0);
    this.#deliver(1);
    for (const index of [0, 1] as const) {
      this.#elect(index);
      this.#hold(index);
      this.#resolve(index);
      this.#write(index);
      this.#leave(index);
    }
    if (state.faults > 0) this.#fail();
  }

  #tick(): void {
    const next = this.#begin();
    for (const index of [0, 1] as const) {
      const replica = next.replicas[index];
      if (replica.phase === Phase.Waiting) {
        replica.seenAge = older(replica.seenAge, replica.hasSeen);
      } else {
        const passed = this.#usesLeases[index] ? 1 : 0;
        replica.leaseAge = min(replica.leaseAge + passed, terms.renewDeadlineMilliseconds);
        replica.fenceAge = min(replica.fenceAge + 1, terms.renewDeadlineMilliseconds);
      }
    }
    if (next.row !== Holder.None) next.rowAge = older(next.rowAge, 1);
    this.#end('a tick of the clocks');
  }

  #deliver(index: 0 | 1): void {
    if (this.#state.writes[index].net !== Net.UnderWay) return;
    const next = this.#begin();
    const write = next.writes[index];
    const name = `the request of write ${index} reaches the API server` as const;
    if (write.isFresh === 0) {
      write.net = Net.Refused;
      this.#end(name);
      return;
    }
    const broken = brokenByEffect(write);
    changeTarget(next);
    next.writes[0].isVisible = 0;
    next.writes[1].isVisible = 0;
    write.isVisible = 1;
    write.isEffective = 1;
    write.net = Net.Done;
    this.#end(name, 0, broken);
  }

  #elect(index: 0 | 1): void {
    const { phase, hasSeen } = this.#state.replicas[index];
    if (phase === Phase.Elected) {
      this.#takeFence(index, Phase.Fenced);
      this.#lookAtFence(index);
    }
    if (phase !== Phase.Waiting) return;
    if (!this.#usesLeases[index]) this.#takeFence(index, Phase.Fenced);
    else if (hasSeen === 0) this.#lookAtLease(index);
    else this.#win(index);
  }

  #lookAtLease(index: 0 | 1): void {
    const looking = this.#begin().replicas[index];
    looking.hasSeen = 1;
    looking.seenAge = 0;
    this.#end('looks at the Lease', index + 1);
  }

  #win(index: 0 | 1): void {
    const { lease, replicas, row } = this.#state;
    const victory = victories[lease]?.[replicas[index].seenAge] ?? null;
    if (victory === null) return;
    const next = this.#begin();
    changeLease(next, index + 1);
    const winner = next.replicas[index];
    winner.reset();
    winner.phase = Phase.Elected;
    // A replica that uses no Leases has let none expire.
    const isOther = row === Holder.B && !this.#usesLeases[1] && this.#rules.onlyExpired;
    const mayOverride = victory === 'Override' && !isOther;
    winner.claim = mayOverride || !this.#rules.waitForFence ? 2 : 1;
    this.#end('wins the Lease', index + 1);
  }

  /** The fence is taken when it is free, has expired, or is that of a holder whose Lease was seen to expire. */
  #takeFence(index: 0 | 1, phase: number): void {
    const { row, rowAge, replicas } = this.#state;
    const { claim } = replicas[index];
    const isFree = row === Holder.None || rowAge === longestAge;
    if (this.#usesLeases[index] ? claim === 0 || (claim === 1 && !isFree) : !isFree) return;
    const next = this.#begin();
    const replica = next.replicas[index];
    next.row = index + 1;
    next.rowAge = 0;
    if (this.#rules.sameFence) for (const other of next.replicas) other.claim = 0;
    if (!this.#rules.holder) next.epoch = min(next.epoch + min(next.hasSnapshot, 1), noEpoch - 1);
    replica.epoch = next.epoch;
    replica.fenceAge = 0;
    replica.claim = 0;
    replica.phase = phase;
    this.#end('takes the fence', index + 1);
  }

  /** Another has taken it since the Lease was won, so only when that is over. */
  #lookAtFence(index: 0 | 1): void {
    const { claim, leaseAge } = this.#state.replicas[index];
    if (claim !== 0 || leaseAge === terms.renewDeadlineMilliseconds) return;
    this.#begin().replicas[index].claim = 1;
    this.#end('looks at the fence', index + 1);
  }

  #hold(index: 0 | 1): void {
    const replica = this.#state.replicas[index];
    if (replica.phase < Phase.Elected) return;
    if (replica.phase >= Phase.Leaving) return;
    if (this.#usesLeases[index]) this.#renewLease(index);
    const hasFence = replica.phase >= Phase.Fenced;
    if (hasFence && this.#isInForce(index)) {
      const next = this.#begin();
      next.rowAge = 0;
      next.replicas[index].fenceAge = 0;
      this.#end('renews the fence', index + 1);
    } else if (hasFence) {
      this.#startAnew(index);
    }
  }

  #renewLease(index: 0 | 1): void {
    const { lease, replicas } = this.#state;
    const holder = index + 1;
    const seen = lease === holder ? Holder.A : lease === Holder.Absent ? Holder.Absent : Holder.B;
    const outcome = renewals[seen]![this.#rules.renewInTime ? replicas[index].leaseAge : 0];
    if (outcome !== 'Renewed') {
      if (outcome === 'Lost') this.#startAnew(index);
      return;
    }
    changeLease(this.#begin(), holder);
    this.#next.replicas[index].leaseAge = 0;
    this.#end('renews the Lease', holder);
    changeLease(this.#begin(), holder);
    this.#end('renews the Lease, and the answer is lost', holder);
  }

  #resolve(index: 0 | 1): void {
    const { phase, write: about } = this.#state.replicas[index];
    if (phase === Phase.Fenced) this.#restore(index);
    if (phase === Phase.InDoubt) {
      const replica = this.#begin().replicas[index];
      replica.result = resultOf(this.#next.writes[about]!);
      replica.isFresh = 1;
      this.#move(index, Phase.Found, 'finds out what became of the write');
    }
    if (phase === Phase.Found) this.#invalidate(index);
    if (phase === Phase.Judged) this.#record(index, 'records what became of the write');
  }

  /** On exactly the version that was read, and with its answer the scale is read; where it is another, all of it again. */
  #invalidate(index: 0 | 1): void {
    const { result, isFresh } = this.#state.replicas[index];
    const isNeeded = result !== Status.Made && this.#rules.invalidate;
    const next = this.#begin();
    const isRefused = isNeeded && isFresh === 0;
    if (isNeeded && !isRefused) changeTarget(next);
    if (isRefused) next.replicas[index].result = Status.None;
    else this.#supersede(next, index);
    next.replicas[index].isFresh = 0;
    this.#move(
      index,
      isRefused ? Phase.InDoubt : Phase.Judged,
      'makes the version of the target a former one',
    );
  }

  #restore(index: 0 | 1): void {
    const next = this.#begin();
    const replica = next.replicas[index];
    const pending = next.writes.findIndex(({ status }) => status === Status.Pending);
    replica.phase = pending === -1 || !this.#rules.resolve ? Phase.Watching : Phase.InDoubt;
    replica.write = Math.max(pending, 0);
    this.#end('reads the state in the ledger', index + 1);
  }

  #write(index: 0 | 1): void {
    const { replicas, writes } = this.#state;
    const replica = replicas[index];
    const { phase } = replica;
    const write = writes[replica.write]!;
    switch (phase) {
      case Phase.Watching: {
        const next = this.#begin();
        this.#supersede(next, index);
        next.replicas[index].isFresh = 1;
        this.#move(index, Phase.HasRead, 'reads the scale');
        return;
      }
      case Phase.HasRead:
        this.#begin().replicas[index].isFresh = 0;
        this.#move(index, Phase.Watching, 'leaves the scale as it is');
        this.#intend(index);
        return;
      case Phase.Recorded: {
        this.#begin();
        const isRight = !this.#rules.deadline || this.#mayWrite(replica);
        this.#move(index, isRight ? Phase.Looked : Phase.NotMade, 'looks at its right to write');
        return;
      }
      case Phase.Looked:
        this.#begin().writes[replica.write]!.net = Net.UnderWay;
        this.#move(index, Phase.Sent, 'sends the write');
        return;
      case Phase.Sent:
        this.#answer(index, write);
        return;
      default:
        this.#conclude(index);
    }
  }

  #conclude(index: 0 | 1): void {
    const { phase } = this.#state.replicas[index];
    if (phase === Phase.Conflict) this.#readAgain(index);
    if (phase === Phase.NotMade) this.#record(index, 'records that the write was not made');
    if (phase === Phase.Made) this.#record(index, 'records that the write was made');
  }

  #intend(index: 0 | 1): void {
    const free = this.#state.writes.findIndex(({ status }) => status === Status.None);
    if (free === -1) return;
    if (!this.#mayAppend(index)) {
      this.#startAnew(index);
      return;
    }
    const next = this.#begin();
    const replica = next.replicas[index];
    const pending = next.writes.findIndex(({ status }) => status === Status.Pending);
    if (pending !== -1) {
      // The ledger takes one intent of a policy at a time: one that a restored database has again is resolved first.
      replica.isFresh = 0;
      replica.write = pending;
      this.#move(index, Phase.InDoubt, 'records an intent');
      return;
    }
    const write = next.writes[free]!;
    write.status = this.#rules.intent ? Status.Pending : Status.NotMade;
    write.author = index + 1;
    write.isFresh = replica.isFresh;
    replica.isFresh = 0;
    replica.write = free;
    replica.phase = Phase.Recorded;
    this.#end('records an intent', index + 1, this.#brokenByAppend(index));
  }

  #answer(index: 0 | 1, { net }: Write): void {
    if (net === Net.Done || net === Net.Refused) {
      this.#begin().writes[this.#state.replicas[index].write]!.net = Net.None;
      this.#move(index, net === Net.Done ? Phase.Made : Phase.Conflict, 'is answered');
    }
    const late = this.#begin().writes[this.#state.replicas[index].write]!;
    if (net !== Net.UnderWay) late.net = Net.None;
    this.#move(index, Phase.InDoubt, 'gives up waiting for the answer');
  }

  /** The count is the same, and the write is made on the new version; or it is another one. */
  #readAgain(index: 0 | 1): void {
    const next = this.#begin();
    this.#supersede(next, index);
    next.writes[next.replicas[index].write]!.isFresh = 1;
    const phase = this.#rules.lookAfterConflict ? Phase.Recorded : Phase.Looked;
    this.#move(index, phase, 'reads the scale again after a 409');
    this.#supersede(this.#begin(), index);
    this.#move(index, Phase.NotMade, 'reads the scale again after a 409');
  }

  #record(index: 0 | 1, name: StepName): void {
    if (!this.#mayAppend(index)) {
      this.#startAnew(index);
      return;
    }
    const next = this.#begin();
    const replica = next.replicas[index];
    const write = next.writes[replica.write]!;
    const result = { [Phase.NotMade]: Status.NotMade, [Phase.Made]: Status.Made }[replica.phase];
    const outcome = result ?? replica.result;
    const broken = this.#brokenByAppend(index) ?? brokenByOutcome(write, outcome);
    // The ledger refuses a second outcome of an intent.
    if (write.status === Status.Pending) write.status = outcome;
    replica.result = Status.None;
    replica.phase = Phase.Watching;
    this.#end(name, index + 1, broken);
  }

  #leave(index: 0 | 1): void {
    const { phase } = this.#state.replicas[index];
    const holder = index + 1;
    if (leavable.has(phase)) {
      this.#begin();
      this.#move(index, phase === Phase.Elected ? Phase.GivenUp : Phase.Leaving, 'leaves the scope');
    }
    if (phase === Phase.Leaving) {
      const next = this.#begin();
      if (next.row === holder) next.row = Holder.None;
      this.#move(index, Phase.GivenUp, 'gives the fence up');
    }
    if (phase === Phase.GivenUp) {
      const next = this.#begin();
      if (next.lease === holder) changeLease(next, Holder.None);
      forget(next, index);
      this.#end('releases the Lease', holder);
    }
    if (phase !== Phase.Waiting && phase < Phase.Leaving && this.#isPastDeadline(index))
      this.#startAnew(index);
  }

  #fail(): void {
    if (this.#kinds.has('Crash')) this.#crash();
    if (this.#kinds.has('ForeignWrite')) this.#writeByOthers();
    if (this.#kinds.has('LostRequest')) this.#loseRequests();
    if (this.#kinds.has('DeletedLease')) this.#deleteLease();
    if (!this.#kinds.has('Restore')) return;
    if (this.#state.hasSnapshot === 0) this.#copyDatabase();
    if (this.#state.hasSnapshot === 1) this.#restoreDatabase();
  }

  #crash(): void {
    for (const index of [0, 1] as const) {
      if (this.#state.replicas[index].phase === Phase.Waiting) continue;
      forget(this.#beginFault(), index);
      this.#end('crashes', index + 1);
    }
  }

  #writeByOthers(): void {
    changeTarget(this.#beginFault());
    this.#next.writes[0].isVisible = 0;
    this.#next.writes[1].isVisible = 0;
    this.#end('another writer changes the scale');
    changeTarget(this.#beginFault());
    this.#end('another writer changes the target, and not its scale');
  }

  #loseRequests(): void {
    for (const index of [0, 1] as const) {
      if (this.#state.writes[index].net !== Net.UnderWay) continue;
      this.#beginFault().writes[index].net = Net.None;
      this.#end(`the request of write ${index} is lost`);
    }
  }

  #deleteLease(): void {
    const { isLeaseDeleted, hasSnapshot, lease } = this.#state;
    // One thing is done by hand, not two at once (ADR 16).
    if (!this.#usesLeases[0] || isLeaseDeleted === 1 || hasSnapshot === 2 || lease === Holder.Absent) return;
    const next = this.#beginFault();
    changeLease(next, Holder.Absent);
    next.isLeaseDeleted = 1;
    this.#end('the Lease is deleted by hand');
  }

  #copyDatabase(): void {
    const next = this.#begin();
    next.hasSnapshot = 1;
    next.snapshotRow = next.row;
    next.writes.forEach(({ status }, index) => (next.snapshotStatus[index] = status));
    next.replicas.forEach((replica, index) => (replica.epoch = next.row === index + 1 ? 0 : noEpoch));
    this.#end('a copy of the database is made');
  }

  #restoreDatabase(): void {
    if (this.#state.isLeaseDeleted === 1) return;
    const next = this.#beginFault();
    next.hasSnapshot = 2;
    if (next.row !== next.snapshotRow) for (const replica of next.replicas) replica.claim = 0;
    next.row = next.snapshotRow;
    // Its connections end with it: a take that was sent before the deadline and is late does not reach it.
    for (const index of [0, 1] as const) {
      const { phase, leaseAge } = next.replicas[index];
      if (phase === Phase.Elected && leaseAge === terms.renewDeadlineMilliseconds) forget(next, index);
    }
    next.rowAge = next.row === Holder.None ? 0 : longestAge;
    next.epoch = 0;
    next.writes.forEach((write, index) => {
      const before = next.snapshotStatus[index]!;
      if (before !== Status.None) write.status = before;
      else if (write.status !== Status.None) write.status = Status.Lost;
    });
    next.snapshotRow = Holder.None;
    next.snapshotStatus.fill(Status.None);
    this.#end('the database is restored from the copy');
  }

  #startAnew(index: 0 | 1): void {
    forget(this.#begin(), index);
    this.#end('starts anew', index + 1);
  }

  #mayWrite({ leaseAge, fenceAge }: Replica): boolean {
    return rights[leaseAge]![fenceAge]!;
  }

  #isPastDeadline(index: 0 | 1): boolean {
    return !this.#mayWrite(this.#state.replicas[index]);
  }

  #isInForce(index: 0 | 1): boolean {
    const { row, epoch, hasSnapshot, replicas } = this.#state;
    if (row === index + 1) return true;
    return !this.#rules.holder && hasSnapshot === 2 && row !== Holder.None && replicas[index].epoch === epoch;
  }

  #mayAppend(index: 0 | 1): boolean {
    return !this.#rules.fence || this.#isInForce(index);
  }

  #brokenByAppend(index: 0 | 1): string | null {
    const { row } = this.#state;
    const isOther = row !== index + 1 && row !== Holder.None;
    return isOther ? 'the ledger takes an entry of a holder that was taken over' : null;
  }

  /** Whatever was written under an earlier fence is superseded once its successor reads the scale. */
  #supersede(next: ModelState, index: 0 | 1): void {
    if (next.row !== index + 1) return;
    for (const write of next.writes)
      if (write.status !== Status.None && write.author !== index + 1) write.isSuperseded = 1;
  }

  #begin(): ModelState {
    this.#next.copy(this.#state);
    return this.#next;
  }

  #beginFault(): ModelState {
    const next = this.#begin();
    next.faults -= 1;
    return next;
  }

  #move(index: 0 | 1, phase: number, name: StepName): void {
    this.#next.replicas[index].phase = phase;
    this.#end(name, index + 1);
  }

  #end(name: StepName, replica = 0, broken: string | null = null): void {
    clean(this.#next);
    this.#emit(this.#next, stepOf(name, replica), broken);
  }
}

const leavable: ReadonlySet<number> = new Set([
  Phase.Elected,
  Phase.Fenced,
  Phase.InDoubt,
  Phase.Watching,
  Phase.HasRead,
]);

function older(age: number, by: number): number {
  return min(age + by, longestAge);
}

/** Every version that anyone has read, or made a request on, is a former one from now on. */
function changeTarget(next: ModelState): void {
  for (const replica of next.replicas) replica.isFresh = 0;
  for (const write of next.writes) write.isFresh = 0;
}

function changeLease(next: ModelState, holder: number): void {
  next.lease = holder;
  for (const replica of next.replicas) {
    replica.hasSeen = 0;
    replica.seenAge = 0;
  }
}

/** A process ends, and starts as another holder that knows nothing. */
function forget(next: ModelState, index: 0 | 1): void {
  const holder = index + 1;
  next.replicas[index].reset();
  if (next.lease === holder) next.lease = Holder.Gone;
  if (next.row === holder) next.row = Holder.Gone;
  if (next.snapshotRow === holder) next.snapshotRow = Holder.Gone;
  for (const write of next.writes) if (write.author === holder) write.author = Holder.Gone;
}

/** Makes states the same that nothing can tell apart. */
function clean(next: ModelState): void {
  cleanWrite(next, 0);
  cleanWrite(next, 1);
  for (const replica of next.replicas) {
    if (!isInWrite(replica)) replica.write = 0;
    if (replica.phase < Phase.Fenced) replica.fenceAge = 0;
    if (replica.phase < Phase.Leaving) continue;
    replica.leaseAge = 0;
    replica.fenceAge = 0;
  }
}

/** A request that can do nothing any more, and of which no one waits to hear, is none; a write that is over, too. */
function cleanWrite(next: ModelState, index: 0 | 1): void {
  const write = next.writes[index];
  if (write.status === Status.None) return;
  const by = next.replicas.find((replica) => isAbout(replica, index));
  if (!isAwaited(by, write) && !mayTakeEffect(write)) write.net = Net.None;
  const isPending = write.status === Status.Pending || next.snapshotStatus[index] === Status.Pending;
  if (isPending || write.net !== Net.None || by !== undefined) return;
  next.snapshotStatus[index] = Status.None;
  write.copy(noWrite);
}

function isAwaited(by: Replica | undefined, { author }: Write): boolean {
  return by?.phase === Phase.Sent && author !== Holder.Gone;
}

function mayTakeEffect({ net, isFresh }: Write): boolean {
  return net === Net.UnderWay && isFresh === 1;
}

function isInWrite({ phase }: Replica): boolean {
  return (
    phase >= Phase.InDoubt && phase !== Phase.Watching && phase !== Phase.HasRead && phase < Phase.Leaving
  );
}

function isAbout(replica: Replica, index: number): boolean {
  return isInWrite(replica) && replica.write === index;
}

const noWrite = new ModelState().writes[0];

function isOpen({ status, isEffective }: Write): boolean {
  return status === Status.Pending || (isEffective === 1 && status === Status.NotMade);
}

function resultOf({ isVisible, isEffective }: Write): number {
  if (isVisible === 1) return Status.Made;
  return isEffective === 1 ? Status.Overtaken : Status.NotMade;
}

/** A write whose record a restored database lost is another writer's to everyone. */
function brokenByEffect({ status, isSuperseded }: Write): string | null {
  if (status === Status.Lost) return null;
  if (isSuperseded === 1)
    return 'a write of a fenced holder takes effect after its successor has read the scale';
  return status === Status.Pending ? null : 'a write takes effect without an intent that is pending';
}

function brokenByOutcome({ status, isEffective }: Write, outcome: number): string | null {
  if (status !== Status.Pending) return null;
  if (isEffective === 1 && outcome === Status.NotMade) return 'a write that was made is recorded as not made';
  return isEffective === 0 && outcome === Status.Made
    ? 'a write that was not made is recorded as made'
    : null;
}
