import { namespacedName } from '#kernel';
import type { RecordedConditions } from '#ledger';
import { append } from '../record/append.ts';
import type { PolicyRuntimes } from '../runtime/policy-runtimes.ts';
import { forEachRecord } from './recorded-policies.ts';
import { hasLeft, type Restoring } from './restore-policies.ts';

/** Conditions by `namespace/name`. */
export type ConditionsByPolicy = Map<string, RecordedConditions>;

/**
 * Restores the conditions of the policies in force, and forgets those of policies that left while the controller was
 * down.
 *
 * @returns those of policies that are not in force: some may come into force later, when their source has been read
 * @throws AdapterError when the ledger cannot be read
 */
export async function restoreConditions(
  restoring: Pick<Restoring, 'ports' | 'recorded'>,
  runtimes: PolicyRuntimes,
): Promise<ConditionsByPolicy> {
  const { ledger } = restoring.ports;
  const others: RecordedConditions[] = [];
  await forEachRecord(restoring.recorded, (policies) => ledger.policyConditions(policies), {
    visit: (recorded) => {
      const runtime = runtimes.get(namespacedName(recorded.policy));
      if (runtime === undefined) others.push(recorded);
      else runtime.conditions.restore(recorded.conditions);
    },
    noteDamaged: (policy, { message }) => {
      const key = namespacedName(policy);
      const text = `${key}  its conditions begin anew: ${message}`;
      restoring.ports.log.write({ level: 'warn', text, fields: { policy: key } });
    },
  });
  const unclaimed: ConditionsByPolicy = new Map();
  for (const { policy, conditions } of others) {
    if (await hasLeft(restoring, { policy }))
      await append(restoring.ports, { drafts: [], conditions: [{ policy, conditions: [] }] });
    else unclaimed.set(namespacedName(policy), { policy, conditions });
  }
  return unclaimed;
}
