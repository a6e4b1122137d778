import { BlockList, isIP } from 'node:net';

const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');
linkLocal.addSubnet('::ffff:169.254.0.0', 112, 'ipv6');
/** The metadata service of one large cloud over IPv6 is a unique local address. */
linkLocal.addAddress('fd00:ec2::254', 'ipv6');

/** Whether an IP address is link-local, or a cloud's metadata service. */
export function isLinkLocal(address: string): boolean {
  return linkLocal.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The IP address that a URL's hostname is; undefined for a name. */
export function addressOf(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}
