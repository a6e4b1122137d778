// Node's own HTTP server with nothing behind it, in a process of its own: `node bare-server.ts`. Its parent is told its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As long as one decision with a few fields. */
const answer = JSON.stringify({ data: 'x'.repeat(240) });

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': answer.length,
    });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
