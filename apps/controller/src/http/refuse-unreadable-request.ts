import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { type Problem, problemDocument } from './problem.ts';

const problems: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'HeadersTooLarge', detail: 'the headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'RequestTimeout',
    detail: 'the request did not arrive in time',
  },
};

const unreadable: Problem = { status: 400, code: 'BadRequest', detail: 'this is no HTTP request' };

/**
 * Answers what Node's HTTP parser refuses, which meets no hook and has no reply, in the form of every other refusal, and
 * closes the connection.
 */
export function refuseUnreadableRequest(error: ConnectionError, socket: Socket): void {
  // To who has no TLS with us nothing can be said: an answer would wait for a handshake, and keep the connection.
  if (error.code === 'ECONNRESET' || /^ERR_(TLS|SSL)_/.test(error.code) || !socket.writable) {
    socket.destroy();
    return;
  }
  const document = problemDocument(problems[error.code] ?? unreadable);
  const body = JSON.stringify(document);
  socket.end(
    [
      `HTTP/1.1 ${document.status} ${document.title}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    // What the peer still sends is not read.
    () => socket.destroy(),
  );
}
