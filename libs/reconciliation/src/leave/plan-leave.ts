import type { JsonObject } from '#kernel';
import type { CommitReference } from '#ledger';
import type { EffectivePolicy } from '#policy';
import { plainHpaDocument } from '../hpa/hpa-document.ts';
import { digestOf } from '../hpa/managed-part.ts';
import { plainHpa, plainHpaManifest, plainManagedPart } from '../hpa/plain-hpa.ts';
import { isOwn } from '../hpa/plan-actuation.ts';
import { managesNamespace, type ReconcileOptions } from '../pass/pass.ts';
import { isSameTarget } from '../policies/scale-target.ts';
import type {
  AutoscalerReading,
  LiveAutoscaler,
  NativeAutoscaler,
} from '../ports/native-autoscalers.port.ts';

/** What carries targets on when Plimsoll leaves them: a plain HPA, or nothing. */
export type LeaveTarget = 'HorizontalPodAutoscaler' | 'None';

/** A policy whose target is left. */
export interface LeftTarget {
  readonly policy: EffectivePolicy;
  readonly commit: CommitReference | null;
  readonly to: LeaveTarget;
}

/** What is to be done with the HPA of a target that is left. */
export type LeavePlan =
  /** As it is, it is as it should be. */
  | { readonly kind: 'Keep'; readonly message: string }
  /** There is none, and none is made; `message` says why. */
  | { readonly kind: 'None'; readonly message: string }
  | { readonly kind: 'Create'; readonly document: JsonObject; readonly digest: string }
  | {
      readonly kind: 'Update';
      readonly live: LiveAutoscaler;
      readonly document: JsonObject;
      readonly digest: string;
    }
  | { readonly kind: 'Delete'; readonly live: LiveAutoscaler }
  /** Something else stands in the way. */
  | { readonly kind: 'Blocked'; readonly message: string };

/** A policy that leaves, or would, and what it is left to. */
export type Leaving = Pick<LeftTarget, 'policy' | 'to'>;

/** The HPAs that are there, as far as they decide what becomes of a target that is left. */
interface PresentHpas {
  /** The one of the policy's name; null: there is none. */
  readonly named: NativeAutoscaler | null;
  /** All of its namespace. */
  readonly all: readonly NativeAutoscaler[];
}

/** What is there of HPAs; `message` is what it means for the target. */
export type Presence =
  | { readonly kind: 'Own' | 'Absent' }
  /** The policy's name is taken by an HPA of another target, or by one that is on its way out. */
  | { readonly kind: 'NameTaken' | 'Terminating'; readonly message: string }
  /** An HPA that is not Plimsoll's scales the target. */
  | { readonly kind: 'Carried'; readonly isNamesake: boolean; readonly message: string };

/** Decides what is done with the HPA of a target that is left. Pure. */
export function planLeave(
  { policy, to }: Leaving,
  {
    reading,
    others,
  }: {
    readonly reading: Exclude<AutoscalerReading, { readonly kind: 'Failed' }>;
    readonly others: readonly NativeAutoscaler[];
  },
): LeavePlan {
  const live = reading.kind === 'Found' ? reading : null;
  const presence = presenceOf({ policy, to }, { named: live?.autoscaler ?? null, all: others });
  if (presence.kind === 'Own' && live !== null) return planOwn({ policy, to }, live);
  if ('message' in presence)
    return { kind: presence.kind === 'Carried' ? 'Keep' : 'Blocked', message: presence.message };
  if (to === 'None') return { kind: 'None', message: 'its count stays, and nothing scales it' };
  const { spec, gaps } = plainHpa(policy);
  if (spec === null) {
    const message = `no HPA does what it says (${gaps.join('; ')}): its count stays; where something is to scale it, write an autoscaler for it by hand`;
    return { kind: 'Blocked', message };
  }
  const document = plainHpaManifest(policy, spec);
  return { kind: 'Create', document, digest: digestOf(plainManagedPart(spec)) };
}

/** Which HPAs are there, of those that count. Pure. */
export function presenceOf({ policy, to }: Leaving, { named, all }: PresentHpas): Presence {
  if (named !== null && named.terminatingSince !== null) {
    return {
      kind: 'Terminating',
      message: `HorizontalPodAutoscaler ${policy.name} is being deleted: ask again once it is gone`,
    };
  }
  if (named !== null && isOwn(policy, named)) return { kind: 'Own' };
  const rival = all.find(({ target }) => isSameTarget(target, policy.target));
  if (rival !== undefined) {
    const message = `HorizontalPodAutoscaler ${rival.name} scales it`;
    return { kind: 'Carried', isNamesake: rival.name === policy.name, message };
  }
  if (to === 'None' || named === null || plainHpa(policy).spec === null) return { kind: 'Absent' };
  return {
    kind: 'NameTaken',
    message: `HorizontalPodAutoscaler ${policy.name} scales another target: delete it, or give it another name, and ask again`,
  };
}

function planOwn({ policy, to }: Leaving, live: LiveAutoscaler): LeavePlan {
  if (to === 'None') return { kind: 'Delete', live };
  const { spec } = plainHpa(policy);
  const document = plainHpaDocument(live.document, { policy, spec });
  return {
    kind: 'Update',
    live,
    document,
    digest: digestOf(plainManagedPart(spec ?? specOf(live.document))),
  };
}

function specOf({ spec }: JsonObject): JsonObject {
  return spec as JsonObject;
}

/** @returns null: what leaves the target may be written */
export function whyNotWritten(
  options: Pick<ReconcileOptions, 'mode' | 'namespaces'>,
  { namespace }: EffectivePolicy,
): string | null {
  if (options.mode !== 'Act')
    return 'in mode Observe nothing is written: set mode to Act and ask again, or apply its manifest by hand';
  return managesNamespace(options, namespace)
    ? null
    : `namespace ${namespace} is not managed: add it to namespaces and ask again, or apply its manifest by hand`;
}
