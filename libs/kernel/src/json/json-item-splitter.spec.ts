import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type JsonItemsOptions, JsonItemSplitter } from './json-item-splitter.ts';

type Bounds = Partial<Pick<JsonItemsOptions, 'maximumItemBytes' | 'maximumValues'>>;

interface Given extends Bounds {
  readonly text: string;
  readonly path?: JsonItemsOptions['path'];
  /** Of the chunks, over and over. */
  readonly sizes?: readonly number[];
}

function split({ text, path = ['items'], sizes = [64], ...bounds }: Given) {
  const items: unknown[] = [];
  const splitter = new JsonItemSplitter({
    path,
    maximumItemBytes: 1_000_000,
    maximumValues: 1_000_000,
    each: (item) => void items.push(item),
    ...bounds,
  });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0, chunk = 0; at < bytes.length; chunk += 1) {
    const size = sizes[chunk % sizes.length] ?? 1;
    // A copy that is cleared: the splitter must not read a chunk after its turn.
    const piece = bytes.slice(at, at + size);
    splitter.push(piece);
    piece.fill(0);
    at += size;
  }
  return { items, rest: splitter.end() };
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
// Without escapes: Node 26's own JSON.parse mistakes a key of one escaped character for a backslash.
const keys = fc.constantFrom('items', 'data', 'result', '', 'a', '[', '}', ':', ',', 'ü');
const leaf = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', '\"', '\\\\', '[', ']', '{', '}', ',', ':', '\\n', '\\u2028', 'ü', '😀'),
  }),
  fc.integer(),
  fc.constantFrom(null, true, -0.5, 1e300),
);
const branch = fc.oneof(leaf, fc.array(leaf), fc.dictionary(keys, leaf));
const value = fc.oneof(branch, fc.array(branch), fc.dictionary(keys, branch));

const aList = fc.record({
  around: fc.dictionary(keys, value),
  list: fc.array(value),
  path: fc.constantFrom<JsonItemsOptions['path']>(['items'], ['data', 'result']),
  indent: fc.constantFrom(undefined, 2),
  sizes,
});

const base = '{"kind":"L","items":[{"a":[1,"]\\"}"]},[],"x,",{}],"b":{"items":[1]}}';
const anEdit = fc.record({
  at: fc.nat(base.length),
  cut: fc.nat(3),
  put: fc.constantFrom('', ',', ']', '}', '[', '{', '"', '\\', ':', ' ', '1', 'ü'),
  sizes,
});

describe('items of a list', () => {
  it('are what JSON.parse makes of the whole text, however it is cut', () => {
    fc.assert(
      fc.property(aList, ({ around, list, path, indent, ...cut }) => {
        const whole = (result: readonly unknown[]): object =>
          path.length === 1
            ? { ...around, items: result }
            : { ...around, data: { ...around, items: [1], result } };
        const text = JSON.stringify(whole(list), null, indent);
        const { items, rest } = split({ text, path, ...cut });
        expect(JSON.stringify([items, rest])).toBe(JSON.stringify([list, whole([])]));
      }),
    );
  });

  it('are refused exactly where JSON.parse refuses the text', () => {
    fc.assert(
      fc.property(anEdit, ({ at, cut, put, ...chunks }) => {
        const text = base.slice(0, at) + put + base.slice(at + cut);
        const attempt = (): unknown => split({ text, ...chunks }).rest;
        if (isJson(text)) attempt();
        else expect(attempt).toThrow('no JSON');
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['an escaped key', '{"\\u0069tems":[1,2]}', [1, 2]],
    ['blanks', ' { "items" : [ 1 , 2 ] } ', [1, 2]],
    ['an empty list of blanks', '{"items":[ \n ]}', []],
    ['no list', '{"items":{"items":[1]}}', []],
    ['a list at the top', '[["items",[1]]]', []],
  ])('are found beside %s', (_, text, want) => {
    for (const size of [1, 3, 100]) expect(split({ text, sizes: [size] }).items).toEqual(want);
  });

  it.each([
    { name: 'a list that comes twice', text: '{"items":[1],"items":[2]}', want: 'no JSON' },
    {
      name: 'a large item',
      text: `{"items":["${'x'.repeat(100)}"]}`,
      maximumItemBytes: 100,
      want: 'of more than 100 bytes',
    },
    {
      name: 'many values',
      text: `{"items":[{"a":[${'{},'.repeat(50)}1]}]}`,
      maximumValues: 100,
      want: 'more than 100 values',
    },
    {
      name: 'much around the list',
      text: `{"a":"${'x'.repeat(300_000)}","items":[]}`,
      want: 'of more than 262144 bytes',
    },
  ])('refuse $name', ({ want, ...given }) => {
    expect(() => split(given)).toThrow(want);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
