import type { Hold } from '#git-sync';
import { type NamespacedName, namespacedName } from '#kernel';
import type { StandingIntervention } from '#ledger';
import { type ActivePolicy, type ControllerMode, isInScope, type WindowsPort } from '#reconciliation';
import type { PolicyPicture } from '../requests/action-effect.ts';
import { partsOfEffect } from '../sources/hold-effect-text.ts';
import type { RejectedCommit, RejectedCommits } from '../sources/rejected-commits.ts';
import type { PartialHold, VisibleSource } from '../sources/source-access.ts';
import { pictureOf, windowsAt } from './policy-picture.ts';
import type { PolicyReport } from './policy-reports.ts';
import { viewWindow, type WindowView } from './window-view.ts';

/** What may be said of a policy now, beside how its latest pass ended; several at a time. */
export const policyStates = [
  'AtMaximum',
  'Short',
  'Held',
  'Rejected',
  'Suspended',
  'Overridden',
  'Scheduled',
  'Frozen',
  'DryRun',
  'Observing',
  'Contested',
  'Conflict',
  'Overdue',
  'StaleSource',
  'Fallback',
  'Waiting',
  'Failing',
  'Disabled',
] as const;
export type PolicyState = (typeof policyStates)[number];

/** A hold that a change of the policy is part of. */
export interface PolicyHold {
  readonly source: string;
  readonly hold: Hold;
}

/** A hold that a change of the policy is part of, or may be, and that the caller may not see whole. */
export interface NotVisibleHold extends Pick<Hold, 'commit' | 'since' | 'isRejected'> {
  readonly source: string;
  /** What it would do to the policy: `changed: maxReplicas 20 → 5`; null: it does not name all that it changes. */
  readonly change: string | null;
  /** Which role would show all of it. */
  readonly message: string;
}

/** How a policy stands now, and what makes it so. */
export interface PolicyStanding {
  readonly states: ReadonlySet<PolicyState>;
  /** What it is carried out by: its own bounds, its windows' and its interventions'. */
  readonly inForce: PolicyPicture;
  /** Its schedules and freezes that are in force. */
  readonly windows: readonly WindowView[];
  /** Those that act on it, by their beginning. */
  readonly interventions: readonly StandingIntervention[];
  readonly holds: readonly PolicyHold[];
  readonly notVisibleHolds: readonly NotVisibleHold[];
  /** Since when every look at its source has failed, RFC 3339; null: the last look worked. */
  readonly staleSince: string | null;
  /** Null: the commit that was looked at last has no errors in its tenant. */
  readonly rejectedCommit: RejectedCommit | null;
}

type StandingSource = Pick<VisibleSource, 'name' | 'staleSince' | 'holds' | 'partialHolds'>;

/** What policies' standings are made from, as of one moment. */
export interface StandingContext {
  /** As the caller may see them. */
  readonly sources: readonly StandingSource[];
  readonly interventions: readonly StandingIntervention[];
  /** In which a policy is decided. */
  readonly modeOf: (policy: NamespacedName) => ControllerMode;
  readonly windows: Pick<WindowsPort, 'windowsInForce'>;
  readonly rejected: Pick<RejectedCommits, 'of'>;
  /** RFC 3339. */
  readonly now: string;
}

/** Tells how policies stand; what is the same for all is looked up once. */
export class PolicyStandings {
  readonly #staleSince: ReadonlyMap<string, string | null>;
  readonly #holds: ReadonlyMap<string, readonly PolicyHold[]>;
  readonly #notVisibleHolds: NotVisibleHolds;
  readonly #modeOf: StandingContext['modeOf'];
  readonly #rejected: Pick<RejectedCommits, 'of'>;
  readonly #acting: readonly StandingIntervention[];
  readonly #windows: Pick<WindowsPort, 'windowsInForce'>;
  readonly #now: string;

  constructor({ sources, interventions, modeOf, windows, rejected, now }: StandingContext) {
    this.#rejected = rejected;
    this.#modeOf = modeOf;
    this.#windows = windows;
    this.#now = now;
    this.#staleSince = new Map(sources.map(({ name, staleSince }) => [name, staleSince]));
    this.#holds = holdsByPolicy(sources);
    this.#notVisibleHolds = new NotVisibleHolds(sources);
    this.#acting = interventions.filter(
      ({ intervention }) => Date.parse(intervention.expires) > Date.parse(now),
    );
  }

  of(active: ActivePolicy, report: PolicyReport | undefined): PolicyStanding {
    const interventions = this.#acting.filter(({ scope }) => isInScope(scope, active));
    const holds = this.#holds.get(namespacedName(active.policy)) ?? [];
    const notVisibleHolds = this.#notVisibleHolds.of(active);
    const staleSince = this.#staleSince.get(active.origin.source) ?? null;
    const windows = windowsAt(active.policy, this.#now, this.#windows);
    const inForce = pictureOf(
      active.policy,
      { time: this.#now, windows, interventions: interventions.map(({ intervention }) => intervention) },
      report?.scale?.specReplicas ?? null,
    );
    const rejectedCommit = this.#rejected.of(active);
    const does = (kind: StandingIntervention['intervention']['kind']): boolean =>
      interventions.some(({ intervention }) => intervention.kind === kind);
    const is: Readonly<Record<PolicyState, boolean>> = {
      ...reported(active, report, inForce),
      ...heldOrRejected(holds, notVisibleHolds, rejectedCommit),
      Suspended: does('Suspend'),
      Overridden: does('Override'),
      Scheduled: windows.some(({ kind }) => kind === 'Schedule'),
      Frozen: windows.some(({ kind }) => kind === 'Freeze'),
      DryRun: active.policy.dryRun || does('DryRun'),
      Observing: this.#modeOf(active.policy) === 'Observe',
      StaleSource: staleSince !== null,
      Disabled: !active.policy.enabled,
    };
    const states = new Set(policyStates.filter((state) => is[state]));
    return {
      states,
      inForce,
      windows: windows.map(viewWindow),
      interventions,
      holds,
      notVisibleHolds,
      staleSince,
      rejectedCommit,
    };
  }
}

function heldOrRejected(
  holds: readonly PolicyHold[],
  notVisibleHolds: readonly NotVisibleHold[],
  rejectedCommit: RejectedCommit | null,
): Readonly<Record<'Held' | 'Rejected', boolean>> {
  const known = notVisibleHolds.filter(({ change }) => change !== null);
  const all = [...holds.map(({ hold }) => hold), ...known];
  return {
    Held: all.some(({ isRejected }) => !isRejected),
    Rejected: rejectedCommit !== null || all.some(({ isRejected }) => isRejected),
  };
}

type ReportedState =
  'AtMaximum' | 'Short' | 'Contested' | 'Conflict' | 'Overdue' | 'Fallback' | 'Waiting' | 'Failing';

function reported(
  { policy }: ActivePolicy,
  report: PolicyReport | undefined,
  { maxReplicas }: Pick<PolicyPicture, 'maxReplicas'>,
): Readonly<Record<ReportedState, boolean>> {
  if (report === undefined) return unreported;
  const { scale, conditions, outcome, proposedReplicas, isFallback } = report;
  const isAtMaximum = policy.enabled && (scale?.specReplicas ?? 0) >= maxReplicas;
  const isTrue = (wanted: string, cause?: string): boolean =>
    conditions.some(
      ({ type, status, reason }) =>
        type === wanted && status === 'True' && (cause === undefined || reason === cause),
    );
  return {
    AtMaximum: isAtMaximum,
    Short: isAtMaximum && proposedReplicas > maxReplicas,
    Contested: isTrue('Contested'),
    Conflict: isTrue('Conflict'),
    Overdue: isTrue('Degraded', 'ProgressDeadlineExceeded'),
    Fallback: isFallback,
    Waiting: outcome.kind === 'Waiting',
    Failing: failing.has(outcome.kind),
  };
}

const unreported: Readonly<Record<ReportedState, boolean>> = {
  AtMaximum: false,
  Short: false,
  Contested: false,
  Conflict: false,
  Overdue: false,
  Fallback: false,
  Waiting: false,
  Failing: false,
};

const failing: ReadonlySet<string> = new Set(['Stalled', 'Failed', 'Bug']);

/** A hold's effect names the policies that it is about. */
function holdsByPolicy(sources: readonly StandingSource[]): ReadonlyMap<string, readonly PolicyHold[]> {
  const found = sources.flatMap(({ name, holds }) =>
    holds.flatMap((hold) => {
      // One that gets another target leaves and comes: two texts of one hold.
      const named = new Set((hold.effect?.policies ?? []).map((text) => partsOfEffect(text)[0]));
      return [...named].map((policy) => ({ policy, held: { source: name, hold } }));
    }),
  );
  const byPolicy = Map.groupBy(found, ({ policy }) => policy);
  return new Map([...byPolicy].map(([policy, list]) => [policy, list.map(({ held }) => held)]));
}

/** The holds that the caller may not see whole, by the policies that they name; of one that names some only, of its source. */
class NotVisibleHolds {
  readonly #byPolicy: ReadonlyMap<string, readonly NotVisibleHold[]>;
  readonly #ofSource: ReadonlyMap<string, readonly PartialHold[]>;

  constructor(sources: readonly StandingSource[]) {
    const found = sources.flatMap(({ name, partialHolds }) =>
      partialHolds.flatMap((hold) =>
        [...hold.changes].map(([policy, change]) => ({ policy, hold: viewOf(name, hold, change) })),
      ),
    );
    const byPolicy = Map.groupBy(found, ({ policy }) => policy);
    this.#byPolicy = new Map([...byPolicy].map(([policy, list]) => [policy, list.map(({ hold }) => hold)]));
    this.#ofSource = new Map(
      sources.map(({ name, partialHolds }) => [name, partialHolds.filter((hold) => hold.mayChangeOthers)]),
    );
  }

  of({ policy, origin: { source } }: ActivePolicy): readonly NotVisibleHold[] {
    const name = namespacedName(policy);
    const unnamed = (this.#ofSource.get(source) ?? []).filter(({ changes }) => !changes.has(name));
    return [...(this.#byPolicy.get(name) ?? []), ...unnamed.map((hold) => viewOf(source, hold, null))];
  }
}

function viewOf(source: string, hold: PartialHold, change: string | null): NotVisibleHold {
  const { commit, since, isRejected, message } = hold;
  return { source, commit, since, isRejected, change, message };
}
