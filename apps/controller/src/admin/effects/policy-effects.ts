import type { Intervention } from '#decision';
import {
  canonicalJson,
  type Json,
  type JsonObject,
  mapInSteps,
  namespacedName,
  runSteps,
  sortInSteps,
} from '#kernel';
import { sha256Hex } from '#ledger';
import {
  type ActivePolicy,
  effectiveLimits,
  type InForce,
  mayActOn,
  renderedDepartures,
  type WindowsPort,
} from '#reconciliation';
import { actingOn, type PicturedPolicy, pictureOf, windowsAt } from '../policies/policy-picture.ts';
import type { ActionEffect, PolicyEffect, PolicyPicture } from '../requests/action-effect.ts';
import { maximumDescribedPolicies } from '../requests/action-effect.ts';

/** A policy, and what stands for it before and after an action. */
export interface InterventionChange {
  readonly active: ActivePolicy;
  readonly before: readonly Intervention[];
  readonly after: readonly Intervention[];
  /** `spec.replicas` of the target; null: not known. */
  readonly present: number | null;
}

/** What a change of interventions does to a policy at `time` (RFC 3339). Pure. */
export function interventionEffect(
  { active, before, after, present }: InterventionChange,
  time: string,
  windows: Pick<WindowsPort, 'windowsInForce'>,
): PolicyEffect {
  const { policy } = active;
  const inForce = { time, windows: windowsAt(policy, time, windows) };
  const now = pictureOf(policy, { ...inForce, interventions: before }, present);
  const then = pictureOf(policy, { ...inForce, interventions: after }, present);
  const added = after.filter((intervention) => !before.includes(intervention));
  return {
    policy: { namespace: policy.namespace, name: policy.name },
    target: policy.target,
    labels: policy.labels,
    present,
    changes: [],
    now,
    then,
    direction: directionOf(present, then.replicas),
    notes: notesOn(active, { added, after: { ...inForce, interventions: after }, present }),
    later: [],
  };
}

/** An action, with what it does to each policy. */
interface SignedAction extends Omit<ActionEffect, 'policies' | 'total' | 'digest'> {
  readonly effects: readonly PolicyEffect[];
  /** Policies that come, change or leave. */
  readonly changed: number;
}

/** Orders, bounds and signs what an action does. */
export function effectOf(action: SignedAction, request: JsonObject): ActionEffect {
  return runSteps(effectInSteps(action, request));
}

/** The same, a policy per step: the effects of ten thousand policies are megabytes of JSON to sign. */
export function* effectInSteps(
  { effects, changed, ...rest }: SignedAction,
  request: JsonObject,
): Generator<void, ActionEffect, void> {
  const policies = yield* orderInSteps(effects);
  const signed = yield* mapInSteps(policies, plainText);
  yield;
  // The canonical form of `{action, request, policies, changes}`.
  const text = `{"action":${plainText(rest.action)},"changes":${plainText(rest.changes)},"policies":[${signed.join(',')}],"request":${plainText(request)}}`;
  return {
    ...rest,
    policies: policies.slice(0, maximumDescribedPolicies),
    total: policies.length + changed,
    digest: sha256Hex(text),
  };
}

/** Canonical JSON, without what is undefined. */
function plainText(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}

/** By name as people count: `extra-2` before `extra-10`. */
export function orderEffects(effects: readonly PolicyEffect[]): readonly PolicyEffect[] {
  return runSteps(orderInSteps(effects));
}

function orderInSteps(effects: readonly PolicyEffect[]): Generator<void, readonly PolicyEffect[], void> {
  return sortInSteps(effects, (one, other) =>
    naturally.compare(namespacedName(one.policy), namespacedName(other.policy)),
  );
}

const naturally = new Intl.Collator('en', { numeric: true });

/** Which way a count goes; null: not known. */
export function directionOf(present: number | null, then: number | null): PolicyEffect['direction'] {
  if (present === null || then === null) return 'Unknown';
  if (present === then) return 'None';
  return then > present ? 'Up' : 'Down';
}

function notesOn(
  { policy, origin }: ActivePolicy,
  {
    added,
    after,
    present,
  }: {
    readonly added: readonly Intervention[];
    readonly after: InForce;
    readonly present: number | null;
  },
): readonly string[] {
  const lines: readonly (readonly [boolean, string])[] = [
    [
      added.some(({ kind }) => !mayActOn(policy, kind)),
      'no dry run: the native controller scales by its HPA, whatever Plimsoll writes; a suspension stops it',
    ],
    [!policy.enabled, 'the policy is disabled: nothing scales it'],
    [
      policy.dryRun,
      `its document says dryRun: true (${origin.file}), and nothing but a commit takes that back`,
    ],
    [present === null, 'the present count is not known'],
    [present === 0, 'the target is at 0 replicas: a paused target stays paused'],
  ];
  const notes = lines.flatMap(([isSo, text]) => (isSo ? [text] : []));
  const acting = actingOn(policy, after);
  return [...renderedDepartures(policy, acting), ...givenWay(policy, acting), ...notes];
}

/** The counts of overrides that are not in force beside those of others. */
function givenWay(policy: PicturedPolicy, acting: InForce): readonly string[] {
  const { minReplicas: min, maxReplicas: max, pin } = effectiveLimits(policy, acting);
  return acting.interventions.flatMap((each) => {
    if (each.kind !== 'Override') return [];
    const counts: readonly (readonly [string, number | null | undefined, number | null])[] = [
      ['minimum', each.minReplicas, min],
      ['maximum', each.maxReplicas, max],
      ['count', each.replicas, pin],
    ];
    return counts.flatMap(([word, asked, inForce]) =>
      typeof asked !== 'number' || inForce === null || asked === inForce
        ? []
        : [
            `the ${word} of ${asked} by ${each.actor ?? 'somebody'} (${each.reason ?? ''}) gives way to ${inForce}`,
          ],
    );
  });
}

/** Of what an action has done as many are told: a person reads them at once. */
const maximumToldEffects = 20;

/** What an action does to the first 20 of its policies, a sentence each, for whoever has just done it. */
export function toldEffects(effects: readonly PolicyEffect[]): readonly string[] {
  return effects.slice(0, maximumToldEffects).map(describePolicyEffect);
}

function describePolicyEffect({ policy, now, then, notes }: PolicyEffect): string {
  const bounds = [now, then].map(boundsText);
  const counts = [now, then].map((picture) => String(picture?.replicas ?? '?'));
  const said = [...standstills(now, then), arrow('bounds', bounds), arrow('count', counts)].join(', ');
  return [`${namespacedName(policy)}: ${said}`, ...notes].join('; ');
}

/** What does not happen, of which bounds and count say nothing. */
function standstills(now: PolicyPicture | null, then: PolicyPicture | null): readonly string[] {
  const before = standstillsOf(now);
  return standstillsOf(then).map((each) => (before.includes(each) ? `${each} as before` : each));
}

function standstillsOf(picture: PolicyPicture | null): readonly string[] {
  if (picture === null) return [];
  const { stopped, isDryRun } = picture;
  return [
    ...(stopped === 'None' ? [] : [`no scaling${stopped === 'Both' ? '' : ` ${stopped.toLowerCase()}`}`]),
    ...(isDryRun ? ['nothing is written'] : []),
  ];
}

function boundsText(picture: PolicyPicture | null): string {
  if (picture === null) return 'none';
  const { minReplicas, maxReplicas, pin } = picture;
  return pin === null ? `${minReplicas} to ${maxReplicas}` : `pinned to ${pin}`;
}

function arrow(of: string, [before = '', after = '']: readonly string[]): string {
  return before === after ? `${of} ${after} as before` : `${of} ${before} → ${after}`;
}
