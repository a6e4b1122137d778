import type { Fault } from './model-rules.ts';
import { Holder, Net, Phase, Status } from './model-state.ts';
import { longestAge, terms } from './shell-rules.ts';
import { changeLease, changeTarget, forget, noEpoch, type Transition } from './transition.ts';

/** What goes wrong, and what others do. */
export class FaultSteps {
  readonly #step: Transition;
  readonly #kinds: ReadonlySet<Fault>;

  constructor(step: Transition, kinds: readonly Fault[]) {
    this.#step = step;
    this.#kinds = new Set(kinds);
  }

  fail(): void {
    if (this.#kinds.has('Crash')) this.#crash();
    if (this.#kinds.has('ForeignWrite')) this.#writeByOthers();
    if (this.#kinds.has('LostRequest')) this.#loseRequests();
    if (this.#kinds.has('DeletedLease')) this.#changeLease(Holder.Absent, 'the Lease is deleted by hand');
    if (this.#kinds.has('EditedLease'))
      this.#changeLease(Holder.Gone, 'the Lease is given to nobody who lives by hand');
    if (!this.#kinds.has('Restore')) return;
    if (this.#step.state.hasSnapshot === 0) this.#copyDatabase();
    if (this.#step.state.hasSnapshot === 1) this.#restoreDatabase();
  }

  #crash(): void {
    for (const index of [0, 1] as const) {
      if (this.#step.state.replicas[index].phase === Phase.Waiting) continue;
      forget(this.#step.beginFault(), index);
      this.#step.end('crashes', index + 1);
    }
  }

  #writeByOthers(): void {
    changeTarget(this.#step.beginFault());
    this.#step.next.writes[0].isVisible = 0;
    this.#step.next.writes[1].isVisible = 0;
    this.#step.end('another writer changes the scale');
    changeTarget(this.#step.beginFault());
    this.#step.end('another writer changes the target, and not its scale');
  }

  #loseRequests(): void {
    for (const index of [0, 1] as const) {
      if (this.#step.state.writes[index].net !== Net.UnderWay) continue;
      this.#step.beginFault().writes[index].net = Net.None;
      this.#step.end(`the request of write ${index} is lost`);
    }
  }

  #changeLease(
    holder: number,
    name: 'the Lease is deleted by hand' | 'the Lease is given to nobody who lives by hand',
  ): void {
    const { isLeaseChanged, hasSnapshot, lease } = this.#step.state;
    // One thing is done by hand, not two at once (ADR 16).
    if (!this.#step.usesLeases[0] || isLeaseChanged === 1 || hasSnapshot === 2 || lease === holder) return;
    const next = this.#step.beginFault();
    changeLease(next, holder);
    next.isLeaseChanged = 1;
    this.#step.end(name);
  }

  #copyDatabase(): void {
    const next = this.#step.begin();
    next.hasSnapshot = 1;
    next.snapshotRow = next.row;
    next.writes.forEach(({ status }, index) => (next.snapshotStatus[index] = status));
    next.replicas.forEach((replica, index) => (replica.epoch = next.row === index + 1 ? 0 : noEpoch));
    this.#step.end('a copy of the database is made');
  }

  #restoreDatabase(): void {
    if (this.#step.state.isLeaseChanged === 1) return;
    const next = this.#step.beginFault();
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
    this.#step.end('the database is restored from the copy');
  }
}
