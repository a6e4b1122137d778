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
 * @throws AdapterError `TooLarge` beyond `maximumBytes`, `Unreachable` where the connection breaks.
 */
export async function readText({ what, body, maximumBytes, secrets }: BodyOptions): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maximumBytes) throw tooLarge(what, maximumBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw transportFailure(what, error, secrets);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

/** The error for a body or line beyond its bound. */
export function tooLarge(what: string, maximumBytes: number): AdapterError {
  const message = `${what}: the answer is larger than ${maximumBytes} bytes`;
  return new AdapterError({ code: 'TooLarge', message, retryable: false });
}
