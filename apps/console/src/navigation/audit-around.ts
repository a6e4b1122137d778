import type { EntryKind } from '../schema.generated.ts';
import { links } from './links.ts';

/** What narrows a timeline beside its time; what is absent does not. */
export interface AuditScope {
  readonly kind?: EntryKind;
  readonly namespace?: string;
  readonly policy?: { readonly namespace: string; readonly name: string };
}

/** The address of the timeline of so many seconds from a time on, in seconds since 1970. */
export function auditAround(time: number, seconds: number, { kind, namespace, policy }: AuditScope): string {
  const [from = '', until = ''] = [time, time + seconds].map((each) => new Date(each * 1_000).toISOString());
  const search = new URLSearchParams({
    ...(kind === undefined ? {} : { kind }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(policy === undefined ? {} : { policy: `${policy.namespace}/${policy.name}` }),
    ...{ from, until },
  });
  return `${links.audit}?${search.toString()}`;
}
