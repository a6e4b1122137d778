import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range that kernels take outgoing connections' ports from, so that none is taken between check and use. */
const range = { first: 15_000, last: 29_999 } as const;
const attempts = 100;

/** Finds `count` different TCP ports of 127.0.0.1 that are free now. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let attempt = 0; attempt < attempts && found.size < count; attempt += 1) {
    const port = randomInt(range.first, range.last + 1);
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  if (found.size < count) throw new Error(`no ${count} free ports between ${range.first} and ${range.last}`);
  return [...found];
}

/** Finds one such port. */
export async function findFreePort(): Promise<number> {
  const [port] = await findFreePorts(1);
  if (port === undefined) throw new Error('there is no free port');
  return port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
