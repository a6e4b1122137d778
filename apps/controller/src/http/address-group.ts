import { isIPv6 } from 'node:net';

/**
 * What limits count by: an IPv4 address, or the /64 of an IPv6 address, since one host has all of those. What is no
 * address (a proxy may forward anything) is one group.
 */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:([0-9.]{7,15})$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIPv6(address)) return `${prefixOf(address)}::/64`;
  return /^[0-9.]{7,15}$/.test(address) ? address : 'unknown';
}

/** The first four groups, without leading zeros: `2001:db8:0:0`. */
function prefixOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end stands for two groups, which are never among the first four.
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...last];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
