import { namespacedName } from '#kernel';
import { type PolicyKey, policyOfStream } from '../entries/stream-name.ts';
import type { AppendRequest } from './append-request.ts';

/** The policies that a request changes: those of its streams, and those whose states it stores or forgets. */
export function policiesOf({ drafts, states = [], conditions, forget }: AppendRequest): readonly PolicyKey[] {
  const policies = [
    ...drafts.flatMap(({ stream }) => policyOfStream(stream) ?? []),
    ...('policies' in states ? states.policies : states.map(({ policy }) => policy)),
    ...(conditions ?? []).map(({ policy }) => policy),
    ...(forget ?? []),
  ];
  if (policies.length < 2) return policies;
  return [...new Map(policies.map((policy) => [namespacedName(policy), policy])).values()];
}
