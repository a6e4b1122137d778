import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** A server that is there closes at once. */
const goodbyeMilliseconds = 1_000;

/**
 * Ends a connection. On a line that carries nothing any more, as behind a proxy that hangs, no end comes: it is cut, and
 * what of its session the server keeps ends when it notices.
 */
export async function endConnection(client: pg.Client): Promise<void> {
  const ended = new AbortController();
  const cut = delay(goodbyeMilliseconds, undefined, { signal: ended.signal }).then(
    () => void client.connection.stream.destroy(),
    () => undefined,
  );
  await Promise.race([client.end().finally(() => ended.abort()), cut]);
}
