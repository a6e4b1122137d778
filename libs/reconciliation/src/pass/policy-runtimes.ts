import { apiGroupOf, namespacedName } from '#kernel';
import type { ActivePolicy } from '../active-policy.ts';
import { type ScaleTarget, scaleTargetOf } from '../scale-target.ts';
import { PolicyRuntime } from './policy-runtime.ts';

/** Policies that came into force, and policies that left. */
export interface Adopted {
  readonly added: readonly PolicyRuntime[];
  readonly removed: readonly PolicyRuntime[];
}

const nothing: Adopted = { added: [], removed: [] };

/** The runtimes of all policies in force, by name and by target. */
export class PolicyRuntimes {
  #adopted: readonly ActivePolicy[] = [];
  #byKey = new Map<string, PolicyRuntime>();
  #byTarget = new Map<string, PolicyRuntime>();

  /** Takes over the policies in force now; a policy that stays keeps its runtime, whatever its new version says. */
  adopt(active: readonly ActivePolicy[]): Adopted {
    if (active === this.#adopted) return nothing;
    const before = this.#byKey;
    this.#adopted = active;
    this.#byKey = new Map();
    const added: PolicyRuntime[] = [];
    for (const policy of active) {
      const known = before.get(namespacedName(policy.policy));
      const runtime = known ?? new PolicyRuntime(policy);
      runtime.take(policy);
      this.#byKey.set(runtime.key, runtime);
      if (known === undefined) added.push(runtime);
    }
    // By the target of the newest version: what the watch sees of it is the next pass's.
    this.#byTarget = new Map(
      active.flatMap(({ policy }) => {
        const runtime = this.#byKey.get(namespacedName(policy));
        return runtime === undefined ? [] : [[targetKeyOf(scaleTargetOf(policy)), runtime]];
      }),
    );
    return { added, removed: [...before.values()].filter(({ key }) => !this.#byKey.has(key)) };
  }

  get(key: string): PolicyRuntime | undefined {
    return this.#byKey.get(key);
  }

  all(): readonly PolicyRuntime[] {
    return [...this.#byKey.values()];
  }

  /** The policy of a target; undefined: there is none. */
  ofTarget(target: ScaleTarget): PolicyRuntime | undefined {
    return this.#byTarget.get(targetKeyOf(target));
  }
}

function targetKeyOf({ namespace, apiVersion, kind, name }: ScaleTarget): string {
  return `${namespace}/${apiGroupOf(apiVersion)}/${kind}/${name}`;
}
