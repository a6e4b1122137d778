import { z } from 'zod';

/** Not all proxies: an address that any client may set is worth nothing. */
const addressOrRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'an IP address or a CIDR, such as 10.0.0.0/8')
  .refine((text) => !text.endsWith('/0'), 'a range of proxies is not every address');

const ipAddress = z.union([z.ipv4(), z.ipv6()]);

const listenAddress = z
  .string()
  .refine(
    (text) => text === 'localhost' || ipAddress.safeParse(text).success,
    'an IP address of this machine, 0.0.0.0 for all of them, or localhost',
  );

/** Where the controller answers, and how much. */
export const listen = z.strictObject({
  /** Absent: HTTP, for loopback or behind a proxy that ends TLS. Both files are read again as they are rotated. */
  tls: z.strictObject({ certFile: z.string().min(1), keyFile: z.string().min(1) }).optional(),
  /** Loopback by default. */
  address: listenAddress.default('127.0.0.1'),
  port: z.number().int().min(0).max(65_535).default(8080),
  /** Prometheus metrics have a port of their own. */
  metricsPort: z.number().int().min(0).max(65_535).default(9090),
  /** Metrics name policies and clusters, and need no token: loopback by default. */
  metricsAddress: listenAddress.default('127.0.0.1'),
  /** Host headers that are answered beside loopback names, against DNS rebinding. */
  hosts: z.array(z.string().min(1)).max(100).default([]),
  /** Reverse proxies whose `X-Forwarded-For` is believed, as addresses or CIDRs; senders' limits count by what it says. */
  trustedProxies: z.array(addressOrRange).max(100).default([]),
  /** At a time, WebSockets among them; beyond them the one that was idle for the longest makes room. */
  connections: z.number().int().min(100).max(100_000).default(4_096),
  /** Requests to the API, five seconds' worth of them at once; probes and webhooks have limits of their own. */
  requestsPerSecond: z
    .strictObject({
      /** Of one person, over all its tokens. */
      perCaller: z.number().int().min(1).max(1_000_000).default(100),
      /** Of one IPv4 address, or the /64 of an IPv6 address. */
      perAddress: z.number().int().min(1).max(1_000_000).default(500),
    })
    .prefault({}),
  /** WebSockets for subscriptions at a time. */
  subscribers: z
    .strictObject({
      perCaller: z.number().int().min(1).max(10_000).default(20),
      total: z.number().int().min(1).max(10_000).default(2_000),
    })
    .prefault({}),
});
