import { type ModelState, Net, Phase, Status, type Write } from './model-state.ts';
import type { StepName } from './steps.ts';
import { changeTarget, type Transition } from './transition.ts';

/** How a write is announced, sent, answered and recorded, and what becomes of one that is in doubt. */
export class WriteSteps {
  readonly #step: Transition;

  constructor(step: Transition) {
    this.#step = step;
  }

  deliver(index: 0 | 1): void {
    if (this.#step.state.writes[index].net !== Net.UnderWay) return;
    const next = this.#step.begin();
    const write = next.writes[index];
    const name = `the request of write ${index} reaches the API server` as const;
    if (write.isFresh === 0) {
      write.net = Net.Refused;
      this.#step.end(name);
      return;
    }
    const broken = takeEffect(next, index);
    write.net = Net.Done;
    this.#step.end(name, 0, broken);
  }

  /** It is made, and refused the second time; the second answer is the one that its author hears. */
  deliverTwice(index: 0 | 1): void {
    const { net, isFresh } = this.#step.state.writes[index];
    if (net !== Net.UnderWay || isFresh === 0) return;
    const next = this.#step.beginFault();
    const broken = takeEffect(next, index);
    next.writes[index].net = Net.Refused;
    this.#step.end(`the request of write ${index} reaches the API server twice`, 0, broken);
  }

  resolve(index: 0 | 1): void {
    const { phase, write: about } = this.#step.state.replicas[index];
    if (phase === Phase.Fenced) this.#restore(index);
    if (phase === Phase.InDoubt) {
      const replica = this.#step.begin().replicas[index];
      replica.result = resultOf(this.#step.next.writes[about]!);
      replica.isFresh = 1;
      this.#step.move(index, Phase.Found, 'finds out what became of the write');
    }
    if (phase === Phase.Found) this.#invalidate(index);
    if (phase === Phase.Judged) this.#record(index, 'records what became of the write');
  }

  /** On exactly the version that was read, and with its answer the scale is read; where it is another, all of it again. */
  #invalidate(index: 0 | 1): void {
    const { result, isFresh } = this.#step.state.replicas[index];
    const isNeeded = result !== Status.Made && this.#step.rules.invalidate;
    const next = this.#step.begin();
    const isRefused = isNeeded && isFresh === 0;
    if (isNeeded && !isRefused) changeTarget(next);
    if (isRefused) next.replicas[index].result = Status.None;
    else this.#step.supersede(next, index);
    next.replicas[index].isFresh = 0;
    this.#step.move(
      index,
      isRefused ? Phase.InDoubt : Phase.Judged,
      'makes the version of the target a former one',
    );
  }

  #restore(index: 0 | 1): void {
    const next = this.#step.begin();
    const replica = next.replicas[index];
    const pending = next.writes.findIndex(({ status }) => status === Status.Pending);
    replica.phase = pending === -1 || !this.#step.rules.resolve ? Phase.Watching : Phase.InDoubt;
    replica.write = Math.max(pending, 0);
    this.#step.end('reads the state in the ledger', index + 1);
  }

  write(index: 0 | 1): void {
    const { replicas, writes } = this.#step.state;
    const replica = replicas[index];
    const { phase } = replica;
    const write = writes[replica.write]!;
    switch (phase) {
      case Phase.Watching: {
        const next = this.#step.begin();
        this.#step.supersede(next, index);
        next.replicas[index].isFresh = 1;
        this.#step.move(index, Phase.HasRead, 'reads the scale');
        return;
      }
      case Phase.HasRead:
        this.#step.begin().replicas[index].isFresh = 0;
        this.#step.move(index, Phase.Watching, 'leaves the scale as it is');
        this.#intend(index);
        return;
      case Phase.Recorded: {
        this.#step.begin();
        const isRight = !this.#step.rules.deadline || this.#step.mayWrite(replica);
        this.#step.move(index, isRight ? Phase.Looked : Phase.NotMade, 'looks at its right to write');
        return;
      }
      case Phase.Looked:
        this.#step.begin().writes[replica.write]!.net = Net.UnderWay;
        this.#step.move(index, Phase.Sent, 'sends the write');
        return;
      case Phase.Sent:
        this.#answer(index, write);
        return;
      default:
        this.#conclude(index);
    }
  }

  #conclude(index: 0 | 1): void {
    const { phase } = this.#step.state.replicas[index];
    if (phase === Phase.Conflict) this.#readAgain(index);
    if (phase === Phase.NotMade) this.#record(index, 'records that the write was not made');
    if (phase === Phase.Made) this.#record(index, 'records that the write was made');
  }

  #intend(index: 0 | 1): void {
    const free = this.#step.state.writes.findIndex(({ status }) => status === Status.None);
    if (free === -1 || free >= this.#step.maximumWrites) return;
    if (!this.#step.mayAppend(index)) {
      this.#step.startAnew(index);
      return;
    }
    const next = this.#step.begin();
    const replica = next.replicas[index];
    const pending = next.writes.findIndex(({ status }) => status === Status.Pending);
    if (pending !== -1) {
      // The ledger takes one intent of a policy at a time: one that a restored database has again is resolved first.
      replica.isFresh = 0;
      replica.write = pending;
      this.#step.move(index, Phase.InDoubt, 'records an intent');
      return;
    }
    const write = next.writes[free]!;
    write.status = this.#step.rules.intent ? Status.Pending : Status.NotMade;
    write.author = index + 1;
    write.isFresh = replica.isFresh;
    replica.isFresh = 0;
    replica.write = free;
    replica.phase = Phase.Recorded;
    this.#step.end('records an intent', index + 1, this.#step.brokenByAppend(index));
  }

  #answer(index: 0 | 1, { net }: Write): void {
    if (net === Net.Done || net === Net.Refused) {
      this.#step.begin().writes[this.#step.state.replicas[index].write]!.net = Net.None;
      this.#step.move(index, net === Net.Done ? Phase.Made : Phase.Conflict, 'is answered');
    }
    const late = this.#step.begin().writes[this.#step.state.replicas[index].write]!;
    if (net !== Net.UnderWay) late.net = Net.None;
    this.#step.move(index, Phase.InDoubt, 'gives up waiting for the answer');
  }

  /** The write was made before it was refused; or the count is the same, and it is made on the new version; or another. */
  #readAgain(index: 0 | 1): void {
    const next = this.#step.begin();
    this.#step.supersede(next, index);
    const write = next.writes[next.replicas[index].write]!;
    if (this.#step.rules.findRefused && write.isEffective === 1) {
      next.replicas[index].result = resultOf(write);
      this.#step.move(index, Phase.Judged, 'reads the scale again after a 409');
      return;
    }
    write.isFresh = 1;
    const phase = this.#step.rules.lookAfterConflict ? Phase.Recorded : Phase.Looked;
    this.#step.move(index, phase, 'reads the scale again after a 409');
    this.#step.supersede(this.#step.begin(), index);
    this.#step.move(index, Phase.NotMade, 'reads the scale again after a 409');
  }

  #record(index: 0 | 1, name: StepName): void {
    if (!this.#step.mayAppend(index)) {
      this.#step.startAnew(index);
      return;
    }
    const next = this.#step.begin();
    const replica = next.replicas[index];
    const write = next.writes[replica.write]!;
    const result = { [Phase.NotMade]: Status.NotMade, [Phase.Made]: Status.Made }[replica.phase];
    const outcome = result ?? replica.result;
    const broken = this.#step.brokenByAppend(index) ?? brokenByOutcome(write, outcome);
    // The ledger refuses a second outcome of an intent.
    if (write.status === Status.Pending) write.status = outcome;
    replica.result = Status.None;
    replica.phase = Phase.Watching;
    this.#step.end(name, index + 1, broken);
  }
}

/** The write becomes the target's last change. Returns the rule that this breaks. */
function takeEffect(next: ModelState, index: 0 | 1): string | null {
  const write = next.writes[index];
  const broken = brokenByEffect(write);
  changeTarget(next);
  next.writes[0].isVisible = 0;
  next.writes[1].isVisible = 0;
  write.isVisible = 1;
  write.isEffective = 1;
  return broken;
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
