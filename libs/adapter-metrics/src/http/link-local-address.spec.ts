import { describe, expect, it } from '@jest/globals';
import { addressOf, isLinkLocal } from './link-local-address.ts';

describe('isLinkLocal', () => {
  it.each([
    { address: '169.254.169.254', want: true },
    { address: '169.253.255.255', want: false },
    { address: '127.0.0.1', want: false },
    { address: 'fe80::1', want: true },
    { address: '::ffff:169.254.169.254', want: true },
    { address: 'fd00:ec2::254', want: true },
    { address: '2001:db8::1', want: false },
  ])('$address: $want', ({ address, want }) => {
    expect(isLinkLocal(address)).toBe(want);
  });
});

describe('addressOf', () => {
  it.each([
    { hostname: '[fe80::1]', want: 'fe80::1' },
    { hostname: '10.0.0.1', want: '10.0.0.1' },
    { hostname: 'prometheus.monitoring', want: undefined },
  ])('$hostname', ({ hostname, want }) => {
    expect(addressOf(hostname)).toBe(want);
  });
});
