import type { Direction, Intervention } from '#decision';
import { type JsonObject, namespacedName, withoutUndefined } from '#kernel';
import type { InterventionScope, OperatorActionPayload, StandingIntervention } from '#ledger';

/** What the ledger calls the beginning and the end of each kind. */
export const interventionActions = {
  Suspend: { begin: 'SuspendScaling', end: 'EndSuspension' },
  Override: { begin: 'OverrideReplicas', end: 'EndOverride' },
  DryRun: { begin: 'StartDryRun', end: 'EndDryRun' },
} as const;

/** The actor of an end that nobody asked for. */
export const expiryActor = 'plimsoll';

/** The arguments of both actions in the ledger: all that there is to know of the intervention but who, why and since when. */
export function interventionArguments({ id, scope, intervention }: StandingIntervention): JsonObject {
  const { kind, ...of } = scope;
  const { expires } = intervention;
  const place = scope.kind === 'Policy' ? { policy: namespacedName(scope) } : of;
  return { id, scope: kind, ...place, ...termsOf(intervention), expires };
}

function termsOf(intervention: Intervention): JsonObject {
  switch (intervention.kind) {
    case 'Suspend':
      return { direction: intervention.direction };
    case 'Override': {
      const { minReplicas, maxReplicas, replicas } = intervention;
      return withoutUndefined({ minReplicas, maxReplicas, replicas });
    }
    case 'DryRun':
      return {};
  }
}

/** An intervention that the ledger says has begun or ended. */
export interface RecordedIntervention {
  readonly what: 'Begun' | 'Ended';
  /** Actor, reason and time are those of the action. */
  readonly standing: StandingIntervention;
}

/**
 * What an action of the ledger says of an intervention, as {@link interventionArguments} wrote it; null: it is about none,
 * was refused, or is of a form that is not known.
 *
 * @param time When the action was recorded, RFC 3339.
 */
export function recordedIntervention(
  { action, outcome, actor, reason, arguments: given, effect = {} }: OperatorActionPayload,
  time: string,
): RecordedIntervention | null {
  const found = kinds.find(([, { begin, end }]) => action === begin || action === end);
  const { id, expires } = given;
  const scope = scopeIn(given);
  if (found === undefined || outcome === 'Refused' || scope === null) return null;
  if (typeof id !== 'string' || typeof expires !== 'string') return null;
  const [kind, { begin }] = found;
  const intervention = { ...termsIn(kind, given), actor, reason, since: time, expires };
  const standing = { id, scope, intervention, ...againstIn(effect) };
  return { what: action === begin ? 'Begun' : 'Ended', standing };
}

/** What one that was forced went against. */
function againstIn({ against }: JsonObject): Pick<StandingIntervention, 'against'> {
  return Array.isArray(against) ? { against: against.filter((each) => typeof each === 'string') } : {};
}

const kinds = Object.entries(interventionActions) as readonly (readonly [
  Intervention['kind'],
  (typeof interventionActions)[Intervention['kind']],
])[];

function scopeIn({ scope, policy, namespace, source, metricSource }: JsonObject): InterventionScope | null {
  if (typeof policy === 'string') {
    const slash = policy.indexOf('/');
    return { kind: 'Policy', namespace: policy.slice(0, slash), name: policy.slice(slash + 1) };
  }
  if (typeof namespace === 'string') return { kind: 'Namespace', namespace };
  if (typeof source === 'string') return { kind: 'Source', source };
  if (typeof metricSource === 'string') return { kind: 'MetricSource', metricSource };
  return scope === 'Cluster' ? { kind: 'Cluster' } : null;
}

/** What an intervention does, without who asked for it, why, since when and until when. */
export type InterventionTerms =
  | { readonly kind: 'Suspend'; readonly direction: Direction }
  | { readonly kind: 'DryRun' }
  | {
      readonly kind: 'Override';
      readonly minReplicas?: number;
      readonly maxReplicas?: number;
      readonly replicas?: number;
    };

function termsIn(
  kind: Intervention['kind'],
  { direction, minReplicas, maxReplicas, replicas }: JsonObject,
): InterventionTerms {
  switch (kind) {
    case 'Suspend':
      return { kind, direction: direction === 'Up' || direction === 'Down' ? direction : 'Both' };
    case 'Override': {
      const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
      const counts = {
        minReplicas: count(minReplicas),
        maxReplicas: count(maxReplicas),
        replicas: count(replicas),
      };
      return { kind, ...withoutUndefined(counts) };
    }
    case 'DryRun':
      return { kind };
  }
}
