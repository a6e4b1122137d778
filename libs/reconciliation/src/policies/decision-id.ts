import { type ChainedEntry, entryId, policyStream } from '#ledger';
import type { ActivePolicy } from './active-policy.ts';

/** The id of the policy's `Decision` among entries that were just chained; null: there is none. */
export function decisionIdIn(entries: readonly ChainedEntry[], { policy }: ActivePolicy): string | null {
  const stream = policyStream(policy);
  const entry = entries.findLast((candidate) => candidate.kind === 'Decision' && candidate.stream === stream);
  return entry === undefined ? null : entryId(entry);
}
