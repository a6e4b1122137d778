import { isIPv4, isIPv6 } from 'node:net';

/**
 * What limits count by: an IPv4 address, or the /64 of an IPv6 address, since one host has all of those. Some proxies
 * forward the port with it. What is no address (a proxy may forward anything) is one group.
 */
export function addressGroup(forwarded: string): string {
  const address = withoutPort(forwarded);
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return 'unknown';
  const groups = groupsOf(address);
  return mappedAddress(groups) ?? `${groups.slice(0, 4).map(hexText).join(':')}::/64`;
}

/** The address that a proxy forwards, where it forwards one: without a port. */
export function withoutPort(forwarded: string): string {
  const [, bracketed, dotted] = withPort.exec(forwarded) ?? [];
  return bracketed ?? dotted ?? forwarded;
}

/** `[2001:db8::1]:443`, `[2001:db8::1]` or `203.0.113.7:443`. */
const withPort = /^(?:\[([^\]]*)\](?::\d{1,5})?|([0-9.]+):\d{1,5})$/;

/** The eight groups as numbers. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail = ''] = address.split('::').map((part) => part.split('%', 1)[0]);
  const [first, last] = [numbersOf(head), numbersOf(tail)];
  const zeros = address.includes('::') ? 8 - first.length - last.length : 0;
  return [...first, ...Array.from({ length: zeros }, () => 0), ...last];
}

/** An IPv4 address at the end stands for two groups. */
function numbersOf(part: string): readonly number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return group.includes('.') ? [a * 256 + b, c * 256 + d] : [Number.parseInt(group, 16)];
  });
}

/** The IPv4 address that `::ffff:203.0.113.7` stands for, however it is written; null: it is no such address. */
function mappedAddress(groups: readonly number[]): string | null {
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 6).join() !== '0,0,0,0,0,65535') return null;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function hexText(group: number): string {
  return group.toString(16);
}
