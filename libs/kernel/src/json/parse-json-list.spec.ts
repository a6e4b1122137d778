import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonList } from './parse-json-list.ts';

const item = (index: number): object => ({ metadata: { name: `p${index}` }, containers: [{ name: 'app' }] });
const items = Array.from({ length: 20 }, (_, index) => item(index));

describe('parseJsonList', () => {
  it.each([
    { name: 'a list', given: { kind: 'PodList', metadata: { resourceVersion: '7' }, items } },
    { name: 'a list whose items are not last', given: { items, metadata: {}, more: [1] } },
    { name: 'a list in a list', given: { items: [{ metadata: {}, items }, { metadata: {} }] } },
    { name: 'a list under another key', given: { metadata: { items }, all: items } },
    { name: 'two lists', given: { items: [], others: items } },
    {
      name: 'items that hold what looks like the beginning of one',
      given: { items: [{ metadata: 1, each: [item(1), item(2), item(3)] }, ...items] },
    },
    {
      name: 'texts that look like the beginning of one',
      given: { items: [{ metadata: '},{"metadata":', more: ']}' }, ...items] },
    },
    { name: 'no list', given: { kind: 'Status', message: 'x'.repeat(100) } },
    { name: 'items that are no objects', given: { items: Array.from({ length: 50 }, (_, index) => index) } },
    { name: 'a bare list', given: items },
  ])('reads $name as JSON.parse does', ({ given }) => {
    const text = JSON.stringify(given);
    for (const length of [16, 64, 256]) {
      const read = parseJsonList(text, { length });
      expect(read).toEqual(given);
      expect(JSON.stringify(read)).toBe(text);
    }
  });

  it('reads white space, and keys that stand twice, as JSON.parse does', () => {
    const list = JSON.stringify(items);
    const texts = [
      JSON.stringify({ kind: 'PodList', items }, null, 2),
      `{"items":${list}} \n`,
      `{"items":1,"items":${list}}`,
      `{"items":${list},"items":${list}}`,
      `{"items":${list},"items":[{"metadata":1}]}`,
      `{"items":1,"kind":"PodList","items":${list}}`,
      `{"__proto__":{"a":1},"items":${list}}`,
    ];
    for (const text of texts) expect(parseJsonList(text, { length: 64 })).toEqual(JSON.parse(text));
  });

  it('reads any JSON as JSON.parse does', () => {
    const objects = fc.dictionary(fc.constantFrom('metadata', 'items', 'a'), fc.jsonValue());
    const lists = fc.record({ kind: fc.jsonValue(), items: fc.array(objects) });
    fc.assert(
      fc.property(fc.oneof(lists, fc.jsonValue()), fc.integer({ min: 1, max: 40 }), (value, length) => {
        const text = JSON.stringify(value);
        expect(parseJsonList(text, { length })).toEqual(JSON.parse(text));
      }),
    );
  });

  it('maps the items of a list, in pieces or as a whole', () => {
    const names: unknown[] = [];
    const mapItem = (value: unknown): unknown => names.push(value);
    const numbers = items.map((_, index) => index + 1);
    for (const spaces of [0, 2]) {
      const text = JSON.stringify({ kind: 'PodList', items }, null, spaces);
      expect(parseJsonList(text, { mapItem, length: 64 })).toEqual({ kind: 'PodList', items: numbers });
      expect(names.splice(0)).toEqual(items);
    }
    const fail = (): never => {
      throw new TypeError('not mapped');
    };
    expect(() => parseJsonList(JSON.stringify({ items }), { mapItem: fail, length: 64 })).toThrow(
      'not mapped',
    );
    expect(parseJsonList('{"items":1}', { mapItem: fail })).toEqual({ items: 1 });
  });

  it('refuses what JSON.parse refuses', () => {
    const list = JSON.stringify(items);
    const good = `{"items":${list}}`;
    const texts = ['}', ']', ']]}', '{', ',', '"', '"}]}'].map((wrong) => `${good}${wrong}`);
    const cut = Array.from({ length: 60 }, (_, at) => good.slice(0, good.length - 1 - at * 7));
    const holes = [good.replace('},{"metadata"', '}{"metadata"'), good.replace('},{', '},,{')];
    for (const text of [...texts, ...cut, ...holes]) {
      expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
      expect(() => parseJsonList(text, { length: 32 })).toThrow(SyntaxError);
    }
  });
});
