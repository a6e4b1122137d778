import { AdapterError, type NamespacedName, namespacedName } from '#kernel';
import {
  forEachPage,
  type LedgerPort,
  maximumPoliciesPerRead,
  type PolicyKey,
  policyStream,
  recordDamaged,
} from '#ledger';
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
    {
      visit: (state) => {
        if (hasHpa(state)) withHpa.push(state.policy);
      },
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
  await forEachRecord(policies, (some) => ledger.policyStates(some), {
    visit: (state) => {
      const kept = keptHpaOf(state);
      if (kept !== null) found.set(namespacedName(state.policy), kept);
    },
  });
  return found;
}

/** As many reads are on their way while one is visited: a policy waits for what is recorded of it. */
const readsAhead = 3;

/** Reads what is recorded of policies. */
type LoadRecords<T> = (policies: readonly PolicyKey[]) => Promise<readonly T[]>;

/** Takes what is recorded of policies. */
interface RecordVisitor<T> {
  readonly visit: (record: T) => void;
  /** Takes a policy of which it cannot be read, and why; absent: it is left out. */
  readonly noteDamaged?: (policy: PolicyKey, error: AdapterError) => void;
}

/**
 * Reads what is recorded of policies, some of them at a time, and visits it in their order. A policy of which it cannot be
 * read is in no other's way.
 */
export async function forEachRecord<T>(
  policies: readonly PolicyKey[],
  load: LoadRecords<T>,
  { visit, noteDamaged = () => undefined }: RecordVisitor<T>,
): Promise<void> {
  const reads: Promise<readonly T[]>[] = [];
  let read = 0;
  const readOn = (): void => {
    const some = policies.slice(read, (read += maximumPoliciesPerRead));
    if (some.length === 0) return;
    const records = loadReadable(some, load, noteDamaged);
    // It is awaited when its turn comes, unless one before it fails.
    records.catch(() => undefined);
    reads.push(records);
  };
  for (let ahead = 0; ahead < readsAhead; ahead += 1) readOn();
  for (let records = reads.shift(); records !== undefined; records = reads.shift()) {
    readOn();
    for (const record of await records) visit(record);
  }
}

/** Those of them that can be read: a reading that one damaged record spoils is made in halves. */
async function loadReadable<T>(
  policies: readonly PolicyKey[],
  load: LoadRecords<T>,
  noteDamaged: NonNullable<RecordVisitor<T>['noteDamaged']>,
): Promise<readonly T[]> {
  try {
    return await load(policies);
  } catch (error) {
    const [first] = policies;
    if (first === undefined || !(error instanceof AdapterError) || error.code !== recordDamaged) throw error;
    if (policies.length === 1) {
      noteDamaged(first, error);
      return [];
    }
    const middle = Math.ceil(policies.length / 2);
    return [
      ...(await loadReadable(policies.slice(0, middle), load, noteDamaged)),
      ...(await loadReadable(policies.slice(middle), load, noteDamaged)),
    ];
  }
}
