// The subscribers of a fan-out, in a process of their own: `node fan-out-clients.ts URL TOKEN COUNT QUERY`. Its parent is told
// how many events they have been sent in all whenever that has changed.
import { WebSocket } from 'undici';

/** Connections that are made at a time. */
const connectingAtOnce = 20;
const reportMilliseconds = 50;

const [url = '', token = '', count = '', query = ''] = process.argv.slice(2);
let events = 0;
let reported = -1;

await Promise.all(
  Array.from({ length: connectingAtOnce }, async (_, first) => {
    for (let index = first; index < Number(count); index += connectingAtOnce) await connect();
  }),
);
setInterval(() => {
  if (events === reported) return;
  reported = events;
  process.send?.(events);
}, reportMilliseconds);

/** Resolves when the connection is acknowledged, and has asked for its events. */
function connect(): Promise<void> {
  const socket = new WebSocket(url, {
    protocols: 'graphql-transport-ws',
    headers: { authorization: `Bearer ${token}` },
  });
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => socket.send('{"type":"connection_init"}'));
    socket.addEventListener('message', ({ data }) => {
      const { type } = JSON.parse(String(data)) as { readonly type: string };
      if (type === 'next') {
        events += 1;
      } else if (type === 'connection_ack') {
        socket.send(JSON.stringify({ id: 'events', type: 'subscribe', payload: { query } }));
        resolve();
      } else if (type === 'error') {
        reject(new Error(String(data)));
      }
    });
    socket.addEventListener('close', ({ code, reason }) => {
      reject(new Error(`${code} ${reason}`));
      process.exitCode = 1;
    });
  });
}
