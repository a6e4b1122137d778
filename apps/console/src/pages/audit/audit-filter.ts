import { entryKinds } from '../../messages/audit.ts';
import type { AuditFilterInput, EntryKind } from '../../schema.generated.ts';

/** The filters as the address has them. */
export const filterNames = ['kind', 'namespace', 'actor', 'from', 'until'] as const;

/** What the address asks for; what is empty or no kind is left out. */
export function auditFilterOf(search: URLSearchParams): AuditFilterInput {
  const [kind, namespace, actor, from, until] = filterNames.map((name) => search.get(name)?.trim() ?? '');
  const known = entryKinds.find((each): each is EntryKind => each === kind);
  return {
    ...(known === undefined ? {} : { kinds: [known] }),
    ...(namespace === '' || namespace === undefined ? {} : { namespaces: [namespace] }),
    ...(actor === '' || actor === undefined ? {} : { actor }),
    ...(from === '' || from === undefined ? {} : { from: zoned(from) }),
    ...(until === '' || until === undefined ? {} : { until: zoned(until) }),
  };
}

/** A browser's `2026-11-22T03:12` is taken as UTC; what has a zone, or is no time at all, is for the server to judge. */
function zoned(time: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(time)) return `${time}:00Z`;
  return time;
}
