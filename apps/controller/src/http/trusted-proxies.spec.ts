import { describe, expect, it } from '@jest/globals';
import { createHttpAdapter } from '../configure-application.ts';
import { trustedProxiesOf } from './trusted-proxies.ts';

const proxies = ['10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48', '::1'];

describe('a trusted proxy', () => {
  it.each([
    ['10.1.2.3', true],
    ['11.1.2.3', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['::ffff:10.1.2.3', true],
    ['::ffff:11.1.2.3', false],
    ['2001:db8:1:2::3', true],
    ['2001:db8:2::3', false],
    ['::1', true],
    ['::1%lo', true],
    ['10.1.2.3:50123', true],
    ['[2001:db8:1::3]:443', true],
    ['[::ffff:10.1.2.3]:443', true],
    ['11.1.2.3:10', false],
    ['10.1.2.3:port', false],
    ['unknown', false],
    ['', false],
  ])('%s: %s', (address, want) => {
    expect(trustedProxiesOf(proxies)(address)).toBe(want);
  });
});

describe('the address of a request', () => {
  it.each([
    { name: 'without ports', forwarded: '203.0.113.9, 10.0.0.5', want: '203.0.113.9' },
    {
      name: 'with the ports of both',
      forwarded: '203.0.113.9:50123, 10.0.0.5:41002',
      want: '203.0.113.9:50123',
    },
    {
      name: 'of IPv6',
      forwarded: '[2001:db8:9::1]:50123, [2001:db8:1::5]:41002',
      want: '[2001:db8:9::1]:50123',
    },
    {
      name: 'of a proxy that nobody named',
      forwarded: '203.0.113.9, 192.0.2.9:41002',
      want: '192.0.2.9:41002',
    },
  ])('behind two proxies is the caller\u2019s, $name', async ({ forwarded, want }) => {
    const server = createHttpAdapter([...proxies, '127.0.0.1']).getInstance();
    server.get('/', (request) => Promise.resolve(request.ip));
    const answer = await server.inject({ url: '/', headers: { 'x-forwarded-for': forwarded } });
    expect(answer.body).toBe(want);
    await server.close();
  });
});
