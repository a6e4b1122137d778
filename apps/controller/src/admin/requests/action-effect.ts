import type { Direction } from '#decision';
import type { JsonObject, NamespacedName } from '#kernel';
import type { StandingIntervention } from '#ledger';
import type { ScaleTargetRef } from '#policy';
import type { Role } from '../../auth/callers/principal.ts';
import type { OperatorActionName } from './operator-action-name.ts';

/** Policies that an effect describes; `total` counts the others, too. */
export const maximumDescribedPolicies = 100;

/** What is asked for is answered, and neither done nor recorded, where `dryRun` is true. */
export interface Rehearsable {
  readonly dryRun?: boolean | null | undefined;
  /** The digest of the effect that the caller saw: another effect is refused. */
  readonly confirm?: string | null | undefined;
}

/** How a policy is carried out at a moment: its own limits with its windows and interventions applied. */
export interface PolicyPicture {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** The count that an override names, within the bounds; null: none does. */
  readonly pin: number | null;
  /** The directions that a freeze or a suspension stops. */
  readonly stopped: Direction | 'None';
  /** Nothing is written. */
  readonly isDryRun: boolean;
  /** The count that follows at once, before anything that metrics ask for; null: not known. */
  readonly replicas: number | null;
}

/** What an action does to one policy. */
export interface PolicyEffect {
  readonly policy: NamespacedName;
  /** What it scales; null: not known, since the policy has left. */
  readonly target: ScaleTargetRef | null;
  /** Of its document. */
  readonly labels: Readonly<Record<string, string>>;
  /** `spec.replicas` of what it scales, at this moment; null: not known. */
  readonly present: number | null;
  /** What of its document changes: `maxReplicas 20 → 5`. */
  readonly changes: readonly string[];
  /** Null: the policy is not in force. */
  readonly now: PolicyPicture | null;
  readonly then: PolicyPicture | null;
  /** Which way the count goes at once. */
  readonly direction: 'Up' | 'Down' | 'None' | 'Unknown';
  /** In sentences: what the action cannot do here, and how the native controller acts otherwise. */
  readonly notes: readonly string[];
  /** Of the notes those that tell a count which follows later: `40 → 10 when the suspension by ann ends, …`. */
  readonly later: readonly string[];
}

/** What an action wants of its caller. */
export interface ActionRequirements {
  readonly role: Role;
  /** Whether `confirm` must be the effect's digest. */
  readonly confirm: boolean;
  /** Whether `force` must be true. */
  readonly force: boolean;
}

/** What an action would do, or did. */
export interface ActionEffect {
  readonly action: OperatorActionName;
  /** In a sentence. */
  readonly summary: string;
  /** The first {@link maximumDescribedPolicies} by name. */
  readonly policies: readonly PolicyEffect[];
  /** Policies that come, change or leave, at most 200: `shop/checkout changed: maxReplicas 20 → 5`. */
  readonly changes: readonly string[];
  /** Policies that it is about. */
  readonly total: number;
  /** RFC 3339: it ends by itself then; null: it does not. */
  readonly until: string | null;
  /** Of all of this, whatever is left out of `policies`. */
  readonly digest: string;
  readonly requires: ActionRequirements;
  /** What guardrails and the tenant's limits say against it, in sentences. */
  readonly problems: readonly string[];
  /** What operators did before to the same policies, and what still stands; at most 100. */
  readonly standing: readonly StandingIntervention[];
}

/** What an action answers: the effect, and whether it was carried out. */
export interface Answer<T> {
  /** Null: the request was a dry run. */
  readonly result: T | null;
  readonly effect: ActionEffect;
}

/** The effect as the ledger has it, without what is only advice to the caller. */
export function recordedEffect(effect: ActionEffect): JsonObject {
  const { summary, policies, changes, total, digest, problems } = effect;
  return {
    summary,
    total,
    digest,
    ...recordedAgainst(problems),
    changes: changes.slice(0, maximumRecordedPolicies),
    policies: policies.slice(0, maximumRecordedPolicies).map(({ policy, now, then, direction }) => ({
      policy: { ...policy },
      now: now === null ? null : { ...now },
      then: then === null ? null : { ...then },
      direction,
    })),
  };
}

/** What an action was forced against; nothing: it was not. */
export function recordedAgainst(problems: readonly string[]): { readonly against?: readonly string[] } {
  return problems.length === 0 ? {} : { against: problems.slice(0, maximumRecordedProblems) };
}

/** An entry names the policies of a usual namespace; of more it counts them. */
const maximumRecordedPolicies = 20;

/** A guardrail has a sentence for each of its rules. */
const maximumRecordedProblems = 20;
