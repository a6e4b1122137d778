import type { JsonObject } from '#kernel';
import type { PolicyChangePayload } from '#ledger';
import { type EffectivePolicy, readPolicy } from '#policy';
import { type HoldEffect, holdEffect } from '#repository';

/** What changes of policies come to, as a hold says it: of what is only rehearsed. */
export function effectOfChanges(changes: readonly PolicyChangePayload[]): HoldEffect {
  const differences = changes.map(({ before, after, departure }) => ({
    ...partOf('before', before),
    ...partOf('after', after),
    ...(after === null ? { keepsHpa: departure === 'Kept' || departure === 'Released' } : {}),
  }));
  return holdEffect(differences);
}

function partOf(
  name: 'before' | 'after',
  document: JsonObject | null,
): { readonly before?: EffectivePolicy; readonly after?: EffectivePolicy } {
  const policy = document === null ? undefined : readPolicy(document).policy;
  return policy === undefined ? {} : { [name]: policy };
}
