import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { withoutPort } from './address-group.ts';

/**
 * Whether an address is one of the trusted proxies': as a connection has it, or as a proxy forwards it, with the port of
 * the proxy before it. What is no address is none of them.
 *
 * @param proxies addresses and CIDRs, as the configuration has them
 */
export function trustedProxiesOf(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (forwarded) => {
    // The zone says on which link an address is, and not which address it is.
    const [address = ''] = withoutPort(forwarded).split('%');
    if (isIPv4(address)) return list.check(address, 'ipv4');
    return isIPv6(address) && list.check(address, 'ipv6');
  };
}
