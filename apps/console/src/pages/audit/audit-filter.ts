import { withoutUndefined } from '#kernel';
import { zonedTime } from '../../components/time/typed-time.ts';
import { entryKinds } from '../../messages/audit.ts';
import type { AuditFilterInput } from '../../schema.generated.ts';

/** The filters as the address has them. */
export const filterNames = ['kind', 'namespace', 'policy', 'actor', 'commit', 'from', 'until'] as const;

/** What the address asks for; what is empty or no kind is left out. */
export function auditFilterOf(search: URLSearchParams): AuditFilterInput {
  const given = (name: (typeof filterNames)[number]): string | undefined => {
    const text = search.get(name)?.trim() ?? '';
    return text === '' ? undefined : text;
  };
  const kind = entryKinds.find((each) => each === given('kind'));
  const [namespace, policy, from, until] = [
    given('namespace'),
    given('policy'),
    given('from'),
    given('until'),
  ];
  return withoutUndefined({
    kinds: kind === undefined ? undefined : [kind],
    namespaces: namespace === undefined ? undefined : [namespace],
    policy: policy === undefined ? undefined : policyNameOf(policy, namespace),
    actor: given('actor'),
    commit: given('commit'),
    from: from === undefined ? undefined : zonedTime(from),
    until: until === undefined ? undefined : zonedTime(until),
  });
}

/** `shop/checkout`, or `checkout` beside a namespace; what is neither is for the server to refuse. */
function policyNameOf(text: string, namespace = ''): { readonly namespace: string; readonly name: string } {
  const [first = '', ...rest] = text.split('/');
  return rest.length === 0 ? { namespace, name: first } : { namespace: first, name: rest.join('/') };
}
