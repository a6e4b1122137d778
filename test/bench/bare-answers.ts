import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Pool } from 'undici';
import { type AskedRequest, askerOf, connections, type CpuRate, measureFastest } from './asking.ts';

const startTimeoutMilliseconds = 30_000;
const bareMilliseconds = 3_000;

/**
 * What Node's own server takes for an answer with nothing behind it, then and there. It says how fast a machine is with HTTP
 * alone, which changes within minutes; it does not make up for all that differs between two runs.
 */
export async function measureBare(request: AskedRequest): Promise<CpuRate> {
  const server = fork(join(import.meta.dirname, 'bare-server.ts'));
  try {
    const [port] = (await once(server, 'message', {
      signal: AbortSignal.timeout(startTimeoutMilliseconds),
    })) as [number];
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
    const ask = askerOf(pool, request);
    const fastest = await measureFastest(ask, server.pid ?? 0, bareMilliseconds);
    await pool.close();
    return fastest;
  } finally {
    server.kill();
  }
}
