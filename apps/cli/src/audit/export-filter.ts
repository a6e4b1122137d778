import { entryKinds, type ExportFilter, isEntryKind, timeNanoseconds } from '#ledger';
import { requireNamespaces } from '../namespace-argument.ts';
import { periodBefore } from '../server/time-after.ts';
import { UnusableError } from '../unusable-error.ts';

/** The filter's options of the command line. */
export interface FilterOptions {
  readonly from?: string;
  readonly until?: string;
  readonly namespace?: readonly string[];
  readonly policy?: readonly string[];
  readonly kind?: readonly string[];
}

const policyForm = /^[^/\s]+\/[^/\s]+$/;

/** @throws UnusableError naming the option or the value that is none. */
export function parseFilter({ namespace, policy, kind, ...given }: FilterOptions): ExportFilter {
  const { from, until } = periodBefore(given);
  requireOfLedger('--from', from);
  requireOfLedger('--until', until);
  requireNamespaces(namespace, 'Name');
  const strange = policy?.find((name) => !policyForm.test(name));
  if (strange !== undefined)
    throw new UnusableError(`${JSON.stringify(strange)} is no policy: it is named NAMESPACE/NAME`);
  const kinds = kind?.map((name) => {
    if (isEntryKind(name)) return name;
    throw new UnusableError(`there is no kind ${JSON.stringify(name)}; there are ${entryKinds.join(', ')}`);
  });
  return {
    from: from ?? null,
    until: until ?? null,
    namespaces: sorted(namespace),
    policies: sorted(policy),
    kinds: sorted(kinds),
  };
}

function requireOfLedger(option: string, time: string | undefined): void {
  if (time === undefined || timeNanoseconds(time) !== null) return;
  throw new UnusableError(`${option} is ${JSON.stringify(time)}; it wants a time of the years 1970 to 2261`);
}

function sorted<T extends string>(values: readonly T[] | undefined): readonly T[] | null {
  return values === undefined ? null : [...new Set(values)].sort();
}
