import { withoutUndefined } from '#kernel';

/** A provider's description of itself and its tokens have some kB, and a set of keys has 500 bytes per key. */
const maximumAnswerBytes = 1024 * 1024;

/** As the libraries that ask a provider have them. */
interface FetchOptions {
  readonly method: string;
  readonly headers: NonNullable<RequestInit['headers']>;
  readonly redirect: 'manual';
  readonly body?: RequestInit['body'] | undefined;
  readonly signal?: RequestInit['signal'] | undefined;
}

/**
 * Fetches, and reads the whole answer, within the time that the options allow: what asks the OpenID provider would read an
 * answer of any length.
 *
 * @throws Error where there is none, or a longer one
 */
export async function fetchBounded(url: string, options: FetchOptions): Promise<Response> {
  const answer = await fetch(url, withoutUndefined(options));
  const { status, statusText, headers } = answer;
  const bytes = await readBounded(answer);
  return new Response(bytes.length === 0 ? null : bytes, { status, statusText, headers });
}

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > maximumAnswerBytes) throw new Error(`an answer of more than ${maximumAnswerBytes} bytes`);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
