import type { ServerResponse } from 'node:http';

/** Answers with blanks that go on until the connection ends. */
export function answerWithoutEnd(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  const part = Buffer.alloc(64 * 1024, ' ');
  const more = (): void => {
    while (response.write(part));
  };
  response.on('drain', more);
  more();
}
