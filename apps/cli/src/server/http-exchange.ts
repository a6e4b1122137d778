import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';

/** An answer that was read to its end. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends a request, and follows no redirection.
 *
 * @returns the answer once its headers are there; it is to be read
 * @throws Error where there is none
 */
export async function openAnswer(
  url: URL,
  body: string | undefined,
  options: RequestOptions,
): Promise<IncomingMessage> {
  // Only what the URL needs is loaded: a command answers at once.
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, resolve);
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    // Of an answer that goes on with another protocol Node says nothing else.
    outgoing.on('close', () => reject(new Error('it ended the connection, and gave no answer')));
    outgoing.end(body);
  });
}

/** Reads an answer to its end. @throws Error where it has more than so many bytes, or is cut off */
export async function wholeAnswer(answer: IncomingMessage, maximumBytes: number): Promise<WholeAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maximumBytes) throw new AnswerTooLargeError();
    chunks.push(chunk);
  }
  if (!answer.complete) throw new Error('the answer was cut off');
  const { statusCode = 0, headers } = answer;
  return { status: statusCode, headers, text: Buffer.concat(chunks).toString('utf8') };
}

/** No answer that is meant for this program is as large. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';

  constructor() {
    super('the answer is too large');
  }
}
