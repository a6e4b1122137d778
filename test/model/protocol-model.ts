import { FaultSteps } from './fault-steps.ts';
import { allRules, type ModelOptions, usualFaults } from './model-rules.ts';
import { type ModelState, Phase, Status, type Write } from './model-state.ts';
import { ScopeSteps } from './scope-steps.ts';
import { type Emit, Transition } from './transition.ts';
import { WriteSteps } from './write-steps.ts';

/** The protocol of two replicas that compete for one scope with one target, as every step that can come next. */
export class ProtocolModel {
  readonly #step: Transition;
  readonly #scope: ScopeSteps;
  readonly #writes: WriteSteps;
  readonly #faults: FaultSteps;
  readonly #maximumFaults: number;
  readonly #repeatsRequests: boolean;

  constructor({ rules, leases = 'Both', faults, kinds = usualFaults, writes = 2 }: ModelOptions) {
    this.#step = new Transition({
      rules: { ...allRules, ...rules },
      usesLeases: [leases !== 'None', leases === 'Both'],
      maximumWrites: writes,
    });
    this.#scope = new ScopeSteps(this.#step);
    this.#writes = new WriteSteps(this.#step);
    this.#faults = new FaultSteps(this.#step, kinds);
    this.#maximumFaults = faults;
    this.#repeatsRequests = kinds.includes('RepeatedRequest');
  }

  start(state: ModelState): void {
    state.faults = this.#maximumFaults;
  }

  /** Some replica decides for the policy, and everything that was written has its outcome. */
  isWatched(state: ModelState): boolean {
    const [first, second] = state.writes;
    if (isOpen(first) || isOpen(second)) return false;
    return state.replicas.some(
      (replica, index) =>
        replica.phase === Phase.Watching && state.row === index + 1 && this.#step.mayWrite(replica),
    );
  }

  /** Calls back with each state that one step leads to, and the rule that the step broke. */
  expand(state: ModelState, emit: Emit): void {
    this.#step.from(state, emit);
    this.#scope.tick();
    this.#writes.deliver(0);
    this.#writes.deliver(1);
    for (const index of [0, 1] as const) {
      this.#scope.elect(index);
      this.#scope.hold(index);
      this.#writes.resolve(index);
      this.#writes.write(index);
      this.#scope.leave(index);
    }
    if (state.faults === 0) return;
    this.#faults.fail();
    if (!this.#repeatsRequests) return;
    this.#writes.deliverTwice(0);
    this.#writes.deliverTwice(1);
  }
}

function isOpen({ status, isEffective }: Write): boolean {
  return status === Status.Pending || (isEffective === 1 && status === Status.NotMade);
}
