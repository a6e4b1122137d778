import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { type MapItem, readList } from './read-json.ts';

const mebibyte = 1024 * 1024;

function read(chunks: Iterable<string>, mapItem: MapItem = (item) => item): Promise<unknown> {
  const body = Readable.from(buffersOf(chunks), { objectMode: true, highWaterMark: 1 });
  return readList({ what: 'GET /list', body, maximumBytes: 8 * mebibyte, secrets: [] }, { mapItem });
}

function* buffersOf(chunks: Iterable<string>): Generator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

/** A list of so many bytes, in chunks of 64 KiB. */
function* aList(item: string, bytes: number): Generator<string> {
  const items = `${item},`.repeat(Math.ceil(65_536 / (item.length + 1)));
  yield '{"kind":"PodMetricsList","metadata":{"resourceVersion":"7"},"items":[';
  for (let sent = 0; sent < bytes; sent += items.length) yield items;
  yield `${item}]}`;
}

describe('readList', () => {
  it.each([
    { name: 'a short', bytes: 1_000 },
    { name: 'a long', bytes: 4 * mebibyte },
  ])('maps the items of $name list, and keeps what stands around it', async ({ bytes }) => {
    const answer = await read(aList('{"name":"checkout-0123456789"}', bytes), (item) => item !== null);
    const { items, ...around } = answer as { readonly items: readonly unknown[] };
    expect(around).toEqual({ kind: 'PodMetricsList', metadata: { resourceVersion: '7' } });
    expect(new Set(items)).toEqual(new Set([true]));
    expect(items.length).toBeGreaterThan(bytes / 50);
  });

  it('parses the items of a long list while it arrives', async () => {
    let mapped = 0;
    const mappedAtChunk: number[] = [];
    function* watched(): Generator<string> {
      for (const chunk of aList('{"name":"checkout-0123456789"}', mebibyte)) {
        mappedAtChunk.push(mapped);
        yield chunk;
      }
    }
    await read(watched(), () => (mapped += 1));
    const steps = mappedAtChunk.slice(1).map((count, index) => count - (mappedAtChunk[index] ?? 0));
    // What came before it was known to be long: four chunks, and the stream reads one or two ahead.
    expect(Math.max(...steps)).toBeLessThan(mapped / 2);
  });

  it.each([
    { name: 'an item over a mebibyte', item: `"${'x'.repeat(1.1 * mebibyte)}"`, want: 'TooLarge' },
    { name: 'more values than metrics have', item: '[[],[],[],[],[],[],[],[]]', want: 'TooLarge' },
    { name: 'an item that is no JSON', item: '{]', want: 'Malformed' },
  ])('refuses a long list with $name', async ({ item, want }) => {
    await expect(read(aList(item, 7 * mebibyte))).rejects.toMatchObject({
      code: want,
      message: expect.stringMatching(/^GET \/list: /) as unknown,
    });
  });

  it('refuses what is larger than its bound, and takes an answer that is no list as it is', async () => {
    await expect(read(aList('1234567890123456789', 9 * mebibyte))).rejects.toMatchObject({
      code: 'TooLarge',
      message: 'GET /list: the answer is larger than 8388608 bytes',
    });
    expect(await read(['{"kind":"Status"}'])).toEqual({ kind: 'Status' });
    expect(await read(['{"items":7}'])).toEqual({ items: 7 });
    await expect(read(['{'])).rejects.toMatchObject({ code: 'Malformed' });
  });
});
