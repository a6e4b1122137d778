import type { PolicyKey } from '#ledger';

/** Of `NAMESPACE/NAME`, as the operation wants it. */
export function policyKeyOf(text: string): PolicyKey {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
