import { type NamespacedName, namespacedName } from '#kernel';
import { forEachPage, type LedgerPort, maximumPoliciesPerRead, type PolicyKey, policyStream } from '#ledger';
import { hasHpa, type KeptHpa, keptHpaOf } from '../runtime/departed-policies.ts';

/** The policies of which something is recorded, in force or not, and that are asked for. */
export async function listRecordedPolicies(
  ledger: Pick<LedgerPort, 'recordedPolicies'>,
  isAskedFor: (policy: NamespacedName) => boolean,
): Promise<readonly PolicyKey[]> {
  const policies: PolicyKey[] = [];
  await forEachPage(
    (page) => ledger.recordedPolicies(page),
    policyStream,
    (policy) => {
      if (isAskedFor(policy)) policies.push(policy);
    },
  );
  return policies;
}

/** Those of them that have an HPA, as far as the record says. */
export async function listRecordedHpas(
  ledger: Pick<LedgerPort, 'recordedPolicies' | 'policyStates'>,
  isAskedFor: (policy: NamespacedName) => boolean,
): Promise<readonly PolicyKey[]> {
  const withHpa: PolicyKey[] = [];
  await forEachRecord(
    await listRecordedPolicies(ledger, isAskedFor),
    (policies) => ledger.policyStates(policies),
    (state) => {
      if (hasHpa(state)) withHpa.push(state.policy);
    },
  );
  return withHpa;
}

/** Why the HPAs of policies that left are still there, as far as a deletion was refused; by `namespace/name`. */
export async function loadKeptHpas(
  ledger: Pick<LedgerPort, 'policyStates'>,
  policies: readonly PolicyKey[],
): Promise<ReadonlyMap<string, KeptHpa>> {
  const found = new Map<string, KeptHpa>();
  await forEachRecord(
    policies,
    (some) => ledger.policyStates(some),
    (state) => {
      const kept = keptHpaOf(state);
      if (kept !== null) found.set(namespacedName(state.policy), kept);
    },
  );
  return found;
}

/** Reads what is recorded of policies, some of them at a time. */
export async function forEachRecord<T>(
  policies: readonly PolicyKey[],
  load: (policies: readonly PolicyKey[]) => Promise<readonly T[]>,
  visit: (record: T) => void,
): Promise<void> {
  for (let start = 0; start < policies.length; start += maximumPoliciesPerRead)
    for (const record of await load(policies.slice(start, start + maximumPoliciesPerRead))) visit(record);
}
