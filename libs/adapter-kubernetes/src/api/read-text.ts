import type { Readable } from 'node:stream';
import { AdapterError } from '#kernel';
import { transportFailure } from './api-failure.ts';

/** An answer's body and what bounds the reading of it. */
export interface BodyOptions {
  readonly what: string;
  readonly body: Readable;
  readonly maximumBytes: number;
  readonly secrets: readonly string[];
}

/**
 * Reads a body to its end.
 *
 * @throws AdapterError as `readChunks` does.
 */
export async function readText(options: BodyOptions): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of readChunks(options)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The chunks of a body, up to its bound.
 *
 * @throws AdapterError `TooLarge` beyond `maximumBytes`, `Unreachable` where the connection breaks.
 */
export async function* readChunks({
  what,
  body,
  maximumBytes,
  secrets,
}: BodyOptions): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maximumBytes) throw tooLarge(what, maximumBytes);
      yield chunk;
    }
  } catch (error) {
    throw transportFailure(what, error, secrets);
  }
}

/** The error for a body or line beyond its bound. */
export function tooLarge(what: string, maximumBytes: number): AdapterError {
  const message = `${what}: the answer is larger than ${maximumBytes} bytes`;
  return new AdapterError({ code: 'TooLarge', message, retryable: false });
}
