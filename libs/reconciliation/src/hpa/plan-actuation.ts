import { addSeconds, compareInstants, type NamespacedName, parseInstant } from '#kernel';
import type { RecordedHpa, UnsupportedHpa } from '#ledger';
import type { EffectivePolicy } from '#policy';
import { isSameTarget } from '../policies/scale-target.ts';
import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import { renderedDigestOf, specDigestOf } from './managed-part.ts';
import { type RenderedHpa, untilAnnotation } from './render-hpa.ts';

/** What decides what is done with a policy's HPA. */
export interface ActuationInput {
  readonly policy: EffectivePolicy;
  /** Whether anything may be written: neither a dry run nor `mode: Observe`. */
  readonly mayWrite: boolean;
  /** What the policy wants; null: it wants no HPA, or the target's uid is not known. */
  readonly rendered: RenderedHpa | null;
  /** The HPAs of the namespace; null: not looked at. */
  readonly autoscalers: readonly NativeAutoscaler[] | null;
  readonly recorded: RecordedHpa | null;
  /** Null: not known. */
  readonly serverVersion: string | null;
  /** RFC 3339. */
  readonly time: string;
  /** The clock has jumped: what is rendered may name another end for a few minutes. */
  readonly isTimeInDoubt: boolean;
}

/** After this time an HPA that was refused is tried again: an admission rule may have been the reason. */
const refusalSeconds = 600;

/** A write of the policy's HPA. */
export type HpaWrite =
  | { readonly verb: 'Create'; readonly rendered: RenderedHpa; readonly reason: string }
  | {
      readonly verb: 'Update' | 'Adopt';
      readonly rendered: RenderedHpa;
      readonly live: NativeAutoscaler;
      readonly reason: string;
    }
  | { readonly verb: 'Delete'; readonly live: NativeAutoscaler; readonly reason: string };

/** What is to be done with a policy's HPA. */
export type ActuationPlan =
  /** The target or the HPAs could not be read. */
  | { readonly kind: 'NotSeen' }
  /** The policy has no HPA and wants none: it is scaled, or restored, by writes of the scale. */
  | { readonly kind: 'NoHpa' }
  | { readonly kind: 'Write'; readonly write: HpaWrite }
  /** `mayWrite` is false; `message` says what would be done. */
  | { readonly kind: 'NotWritten'; readonly message: string }
  /** The HPA is as the policy says; the native controller scales. */
  | { readonly kind: 'InSync'; readonly live: NativeAutoscaler; readonly rendered: RenderedHpa }
  /** The HPA is being deleted. */
  | { readonly kind: 'Leaving'; readonly message: string }
  | { readonly kind: 'Conflict'; readonly message: string }
  /** A conflict with an HPA that `plimsoll.dev/adopt: IfEqual` does not take over, since its spec differs. */
  | { readonly kind: 'Unequal'; readonly live: NativeAutoscaler; readonly rendered: RenderedHpa }
  | { readonly kind: 'NotSupported'; readonly message: string };

/**
 * Decides what is done with a policy's HPA. An HPA is the policy's own where it has its name, its annotation and our
 * field manager; any other of that name or on that target is left alone, unless the policy says that it may be adopted.
 * Pure.
 */
export function planActuation(input: ActuationInput): ActuationPlan {
  const { policy, autoscalers } = input;
  if (autoscalers === null) return { kind: 'NotSeen' };
  const named = autoscalers.find(({ name }) => name === policy.name) ?? null;
  const own = named !== null && isOwn(policy, named) ? named : null;
  const plan = isRendered(policy) ? planPresent(input, { named, own, autoscalers }) : planAbsent(policy, own);
  if (plan.kind !== 'Write' || input.mayWrite) return plan;
  return { kind: 'NotWritten', message: describeUnwritten(plan.write) };
}

/** Whether the policy wants an HPA. */
export function isRendered({ enabled, actuation }: EffectivePolicy): boolean {
  return enabled && actuation === 'HorizontalPodAutoscaler';
}

/** How the HPA, as it is or as it is to be written, acts otherwise than the policy's decision. */
export function departuresOf(plan: ActuationPlan): readonly string[] {
  if (plan.kind === 'InSync') return plan.rendered.departures;
  return plan.kind === 'Write' && plan.write.verb !== 'Delete' ? plan.write.rendered.departures : [];
}

/** Whether Plimsoll made or adopted the HPA for this policy. */
export function isOwn({ namespace, name }: NamespacedName, autoscaler: NativeAutoscaler): boolean {
  return (
    autoscaler.name === name && autoscaler.isWrittenByPlimsoll && autoscaler.policy === `${namespace}/${name}`
  );
}

interface Present {
  readonly autoscalers: readonly NativeAutoscaler[];
  /** The HPA of the policy's name. */
  readonly named: NativeAutoscaler | null;
  /** The same, where it is the policy's own. */
  readonly own: NativeAutoscaler | null;
}

function planAbsent({ enabled }: EffectivePolicy, own: NativeAutoscaler | null): ActuationPlan {
  if (own === null) return { kind: 'NoHpa' };
  if (own.terminatingSince !== null) return leaving(own);
  const reason = enabled ? 'the policy is carried out by writes of the scale now' : 'the policy was disabled';
  return { kind: 'Write', write: { verb: 'Delete', live: own, reason } };
}

function planPresent(input: ActuationInput, { named, own, autoscalers }: Present): ActuationPlan {
  const { policy, rendered } = input;
  const rival = autoscalers.find(
    ({ name, target }) => name !== policy.name && isSameTarget(target, policy.target),
  );
  if (rival !== undefined) return { kind: 'Conflict', message: describeRival(policy, rival) };
  if (rendered === null) return { kind: 'NotSeen' };
  if (named !== null && named.terminatingSince !== null) return leaving(named);
  if (own !== null) return planOwn(input, { own, rendered });
  if (named !== null) return planForeign(policy, { named, rendered });
  const unsupported = unsupportedOf(input, renderedDigestOf(rendered));
  // One that was taken without some fields, and is gone, is made again all the same: else nothing scales the target.
  if (unsupported !== null && unsupported.refusedAt !== null) return notSupported(unsupported);
  const reason = input.recorded === null ? 'the policy has no HPA yet' : 'the HPA is gone';
  return { kind: 'Write', write: { verb: 'Create', rendered, reason } };
}

function planOwn(
  input: ActuationInput,
  { own, rendered }: { readonly own: NativeAutoscaler; readonly rendered: RenderedHpa },
): ActuationPlan {
  if (own.ownerUid !== null && own.ownerUid !== rendered.owner.uid)
    return { kind: 'Write', write: { verb: 'Delete', live: own, reason: 'the target was made anew' } };
  const wanted = renderedDigestOf(rendered);
  const isAsAnswered = isAsAnsweredBefore(input, own);
  const unsupported = unsupportedOf(input, wanted);
  if (unsupported !== null && mayStand(unsupported, isAsAnswered)) return notSupported(unsupported);
  if (isInSync(input, own, rendered)) return { kind: 'InSync', live: own, rendered };
  const reason = isAsAnswered ? wishOf(rendered) : 'the HPA differs from the policy';
  return { kind: 'Write', write: { verb: 'Update', rendered, live: own, reason } };
}

/**
 * While the clock is in doubt an end that only moves is not written: it would be written again as soon as the clock is
 * right.
 */
function isInSync(input: ActuationInput, own: NativeAutoscaler, rendered: RenderedHpa): boolean {
  if (isAsRendered(input, own, rendered)) return true;
  if (!input.isTimeInDoubt || own.until === null || rendered.annotations[untilAnnotation] === undefined)
    return false;
  const annotations = { ...rendered.annotations, [untilAnnotation]: own.until };
  return isAsRendered(input, own, { ...rendered, annotations });
}

/** What the API server adds by itself, as defaults of a newer version, is no reason to write again. */
function isAsRendered(input: ActuationInput, own: NativeAutoscaler, rendered: RenderedHpa): boolean {
  const wanted = renderedDigestOf(rendered);
  return own.digest === wanted || (isAsAnsweredBefore(input, own) && isKept(input, wanted));
}

function wishOf({ inForce }: RenderedHpa): string {
  return inForce.length === 0 ? 'the policy says so' : `in force: ${inForce.join(', ')}`;
}

/** Whether the API server kept all of what is rendered when it was written. */
function isKept({ recorded }: ActuationInput, wanted: string): boolean {
  return recorded?.rendered === wanted && recorded.unsupported === null;
}

function isAsAnsweredBefore({ recorded }: ActuationInput, { uid, digest }: NativeAutoscaler): boolean {
  return recorded !== null && recorded.uid === uid && recorded.answered === digest;
}

function planForeign(
  { annotations }: EffectivePolicy,
  { named, rendered }: { readonly named: NativeAutoscaler; readonly rendered: RenderedHpa },
): ActuationPlan {
  const adopt = annotations['plimsoll.dev/adopt'] ?? 'Never';
  const isEqual = named.specDigest === specDigestOf(rendered.spec);
  if (adopt === 'Always' || (adopt === 'IfEqual' && isEqual)) {
    const reason = `plimsoll.dev/adopt: ${adopt}`;
    return { kind: 'Write', write: { verb: 'Adopt', rendered, live: named, reason } };
  }
  if (adopt === 'IfEqual') return { kind: 'Unequal', live: named, rendered };
  const cure = 'delete it, or plimsoll.dev/adopt: IfEqual or Always takes it over';
  return { kind: 'Conflict', message: `${describeForeign(named)}: ${cure}` };
}

/**
 * Why an HPA is not taken over as equal.
 *
 * @param differences - what differs, in words; empty: not known
 */
export function describeUnequal(named: NativeAutoscaler, differences: string): string {
  const what = differences === '' ? '' : ` (${differences})`;
  const why = `its spec differs from the policy's${what}, so plimsoll.dev/adopt: IfEqual does not take it over`;
  return `${describeForeign(named)}; ${why}: make the two equal, say Always, or delete it`;
}

function describeForeign(named: NativeAutoscaler): string {
  return `HorizontalPodAutoscaler ${named.name}${by(named)} is not Plimsoll's`;
}

function describeRival({ name, annotations }: EffectivePolicy, rival: NativeAutoscaler): string {
  const made = rival.policy === null ? '' : `, rendered from policy ${rival.policy},`;
  const scales = `HorizontalPodAutoscaler ${rival.name}${by(rival)}${made} scales the same target`;
  if (!asksToAdopt(annotations)) return `${scales}; delete one of the two`;
  return `${scales}; plimsoll.dev/adopt takes over an HPA of the policy's own name (${name}) only: rename the policy to ${rival.name}, or delete the HPA`;
}

function asksToAdopt({ 'plimsoll.dev/adopt': adopt = 'Never' }: EffectivePolicy['annotations']): boolean {
  return adopt !== 'Never';
}

/** The manager that applies an HPA, for a sentence. */
function by({ manager }: NativeAutoscaler): string {
  return manager === null ? '' : `, applied by ${manager},`;
}

function leaving(own: NativeAutoscaler): ActuationPlan {
  return { kind: 'Leaving', message: `HorizontalPodAutoscaler ${own.name} ${describeTerminating(own)}` };
}

/** What an HPA that is being deleted waits for, for a sentence. */
export function describeTerminating({ finalizers }: Pick<NativeAutoscaler, 'finalizers'>): string {
  const waits = finalizers.length === 0 ? '' : `, and waits for its finalizers (${finalizers.join(', ')})`;
  return `is being deleted${waits}`;
}

/** What the present API server does not support of what is rendered; null: nothing, or it is to be tried again. */
function unsupportedOf(
  { recorded, serverVersion, time }: ActuationInput,
  wanted: string,
): UnsupportedHpa | null {
  const unsupported = recorded?.unsupported ?? null;
  if (unsupported === null || recorded?.rendered !== wanted) return null;
  if (unsupported.serverVersion !== serverVersion) return null;
  return isOver(unsupported, time) ? null : unsupported;
}

/** An HPA that was taken without some fields is corrected all the same where somebody else changed it. */
function mayStand({ refusedAt }: UnsupportedHpa, isAsAnswered: boolean): boolean {
  return isAsAnswered || refusedAt !== null;
}

/** What is refused, or made another, by who may think otherwise some time later; null: only another version of it helps. */
function passingSince({ refusedAt, changedAt }: UnsupportedHpa): string | null {
  return refusedAt ?? changedAt ?? null;
}

function isOver(unsupported: UnsupportedHpa, time: string): boolean {
  const [refused, now] = [parseInstant(passingSince(unsupported) ?? ''), parseInstant(time)];
  if (refused === undefined || now === undefined) return false;
  return compareInstants(now, addSeconds(refused, refusalSeconds)) >= 0;
}

function notSupported(unsupported: UnsupportedHpa): ActuationPlan {
  const { message, serverVersion } = unsupported;
  const server = serverVersion === null ? 'the API server' : `the API server (${serverVersion})`;
  const until = 'nothing is written until the policy or the server changes';
  const again = passingSince(unsupported) === null ? until : `${until}, or ten minutes have passed`;
  return { kind: 'NotSupported', message: `${server}: ${message}; ${again}` };
}

function describeUnwritten(write: HpaWrite): string {
  const name = write.verb === 'Create' ? write.rendered.name : write.live.name;
  const verb = { Create: 'create', Update: 'update', Delete: 'delete', Adopt: 'take over' }[write.verb];
  return `would ${verb} HorizontalPodAutoscaler ${name}: ${write.reason}`;
}
