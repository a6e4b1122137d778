import {
  type EntryKind,
  entryKinds,
  isEntryKind,
  type PolicyKey,
  policyOfStream,
  timeNanoseconds,
  type UnverifiedFrame,
} from '#ledger';
import { UnusableError } from '../unusable-error.ts';

/** What of a ledger is exported; `null` is everything. It is part of the export's manifest. */
export interface ExportFilter {
  /** RFC 3339, inclusive. */
  readonly from: string | null;
  /** RFC 3339, exclusive. */
  readonly until: string | null;
  readonly namespaces: readonly string[] | null;
  /** `NAMESPACE/NAME` each. Streams of these or of {@link namespaces} are exported. */
  readonly policies: readonly string[] | null;
  readonly kinds: readonly EntryKind[] | null;
}

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

function sorted<T extends string>(values: readonly T[] | undefined): readonly T[] | null {
  return values === undefined ? null : [...new Set(values)].sort();
}

/** Whether a stream is exported. */
export function selectsStream({ namespaces, policies }: ExportFilter, stream: string): boolean {
  if (namespaces === null && policies === null) return true;
  const policy: PolicyKey | null = policyOfStream(stream);
  if (policy === null) return false;
  return (
    (namespaces?.includes(policy.namespace) ?? false) ||
    (policies?.includes(`${policy.namespace}/${policy.name}`) ?? false)
  );
}

/** Returns whether an entry of an exported stream is exported with its payload. */
export function entrySelector(filter: ExportFilter): (entry: UnverifiedFrame) => boolean {
  const { from, until, kinds } = filter;
  if (from === null && until === null && kinds === null) return () => true;
  const selected: ReadonlySet<string> | null = kinds === null ? null : new Set(kinds);
  const start = from === null ? null : timeNanoseconds(from);
  const end = until === null ? null : timeNanoseconds(until);
  return ({ kind, time }) => {
    if (selected?.has(kind) === false) return false;
    if (start === null && end === null) return true;
    const at = timeNanoseconds(time);
    return at !== null && (start === null || at >= start) && (end === null || at < end);
  };
}
