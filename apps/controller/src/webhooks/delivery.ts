import type { IncomingHttpHeaders } from 'node:http';

/** A delivery as it came: nothing of it is believed yet. */
export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  /** The bytes that were signed, not what a parser made of them. */
  readonly body: Buffer;
}

/** A header beyond this is no signature, id or event name. */
const maximumHeaderCharacters = 1_024;

/** The value of a header that comes once; absent, empty, repeated or overlong is undefined. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (typeof value !== 'string' || value === '' || value.length > maximumHeaderCharacters) return undefined;
  return value;
}
