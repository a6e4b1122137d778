import type { TokenRequest } from '#contracts';

type Grants = TokenRequest['grants'];

/** `operator in shop, shop-*; viewer everywhere` */
export function grantsText(grants: Grants): string {
  return grants
    .map(({ role, namespaces }) =>
      namespaces.includes('*') ? `${role} everywhere` : `${role} in ${namespaces.join(', ')}`,
    )
    .join('; ');
}
