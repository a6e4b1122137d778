import type { Json } from '#kernel';
import { readScenario, type Scenario } from './scenario.ts';

/** Browsers, chats and mail take addresses of this length. */
const maximumLinkCharacters = 32_768;

/** What a link unfolds to at most: the limits of all that a scenario holds, twice. */
const maximumUnpackedBytes = 8 * 1_048_576;

/** The part of an address that holds a scenario: `#s=` and it, compressed; undefined: it is too much for an address. */
export async function linkOf(scenario: Scenario): Promise<string | undefined> {
  const bytes = new TextEncoder().encode(JSON.stringify(scenario));
  const packed = await readAll(streamOf(bytes).pipeThrough(new CompressionStream('deflate-raw')), Infinity);
  const text = `#s=${base64UrlOf(packed)}`;
  return text.length > maximumLinkCharacters ? undefined : text;
}

/** The scenario of an address; undefined: it has none, or one that cannot be read. */
export async function scenarioOf(hash: string): Promise<Scenario | undefined> {
  const packed = /^#s=([\w-]+)$/.exec(hash)?.[1];
  if (packed === undefined) return undefined;
  try {
    const stream = streamOf(bytesOf(packed)).pipeThrough(new DecompressionStream('deflate-raw'));
    const text = new TextDecoder().decode(await readAll(stream, maximumUnpackedBytes));
    return readScenario(JSON.parse(text) as Json);
  } catch {
    // Cut off on its way, or made by hand.
    return undefined;
  }
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new Blob([bytes]).stream();
}

/** @throws RangeError where there are more bytes than may be. */
async function readAll(stream: ReadableStream<Uint8Array>, maximum: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > maximum) {
      await reader.cancel();
      throw new RangeError('it unfolds to more than it may');
    }
    chunks.push(next.value);
  }
  const all = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

function base64UrlOf(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
