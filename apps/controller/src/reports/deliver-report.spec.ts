import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { configurationSchema } from '#configuration';
import { deliverReport } from './deliver-report.ts';

// Above what a receiver is waited for, which is ten seconds.
jest.setTimeout(60_000);

let folder: string;
const servers: Server[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-delivery-'));
  await writeFile(join(folder, 'secret'), 'a secret\n');
  await writeFile(join(folder, 'report.json'), '{}\n');
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
  await rm(folder, { recursive: true });
});

async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/reports`;
}

function deliver(url: string): Promise<string> {
  const { reports } = configurationSchema.parse({
    cluster: { name: 'test' },
    mode: 'Observe',
    namespaces: ['*'],
    sources: [{ name: 'policies', url: 'https://example.com/policies.git' }],
    reports: {
      schedules: [{ name: 'weekly', format: 'json', http: { url, secretFile: join(folder, 'secret') } }],
    },
  });
  return deliverReport(reports.schedules[0]!, {
    file: join(folder, 'report.json'),
    bytes: 3,
    period: '2026-11-16',
    id: 'weekly-1',
    now: '2026-11-23T00:00:00Z',
  });
}

it('is sent to no other place that a receiver names', async () => {
  let asked = 0;
  const elsewhere = await receiver((_, response) => {
    asked += 1;
    response.end();
  });
  for (const status of [301, 302, 307, 308]) {
    const url = await receiver((_, response) => response.writeHead(status, { location: elsewhere }).end());
    await expect(deliver(url)).rejects.toMatchObject({
      code: 'Refused',
      message: expect.stringContaining(`answered weekly-1 with status ${status}`),
    });
  }
  expect(asked).toBe(0);
});

it('is given up where a receiver hangs, or does not end its answer', async () => {
  const silent = await receiver(() => undefined);
  const open = await receiver((_, response) => response.writeHead(200).write('and'));
  const endless = await receiver((_, response) => response.writeHead(200).end('and so on '.repeat(10_000)));
  const outcomes = await Promise.allSettled([silent, open, endless].map(deliver));
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { code: 'Unreachable' } },
    { status: 'rejected', reason: { code: 'Unreachable' } },
    { status: 'rejected', reason: { code: 'AnswerTooLarge' } },
  ]);
});
