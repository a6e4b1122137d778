import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isMap, isSeq, LineCounter, type Node, parseDocument, stringify } from 'yaml';
import { locateField } from '../documents/policy-document.ts';
import { type PolicyFileDocument, readPolicyFile } from '../documents/policy-file.ts';

type Path = readonly (string | number)[];

const head = 'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n';

describe('the places of a document', () => {
  it('are where its syntax tree says, in another thread too', () => {
    const key = fc.stringMatching(/^[a-z_]{1,8}$/);
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom('a', '', 'x: y', 'two\nlines', 12, true, null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(2, 4), fc.boolean(), (spec, indent, isFlow) => {
        const text =
          head + stringify({ spec }, { indent, ...(isFlow ? { collectionStyle: 'flow' as const } : {}) });
        const document = structuredClone(read(text));
        for (const path of pathsOf(document.value, []))
          expect([path, locateField(document, path)]).toEqual([path, placeInTree(text, path)]);
      }),
    );
  });

  const rows: readonly {
    readonly name: string;
    readonly text: string;
    readonly path: Path;
    readonly at: string;
  }[] = [
    {
      name: 'a field that is not there is at its parent',
      text: 'spec:\n  a: 1\n',
      path: ['spec', 'b', 'c'],
      at: '3:1',
    },
    { name: 'an item beyond the end is at its list', text: 'spec: [1]\n', path: ['spec', 7], at: '3:1' },
    {
      name: 'of a key that stands there twice the last counts',
      text: 'spec: 1\nspec:\n  a: 2\n',
      path: ['spec', 'a'],
      at: '5:3',
    },
    {
      name: 'what an alias stands for is at its anchor',
      text: 'a: &x {b: 1}\nspec: *x\n',
      path: ['spec', 'b'],
      at: '3:8',
    },
    {
      name: 'a merged field is at its own place',
      text: 'a: &x {b: 1}\nspec:\n  <<: *x\n  c: 2\n',
      path: ['spec', 'b'],
      at: '3:8',
    },
    {
      name: 'a field of its own wins over a merged one',
      text: 'a: &x {b: 1}\nspec:\n  <<: *x\n  b: 2\n',
      path: ['spec', 'b'],
      at: '6:3',
    },
    {
      name: 'of several merged maps the first counts',
      text: 'a: [&x {b: 1}, &y {b: 2, c: 3}]\nspec: {<<: [*x, *y]}\n',
      path: ['spec', 'c'],
      at: '3:26',
    },
    {
      name: 'a key may be called __proto__',
      text: 'spec:\n  __proto__:\n    a: 1\n',
      path: ['spec', '__proto__', 'a'],
      at: '5:5',
    },
    { name: 'a number is a key, too', text: 'spec:\n  1: a\n', path: ['spec', 1], at: '4:3' },
    { name: 'an item of a List is a document', text: '', path: ['spec', 'a'], at: '6:11' },
  ];

  it.each(rows)('$name', ({ text, path, at }) => {
    const list =
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: autoscaling/v2\n  kind: HorizontalPodAutoscaler\n  spec: { a: 1 }\n';
    const { line, column } = locateField(read(text === '' ? list : head + text), path);
    expect(`${line}:${column}`).toBe(at);
  });

  it('of a map that merges itself are found, and a merge bomb costs nothing', () => {
    const circle = read(`${head}spec: &x\n  a: 1\n  <<: *x\n`);
    expect(locateField(circle, ['spec', 'nope'])).toEqual({ line: 3, column: 1 });
    const levels = Array.from({ length: 40 }, (_, level) =>
      level === 0 ? 'x0: &x0 {a: 1}' : `x${level}: &x${level} {<<: [*x${level - 1}, *x${level - 1}]}`,
    );
    const bomb = read(`${head}${levels.join('\n')}\n`);
    expect(locateField(bomb, ['x39', 'a'])).toEqual({ line: 3, column: 10 });
    expect(locateField(bomb, ['x39', 'nope'])).toEqual({ line: 42, column: 1 });
    expect(bomb.places.numbers.length).toBeLessThan(1000);
    const chain = Array.from({ length: 20_000 }, (_, link) =>
      link === 0 ? 'x0: &x0 {a: 1}' : `x${link}: &x${link} {<<: *x${link - 1}}`,
    );
    expect(locateField(read(`${head}${chain.join('\n')}\n`), ['x19999', 'a'])).toEqual({
      line: 20002,
      column: 1,
    });
  });
});

function read(text: string): PolicyFileDocument {
  const [document] = readPolicyFile({ file: 'f.yaml', bytes: new TextEncoder().encode(text) }).documents;
  if (document === undefined) throw new Error(`no document in ${text}`);
  return document;
}

function pathsOf(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, item]) => pathsOf(item, [...path, key]))];
}

/** Through the parser's own tree: the key of a field, the node of an item. */
function placeInTree(text: string, path: Path): { line: number; column: number } {
  const lines = new LineCounter();
  let node = parseDocument(text, { lineCounter: lines }).contents as Node | null;
  let at = node;
  for (const key of path) {
    if (isSeq(node)) {
      node = at = node.items[Number(key)] as Node;
    } else if (isMap(node)) {
      const pair = node.items.find((each) => String(each.key) === key);
      at = pair?.key as Node;
      node = pair?.value as Node | null;
    }
  }
  const { line, col } = lines.linePos(at?.range?.[0] ?? 0);
  return { line, column: col };
}
