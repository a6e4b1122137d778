import type { Hold } from '#git-sync';
import { namespacedName } from '#kernel';
import type { StandingIntervention } from '#ledger';
import { type ActivePolicy, type ControllerMode, isInScope } from '#reconciliation';
import type { PolicyReport } from './policy-reports.ts';
import type { SourceView } from './source-operations.ts';

/** What may be said of a policy now, beside how its latest pass ended; several at a time. */
export const policyStates = [
  'AtMaximum',
  'Short',
  'Held',
  'Rejected',
  'Suspended',
  'Overridden',
  'DryRun',
  'Observing',
  'Contested',
  'Conflict',
  'StaleSource',
  'Fallback',
  'Failing',
  'Disabled',
] as const;
export type PolicyState = (typeof policyStates)[number];

/** A hold that a change of the policy is part of. */
export interface PolicyHold {
  readonly source: string;
  readonly hold: Hold;
}

/** How a policy stands now, and what makes it so. */
export interface PolicyStanding {
  readonly states: ReadonlySet<PolicyState>;
  /** Those that act on it, by their beginning. */
  readonly interventions: readonly StandingIntervention[];
  readonly holds: readonly PolicyHold[];
  /** Since when every look at its source has failed, RFC 3339; null: the last look worked. */
  readonly staleSince: string | null;
}

/** What policies' standings are made from, as of one moment. */
export interface StandingContext {
  /** As the caller may see them. */
  readonly sources: readonly SourceView[];
  readonly interventions: readonly StandingIntervention[];
  readonly mode: ControllerMode;
  /** RFC 3339. */
  readonly now: string;
}

/** Tells how policies stand; what is the same for all is looked up once. */
export class PolicyStandings {
  readonly #staleSince: ReadonlyMap<string, string | null>;
  readonly #holds: ReadonlyMap<string, readonly PolicyHold[]>;
  readonly #mode: ControllerMode;
  readonly #acting: readonly StandingIntervention[];

  constructor({ sources, interventions, mode, now }: StandingContext) {
    this.#mode = mode;
    this.#staleSince = new Map(sources.map(({ name, staleSince }) => [name, staleSince]));
    this.#holds = holdsByPolicy(sources);
    this.#acting = interventions.filter(
      ({ intervention }) => Date.parse(intervention.expires) > Date.parse(now),
    );
  }

  of(active: ActivePolicy, report: PolicyReport | undefined): PolicyStanding {
    const interventions = this.#acting.filter(({ scope }) => isInScope(scope, active));
    const holds = this.#holds.get(namespacedName(active.policy)) ?? [];
    const staleSince = this.#staleSince.get(active.origin.source) ?? null;
    const does = (kind: StandingIntervention['intervention']['kind']): boolean =>
      interventions.some(({ intervention }) => intervention.kind === kind);
    const is: Readonly<Record<PolicyState, boolean>> = {
      ...reported(active, report),
      Held: holds.some(({ hold }) => !hold.isRejected),
      Rejected: holds.some(({ hold }) => hold.isRejected),
      Suspended: does('Suspend'),
      Overridden: does('Override'),
      DryRun: active.policy.dryRun || does('DryRun'),
      Observing: this.#mode === 'Observe',
      StaleSource: staleSince !== null,
      Disabled: !active.policy.enabled,
    };
    return { states: new Set(policyStates.filter((state) => is[state])), interventions, holds, staleSince };
  }
}

type ReportedState = 'AtMaximum' | 'Short' | 'Contested' | 'Conflict' | 'Fallback' | 'Failing';

function reported(
  { policy }: ActivePolicy,
  report: PolicyReport | undefined,
): Readonly<Record<ReportedState, boolean>> {
  if (report === undefined) return unreported;
  const { scale, conditions, outcome, proposedReplicas, isFallback } = report;
  const isAtMaximum = policy.enabled && (scale?.specReplicas ?? 0) >= policy.maxReplicas;
  const isTrue = (wanted: string): boolean =>
    conditions.some(({ type, status }) => type === wanted && status === 'True');
  return {
    AtMaximum: isAtMaximum,
    Short: isAtMaximum && proposedReplicas > policy.maxReplicas,
    Contested: isTrue('Contested'),
    Conflict: isTrue('Conflict'),
    Fallback: isFallback,
    Failing: failing.has(outcome.kind),
  };
}

const unreported: Readonly<Record<ReportedState, boolean>> = {
  AtMaximum: false,
  Short: false,
  Contested: false,
  Conflict: false,
  Fallback: false,
  Failing: false,
};

const failing: ReadonlySet<string> = new Set(['Stalled', 'Failed', 'Bug']);

/** A hold's effect names the policies that it is about: `shop/c changed: maxReplicas 20 → 5`. */
function holdsByPolicy(sources: readonly SourceView[]): ReadonlyMap<string, readonly PolicyHold[]> {
  const found = sources.flatMap(({ name, holds }) =>
    holds.flatMap((hold) =>
      (hold.effect?.policies ?? []).map((text) => ({
        policy: text.slice(0, text.indexOf(' ')),
        held: { source: name, hold },
      })),
    ),
  );
  const byPolicy = Map.groupBy(found, ({ policy }) => policy);
  return new Map([...byPolicy].map(([policy, list]) => [policy, list.map(({ held }) => held)]));
}
