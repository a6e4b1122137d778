import type { Intervention } from '#decision';
import { type NamespacedName, namespacedName } from '#kernel';
import type { StandingIntervention } from '#ledger';
import {
  type ActivePoliciesPort,
  type ActivePolicy,
  type ClockPort,
  type ControllerMode,
  type InForce,
  isInScope,
  isRendered,
  type StandingInterventions,
  type WindowsPort,
} from '#reconciliation';
import type { HoldEffect, PolicyChange, PolicyOutline } from '#repository';
import { indexOfActive } from '../access/active-index.ts';
import type { PolicyModes } from '../policies/policy-modes.ts';
import { pictureOf, windowsAt } from '../policies/policy-picture.ts';
import type { PolicyReports } from '../policies/policy-reports.ts';
import type { PolicyEffect, PolicyPicture } from '../requests/action-effect.ts';
import { laterCounts } from './later-counts.ts';
import { directionOf, orderEffects } from './policy-effects.ts';

export interface ChangeEffectsPorts {
  readonly interventions: Pick<StandingInterventions, 'actingOn' | 'list'>;
  readonly activePolicies: ActivePoliciesPort;
  readonly reports: Pick<PolicyReports, 'presentAt' | 'presentOf'>;
  readonly windows: Pick<WindowsPort, 'windowsInForce'>;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly modes: Pick<PolicyModes, 'now'>;
}

/** Works out what a commit does to policies, from what is in force and what runs now. */
export class ChangeEffects {
  readonly #ports: ChangeEffectsPorts;

  constructor(ports: ChangeEffectsPorts) {
    this.#ports = ports;
  }

  /** An effect per policy that changes, at most 200, by name; of a hold of an earlier release none. */
  of(source: string, effect: HoldEffect | undefined): readonly PolicyEffect[] {
    const changes = effect?.changes ?? [];
    if (changes.length === 0) return [];
    const { activePolicies, clock } = this.#ports;
    const active = indexOfActive(activePolicies.listActivePolicies()).byKey;
    const inForce = (name: NamespacedName | null): ActivePolicy | undefined =>
      name === null ? undefined : active.get(namespacedName(name));
    const time = clock.now();
    return orderEffects(
      changes.flatMap((change) => this.#effectOf(source, { change, active: inForce(change.before) }, time)),
    );
  }

  /** What follows later of a hold that would be approved now, a sentence per policy and end: `shop/c: 40 → 10 when …`. */
  laterOf(source: string, effect: HoldEffect | undefined): readonly string[] {
    return this.of(source, effect).flatMap(({ policy, later }) =>
      later.map((sentence) => `${namespacedName(policy)}: ${sentence}`),
    );
  }

  /** The interventions that act on what of an effect is in force, at most 100. */
  standingFor(effect: HoldEffect | undefined): readonly StandingIntervention[] {
    const names = new Set(
      (effect?.changes ?? []).flatMap(({ before, after }) => {
        const policy = after ?? before;
        return policy === null ? [] : [namespacedName(policy)];
      }),
    );
    const { activePolicies, clock, interventions } = this.#ports;
    const affected = activePolicies
      .listActivePolicies()
      .filter(({ policy }) => names.has(namespacedName(policy)));
    const now = Date.parse(clock.now());
    return interventions
      .list()
      .filter(({ intervention }) => Date.parse(intervention.expires) > now)
      .filter(({ scope }) => affected.some((active) => isInScope(scope, active)))
      .slice(0, maximumStanding);
  }

  #effectOf(
    source: string,
    { change, active }: Pick<CommittedChange, 'change' | 'active'>,
    time: string,
  ): readonly PolicyEffect[] {
    const policy = change.after ?? active?.policy;
    if (policy === undefined) return change.before === null ? [] : [leftAlready(change.before)];
    const { modes, reports, windows } = this.#ports;
    const present = active === undefined ? reports.presentAt({ policy }) : reports.presentOf(active);
    const interventions = this.#acting(source, { policy, active }, time);
    const mode = modes.now()(policy);
    return [changeEffect({ change, active, policy, present, interventions, mode }, time, windows)];
  }

  /** A policy that is not in force yet has no metrics here: what stops a metric source is not said of it. */
  #acting(
    source: string,
    { policy, active }: Pick<CommittedChange, 'policy' | 'active'>,
    time: string,
  ): readonly Intervention[] {
    const { interventions } = this.#ports;
    if (active !== undefined) return interventions.actingOn(active, time);
    const coming = { policy: { ...policy, metrics: [] }, origin: { source } };
    return interventions
      .list()
      .filter(({ scope, intervention }) => isInScope(scope, coming) && intervention.expires > time)
      .map(({ intervention }) => intervention);
  }
}

/** As many are named beside an effect. */
const maximumStanding = 100;

interface CommittedChange {
  readonly change: PolicyChange;
  /** What is in force; undefined: the policy is new. */
  readonly active: ActivePolicy | undefined;
  /** As it would be, or is where it leaves. */
  readonly policy: PolicyOutline;
  /** `spec.replicas` of the target; null: not known. */
  readonly present: number | null;
  readonly interventions: readonly Intervention[];
  readonly mode: ControllerMode;
}

/** What a changed document does to its policy at `time` (RFC 3339). Pure. */
function changeEffect(
  { change, active, policy, present, interventions, mode }: CommittedChange,
  time: string,
  windows: Pick<WindowsPort, 'windowsInForce'>,
): PolicyEffect {
  const at = (outline: PolicyOutline): InForce => ({
    time,
    windows: windowsAt(outline, time, windows),
    interventions,
  });
  const now = active === undefined ? null : pictureOf(active.policy, at(active.policy), present);
  const { after, fields } = change;
  const then = after === null ? null : restored(pictureOf(after, at(after), present), after, active);
  const later =
    after === null
      ? []
      : laterCounts({
          ...{ before: active?.policy, after, interventions },
          counts: { before: now?.replicas ?? null, after: then?.replicas ?? null },
          at: (outline, moment) => ({ time: moment, windows: windowsAt(outline, moment, windows) }),
        });
  return {
    policy: { namespace: policy.namespace, name: policy.name },
    target: policy.target,
    labels: policy.labels,
    present,
    changes: fields,
    now,
    then,
    // Of a policy that leaves, the target keeps its count.
    direction: then === null ? 'None' : directionOf(present, then.replicas),
    notes: [...later, ...notesOn({ change, active, present, mode })],
    later,
  };
}

/** A policy that is disabled by the commit restores the count that its document names. */
function restored(
  then: PolicyPicture,
  { enabled, replicas }: PolicyOutline,
  active: ActivePolicy | undefined,
): PolicyPicture {
  const isRestored = !enabled && replicas !== undefined && active?.policy.enabled === true;
  return isRestored && !then.isDryRun ? { ...then, replicas } : then;
}

/** It was in force when the commit was judged. */
function leftAlready(policy: NamespacedName): PolicyEffect {
  const notes = ['it has left already'];
  const nothing = { target: null, labels: {}, present: null, changes: [], now: null, then: null };
  return { policy, ...nothing, direction: 'None', notes, later: [] };
}

function targetOf(active: ActivePolicy | undefined): string {
  if (active === undefined) return 'the target';
  const { kind, name } = active.policy.target;
  return `${kind} ${name}`;
}

/** What a policy leaves behind; of a change of an earlier release's it is not known whether its HPA is kept. */
function leavingNote(
  { keepsHpa }: PolicyChange,
  active: ActivePolicy | undefined,
  mode: ControllerMode,
): string {
  const left = `${targetOf(active)} keeps its count, and Plimsoll scales it no more`;
  if (active === undefined || keepsHpa === undefined || !isRendered(active.policy))
    return `it leaves: ${left}`;
  const hpa = `its HPA ${namespacedName(active.policy)}`;
  if (keepsHpa) return `it leaves: ${hpa} stays and goes on scaling the target, and Plimsoll changes neither`;
  const isDeleted = mode === 'Act' && !active.policy.dryRun;
  return isDeleted ? `it leaves: ${hpa} is deleted, ${left}` : `it leaves: ${left}`;
}

function notesOn({
  change,
  active,
  present,
  mode,
}: Pick<CommittedChange, 'change' | 'active' | 'present' | 'mode'>): readonly string[] {
  const { after } = change;
  if (after === null) return [leavingNote(change, active, mode)];
  const lines: readonly (readonly [boolean, string])[] = [
    [!after.enabled, 'the policy is disabled: nothing scales it'],
    [after.dryRun, 'a dry run: it decides and writes nothing'],
    [present === 0, 'the target is at 0 replicas: a paused target stays paused'],
  ];
  return lines.flatMap(([isSo, text]) => (isSo ? [text] : []));
}
