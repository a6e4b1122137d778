import { namespacedName } from '#kernel';
import type { AppendRequest } from './append-queue.ts';
import type { PolicyState } from './ledger.port.ts';
import { type PolicyKey, policyOfStream } from './stream-name.ts';

/**
 * The policies that a request changes: those of its streams, and those whose states it stores or forgets. States that are
 * made from the entries belong to policies of its streams; a request without entries has states all the same.
 */
export function policiesOf(request: AppendRequest): readonly PolicyKey[] {
  const { drafts, conditions = [], forget = [] } = request;
  const policies = [
    ...drafts.flatMap(({ stream }) => policyOfStream(stream) ?? []),
    ...statesOf(request).map(({ policy }) => policy),
    ...conditions.map(({ policy }) => policy),
    ...forget,
  ];
  if (policies.length < 2) return policies;
  return [...new Map(policies.map((policy) => [namespacedName(policy), policy])).values()];
}

function statesOf({ drafts, states = [] }: AppendRequest): readonly PolicyState[] {
  if (typeof states !== 'function') return states;
  return drafts.length === 0 ? states([]) : [];
}
