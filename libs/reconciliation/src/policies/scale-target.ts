import { apiGroupOf } from '#kernel';
import type { EffectivePolicy, ScaleTargetRef } from '#policy';

/** An object with a `/scale` subresource, in its namespace. */
export interface ScaleTarget extends ScaleTargetRef {
  readonly namespace: string;
}

/** The target of a policy; it lies in the policy's own namespace. */
export function scaleTargetOf(policy: Pick<EffectivePolicy, 'namespace' | 'target'>): ScaleTarget {
  return { ...policy.target, namespace: policy.namespace };
}

/** Whether two references mean one object: group, kind and name; versions of one group are the same object. */
export function isSameTarget(left: ScaleTargetRef, right: ScaleTargetRef): boolean {
  return (
    left.kind === right.kind &&
    left.name === right.name &&
    apiGroupOf(left.apiVersion) === apiGroupOf(right.apiVersion)
  );
}

/** A text that is equal for references to one object. */
export function targetKeyOf({ namespace, apiVersion, kind, name }: ScaleTarget): string {
  return `${namespace}/${apiGroupOf(apiVersion)}/${kind}/${name}`;
}
