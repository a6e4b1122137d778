import { type NamespacedName, namespacedName } from '#kernel';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { isSameTarget, type ScaleTarget, targetKeyOf } from '../policies/scale-target.ts';
import { PolicyRuntime } from './policy-runtime.ts';

/** A policy that left its target, and what goes on under its name with another; null: it is not in force any more. */
export interface LeftPolicy {
  readonly runtime: PolicyRuntime;
  readonly successor: PolicyRuntime | null;
}

/** Policies that came into force or took another target, and those that left theirs. */
export interface Adopted {
  readonly added: readonly PolicyRuntime[];
  readonly left: readonly LeftPolicy[];
}

const nothing: Adopted = { added: [], left: [] };

/** The runtimes of all policies in force, by name and by target. */
export class PolicyRuntimes {
  #adopted: readonly ActivePolicy[] = [];
  #byKey = new Map<string, PolicyRuntime>();
  #byTarget = new Map<string, PolicyRuntime>();
  #all: readonly PolicyRuntime[] = [];

  /**
   * Takes over the policies in force now. A policy that keeps its name and its target keeps its runtime, whatever its new
   * version says; one with another target has another runtime.
   */
  adopt(active: readonly ActivePolicy[]): Adopted {
    if (active === this.#adopted) return nothing;
    const before = this.#byKey;
    this.#adopted = active;
    this.#byKey = new Map();
    this.#byTarget = new Map();
    const added: PolicyRuntime[] = [];
    for (const policy of active) {
      const known = before.get(namespacedName(policy.policy));
      const runtime = runtimeOf(policy, known);
      runtime.take(policy);
      this.#byKey.set(runtime.key, runtime);
      this.#byTarget.set(targetKeyOf(runtime.target), runtime);
      if (runtime !== known) added.push(runtime);
    }
    this.#all = [...this.#byKey.values()];
    const left = [...before.values()].flatMap((runtime) => this.#leaveOf(runtime) ?? []);
    return { added, left };
  }

  #leaveOf(runtime: PolicyRuntime): LeftPolicy | null {
    const successor = this.#byKey.get(runtime.key) ?? null;
    if (successor === runtime) return null;
    runtime.leave(successor === null ? 'Left' : 'Retargeted');
    return { runtime, successor };
  }

  /** Gives policies away, to another process: nothing of theirs is kept, and they have not left. */
  giveAway(areMeant: (policy: NamespacedName) => boolean): readonly PolicyRuntime[] {
    const given = this.#all.filter(({ active }) => areMeant(active.policy));
    for (const runtime of given) {
      runtime.leave('NotHeld');
      this.#byKey.delete(runtime.key);
      const target = targetKeyOf(runtime.target);
      if (this.#byTarget.get(target) === runtime) this.#byTarget.delete(target);
    }
    this.#all = [...this.#byKey.values()];
    return given;
  }

  get(key: string): PolicyRuntime | undefined {
    return this.#byKey.get(key);
  }

  all(): readonly PolicyRuntime[] {
    return this.#all;
  }

  /** The policy of a target; undefined: there is none. */
  ofTarget(target: ScaleTarget): PolicyRuntime | undefined {
    return this.#byTarget.get(targetKeyOf(target));
  }
}

function runtimeOf(active: ActivePolicy, known: PolicyRuntime | undefined): PolicyRuntime {
  if (known === undefined) return new PolicyRuntime(active);
  return isSameTarget(known.active.policy.target, active.policy.target) ? known : known.retarget(active);
}
