import { Holder, Phase } from './model-state.ts';
import { longestAge, renewals, terms, victories } from './shell-rules.ts';
import { changeLease, forget, noEpoch, type Transition } from './transition.ts';

/** Looked up once: in a test's own realm that takes long. */
const { min } = Math;

/** How a scope is won, held and left: the Lease, and the fence under it. */
export class ScopeSteps {
  readonly #step: Transition;

  constructor(step: Transition) {
    this.#step = step;
  }

  tick(): void {
    const next = this.#step.begin();
    for (const index of [0, 1] as const) {
      const replica = next.replicas[index];
      if (replica.phase === Phase.Waiting) {
        replica.seenAge = older(replica.seenAge, replica.hasSeen);
      } else {
        const passed = this.#step.usesLeases[index] ? 1 : 0;
        replica.leaseAge = min(replica.leaseAge + passed, terms.renewDeadlineMilliseconds);
        replica.fenceAge = min(replica.fenceAge + 1, terms.renewDeadlineMilliseconds);
      }
    }
    if (next.row !== Holder.None) next.rowAge = older(next.rowAge, 1);
    this.#step.end('a tick of the clocks');
  }

  elect(index: 0 | 1): void {
    const { phase, hasSeen } = this.#step.state.replicas[index];
    if (phase === Phase.Elected) {
      this.#takeFence(index, Phase.Fenced);
      this.#lookAtFence(index);
    }
    if (phase !== Phase.Waiting) return;
    if (!this.#step.usesLeases[index]) this.#takeFence(index, Phase.Fenced);
    else if (hasSeen === 0) this.#lookAtLease(index);
    else this.#win(index);
  }

  #lookAtLease(index: 0 | 1): void {
    const looking = this.#step.begin().replicas[index];
    looking.hasSeen = 1;
    looking.seenAge = 0;
    this.#step.end('looks at the Lease', index + 1);
  }

  #win(index: 0 | 1): void {
    const { lease, replicas, row } = this.#step.state;
    const victory = victories[lease]?.[replicas[index].seenAge] ?? null;
    if (victory === null) return;
    const next = this.#step.begin();
    changeLease(next, index + 1);
    const winner = next.replicas[index];
    winner.reset();
    winner.phase = Phase.Elected;
    // A replica that uses no Leases has let none expire.
    const isOther = row === Holder.B && !this.#step.usesLeases[1] && this.#step.rules.onlyExpired;
    const mayOverride = victory === 'Override' && !isOther;
    winner.claim = mayOverride || !this.#step.rules.waitForFence ? 2 : 1;
    this.#step.end('wins the Lease', index + 1);
  }

  /** The fence is taken when it is free, has expired, or is that of a holder whose Lease was seen to expire. */
  #takeFence(index: 0 | 1, phase: number): void {
    const { row, rowAge, replicas } = this.#step.state;
    const { claim } = replicas[index];
    const isFree = row === Holder.None || rowAge === longestAge;
    if (this.#step.usesLeases[index] ? claim === 0 || (claim === 1 && !isFree) : !isFree) return;
    const next = this.#step.begin();
    const replica = next.replicas[index];
    next.row = index + 1;
    next.rowAge = 0;
    if (this.#step.rules.sameFence) for (const other of next.replicas) other.claim = 0;
    if (!this.#step.rules.holder) next.epoch = min(next.epoch + min(next.hasSnapshot, 1), noEpoch - 1);
    replica.epoch = next.epoch;
    replica.fenceAge = 0;
    replica.claim = 0;
    replica.phase = phase;
    this.#step.end('takes the fence', index + 1);
  }

  /** Another has taken it since the Lease was won, so only when that is over. */
  #lookAtFence(index: 0 | 1): void {
    const { claim, leaseAge } = this.#step.state.replicas[index];
    if (claim !== 0 || leaseAge === terms.renewDeadlineMilliseconds) return;
    this.#step.begin().replicas[index].claim = 1;
    this.#step.end('looks at the fence', index + 1);
  }

  hold(index: 0 | 1): void {
    const replica = this.#step.state.replicas[index];
    if (replica.phase < Phase.Elected) return;
    if (replica.phase >= Phase.Leaving) return;
    if (this.#step.usesLeases[index]) this.#renewLease(index);
    const hasFence = replica.phase >= Phase.Fenced;
    if (hasFence && this.#step.isInForce(index)) {
      const next = this.#step.begin();
      next.rowAge = 0;
      next.replicas[index].fenceAge = 0;
      this.#step.end('renews the fence', index + 1);
    } else if (hasFence) {
      this.#step.startAnew(index);
    }
  }

  #renewLease(index: 0 | 1): void {
    const { lease, replicas } = this.#step.state;
    const holder = index + 1;
    const seen = lease === holder ? Holder.A : lease === Holder.Absent ? Holder.Absent : Holder.B;
    const outcome = renewals[seen]![this.#step.rules.renewInTime ? replicas[index].leaseAge : 0];
    if (outcome !== 'Renewed') {
      if (outcome === 'Lost') this.#step.startAnew(index);
      return;
    }
    changeLease(this.#step.begin(), holder);
    this.#step.next.replicas[index].leaseAge = 0;
    this.#step.end('renews the Lease', holder);
    changeLease(this.#step.begin(), holder);
    this.#step.end('renews the Lease, and the answer is lost', holder);
  }

  leave(index: 0 | 1): void {
    const { phase } = this.#step.state.replicas[index];
    const holder = index + 1;
    if (leavable.has(phase)) {
      this.#step.begin();
      this.#step.move(index, phase === Phase.Elected ? Phase.GivenUp : Phase.Leaving, 'leaves the scope');
    }
    if (phase === Phase.Leaving) {
      const next = this.#step.begin();
      if (next.row === holder) next.row = Holder.None;
      this.#step.move(index, Phase.GivenUp, 'gives the fence up');
    }
    if (phase === Phase.GivenUp) {
      const next = this.#step.begin();
      if (next.lease === holder) changeLease(next, Holder.None);
      forget(next, index);
      this.#step.end('releases the Lease', holder);
    }
    if (phase !== Phase.Waiting && phase < Phase.Leaving && this.#step.isPastDeadline(index))
      this.#step.startAnew(index);
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
