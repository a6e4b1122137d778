import { apiGroupOf } from '#kernel';
import type { Finding } from '../reading/place.ts';

/** What KEDA scales by, and what becomes of it here. */
const hints: Readonly<Record<string, string>> = {
  ScaledObject:
    'write an AutoscalingPolicy in its place, as docs/keda.md says field by field; while both scale one target, the policy is a Conflict',
  ScaledJob: 'leave it to KEDA: a policy scales what has a count, and starts no Jobs',
};

/** What is said of an autoscaler of KEDA, which nobody carries out here and a person may take for a policy. */
export function kedaFinding(document: {
  readonly apiVersion: unknown;
  readonly kind: unknown;
  readonly name: string | undefined;
}): Finding | undefined {
  const { apiVersion, kind, name = '' } = document;
  if (typeof apiVersion !== 'string' || apiGroupOf(apiVersion) !== 'keda.sh') return undefined;
  if (typeof kind !== 'string' || !Object.hasOwn(hints, kind)) return undefined;
  const message = `${[kind, name].join(' ').trimEnd()} is an autoscaler of KEDA, and no policy: it is not read`;
  return { severity: 'note', code: 'OtherAutoscaler', message, hint: hints[kind] ?? '' };
}
