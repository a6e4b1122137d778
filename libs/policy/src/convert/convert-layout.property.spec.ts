import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { autoscalers, dump, watermarks } from './arbitrary-documents.fixture.ts';
import type { ConversionTarget } from './convert-autoscaler.ts';
import { convertFile } from './convert-file.ts';

const runs = 200;

/** What a person adds to a line: a blank line or a comment above it, and a comment behind it. */
const habits = fc.array(fc.constantFrom('plain', 'blank', 'above', 'behind', 'all'), { minLength: 1 });
const styles = fc.constantFrom<object>({}, { indent: 4 }, { indentSeq: false }, { collectionStyle: 'flow' });
const ends = fc.constantFrom('\n', '\r\n');
const writings = fc.record({ added: habits, style: styles, end: ends });

function decorated(text: string, added: readonly string[]): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap((line, index): readonly string[] => {
      const habit = added[index % added.length] ?? 'plain';
      const indent = /^ */.exec(line)?.[0] ?? '';
      return [
        ...(habit === 'blank' || habit === 'all' ? [''] : []),
        ...(habit === 'above' || habit === 'all' ? [`${indent}#  above ${index}.`] : []),
        habit === 'behind' || habit === 'all' ? `${line}   #behind ${index}.` : line,
      ];
    });
  return `${lines.join('\n')}\n`;
}

/** An entry or item of a document: what it says, its line, and the comment lines directly above that. */
interface PlacedValue {
  readonly value: unknown;
  readonly lines: readonly string[];
}

/** All that a text says, by path. */
function placedValues(text: string): ReadonlyMap<string, PlacedValue> {
  const counter = new LineCounter();
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: counter });
  const lines = text.split('\n');
  const found = new Map<string, PlacedValue>();
  const add = (path: string, offset: number, node: unknown): void => {
    const { line } = counter.linePos(offset);
    let first = line - 1;
    while (first > 0 && /^ *#/.test(lines[first - 1] ?? '')) first -= 1;
    const value: unknown = isScalar(node) || isMap(node) || isSeq(node) ? node.toJS(document) : node;
    found.set(path, { value, lines: lines.slice(first, line) });
    walk(node, path);
  };
  const walk = (node: unknown, path: string): void => {
    if (isMap(node) && node.flow !== true) {
      for (const { key, value } of node.items)
        if (isScalar(key)) add(`${path}/${String(key.value)}`, key.range?.[0] ?? 0, value);
    } else if (isSeq(node) && node.flow !== true) {
      for (const [index, item] of node.items.entries()) walk(item, `${path}/${index}`);
    }
  };
  walk(document.contents, '');
  return found;
}

/** What stays whatever becomes of what is in it. */
const frames: ReadonlySet<string> = new Set(['/metadata', '/metadata/annotations', '/spec', '/spec/metrics']);

/** What both texts say must stand in the same lines. */
function expectSameLines(before: string, after: string): void {
  const written = placedValues(after);
  for (const [path, { value, lines }] of placedValues(before)) {
    const now = written.get(path);
    if (now === undefined) continue;
    const isBlock = !/[:-] +[{[]/.test(lines.at(-1) ?? '');
    if (isDeepStrictEqual(value, now.value) || (frames.has(path) && isBlock))
      expect([path, ...now.lines]).toEqual([path, ...lines]);
  }
}

/** No comment twice, and none that was not there: {@link expectSameLines} sees those that are lost. */
function expectComments(before: string, after: string): void {
  const texts = (text: string): readonly string[] => text.match(/#(?:  above|behind) \d+\./g) ?? [];
  const written = texts(after);
  expect(new Set(written).size).toBe(written.length);
  expect(texts(before)).toEqual(expect.arrayContaining([...written]));
}

function convert(text: string, to: ConversionTarget): ReturnType<typeof convertFile> {
  return convertFile({ file: 'f.yaml', bytes: new TextEncoder().encode(text), to });
}

describe('what conversion does not touch', () => {
  it.each<{ name: string; documents: fc.Arbitrary<object>; to: ConversionTarget }>([
    { name: 'HorizontalPodAutoscalers to autoscaling/v2', documents: autoscalers, to: 'autoscaling/v2' },
    { name: 'HorizontalPodAutoscalers to native ones', documents: autoscalers, to: 'AutoscalingPolicy' },
    { name: 'WatermarkPodAutoscalers to native ones', documents: watermarks, to: 'AutoscalingPolicy' },
  ])('stays line for line: $name', ({ documents, to }) => {
    fc.assert(
      fc.property(documents, writings, (value, { added, style, end }) => {
        const plain = dump(value, { lineWidth: 0, aliasDuplicateObjects: false, ...style });
        const text = decorated(plain, added).replaceAll('\n', end);
        const result = convert(text, to);
        expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
        expectSameLines(text, result.text);
        expectComments(text, result.text);
        expect(convert(result.text, to).text).toBe(result.text);
      }),
      { numRuns: runs },
    );
  });
});
