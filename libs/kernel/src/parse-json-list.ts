import { isJsonObject } from './json.ts';

/**
 * What is parsed at once. V8 takes what it makes of a text of 100 kB or more for long-lived and puts it among the old
 * objects, from where only a full collection takes it away.
 */
const pieceLength = 64 * 1024;

/** What stands before the items is a few fields. */
const maximumHeadLength = 4_096;
const firstItem = /"items":\[(?<start>\{"[A-Za-z]{1,64}":)/;
const end = /\]\}\s*$/;

/**
 * What `JSON.parse` makes of the text. A long list as API servers write it, `{"kind": …, "items": [{…}, {…}]}` without
 * white space, is parsed some items at a time.
 *
 * @param length of a piece; for tests
 * @throws SyntaxError
 */
export function parseJsonList(text: string, length = pieceLength): unknown {
  if (text.length <= length) return JSON.parse(text) as unknown;
  return parseInPieces(text, length) ?? (JSON.parse(text) as unknown);
}

/** Undefined: it is no such list, or an item holds what looks like the beginning of another. */
function parseInPieces(text: string, length: number): object | undefined {
  const start = firstItem.exec(text.slice(0, maximumHeadLength))?.groups?.['start'];
  const endAt = end.exec(text.slice(-16));
  if (start === undefined || endAt === null) return undefined;
  const cuts = [...cutsOf(text, `},${start}`, length), text.length - endAt[0].length];
  try {
    return joined(text, cuts);
  } catch {
    return undefined;
  }
}

/** @throws SyntaxError where a piece is not whole in itself: then it is no JSON. */
function joined(text: string, [first = 0, ...cuts]: readonly number[]): object | undefined {
  const list: unknown = JSON.parse(`${text.slice(0, first)}]}`);
  if (!isJsonObject(list) || Object.keys(list).at(-1) !== 'items') return undefined;
  const items = [...(list['items'] as readonly unknown[])];
  let from = first + 1;
  for (const cut of cuts) {
    for (const item of JSON.parse(`[${text.slice(from, cut)}]`) as unknown[]) items.push(item);
    from = cut + 1;
  }
  return { ...list, items };
}

/** Where commas stand between items, about a piece apart. No string of a JSON text holds quotes that look like theirs. */
function cutsOf(text: string, between: string, length: number): readonly number[] {
  const cuts: number[] = [];
  for (let at = text.indexOf(between, length); at >= 0; at = text.indexOf(between, at + length))
    cuts.push(at + 1);
  return cuts;
}
