import type { EntryKind } from '../entries/entry-kind.ts';
import { timeNanoseconds } from '../entries/entry-time.ts';
import { type PolicyKey, policyOfStream } from '../entries/stream-name.ts';
import type { UnverifiedFrame } from './verify-stream.ts';

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
