import { transportFailure } from './api-failure.ts';
import { type BodyOptions, tooLarge } from './read-text.ts';

const newline = 0x0a;

/**
 * Splits a body into its lines as they arrive; blank lines and an unfinished last one are left out.
 *
 * @throws AdapterError `TooLarge` for a line beyond `maximumBytes`, `Unreachable` where the connection breaks.
 */
export async function* readLines({ what, body, maximumBytes, secrets }: BodyOptions): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const line = Buffer.concat([...rest, chunk.subarray(start, end)]).toString('utf8');
        rest = [];
        restBytes = 0;
        start = end + 1;
        if (line.trim() !== '') yield line;
      }
      if (start < chunk.length) rest.push(chunk.subarray(start));
      restBytes += chunk.length - start;
      if (restBytes > maximumBytes) throw tooLarge(what, maximumBytes);
    }
  } catch (error) {
    throw transportFailure(what, error, secrets);
  }
}
