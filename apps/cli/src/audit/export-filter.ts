import { entryKinds, type ExportFilter, isEntryKind, timeNanoseconds } from '#ledger';
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

/** @throws UnusableError naming the value that is none. */
export function parseFilter({ from, until, namespace, policy, kind }: FilterOptions): ExportFilter {
  for (const time of [from, until]) {
    if (time !== undefined && timeNanoseconds(time) === null)
      throw new UnusableError(`${JSON.stringify(time)} is no RFC 3339 time, such as 2026-11-20T12:00:00Z`);
  }
  requirePeriod(from, until);
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

function requirePeriod(from: string | undefined, until: string | undefined): void {
  const [first, end] = [from, until].map((time) => (time === undefined ? null : timeNanoseconds(time)));
  if (typeof first !== 'bigint' || typeof end !== 'bigint' || first < end) return;
  throw new UnusableError(`--from ${from} is not before --until ${until}: the period is empty`);
}

function sorted<T extends string>(values: readonly T[] | undefined): readonly T[] | null {
  return values === undefined ? null : [...new Set(values)].sort();
}
