import type { ActivePolicy } from './active-policy.ts';

/** A policy as the schedule sees it. */
export interface ScheduledPolicy {
  readonly key: string;
  /** Of the target: policies of one namespace and one interval are due together, since what their passes read is read once. */
  readonly namespace: string;
  readonly intervalSeconds: number;
  /** Another value is a new version of the policy, and is due at once. */
  readonly version: string;
}

/** Documents that a commit left alone keep the commit that brought them, so they are not due again. */
export function scheduledPolicyOf(key: string, { policy, origin }: ActivePolicy): ScheduledPolicy {
  const version = `${origin.source} ${origin.commit.hash} ${origin.file}`;
  return { key, namespace: policy.namespace, intervalSeconds: policy.intervalSeconds, version };
}
