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

/** How a list is read. */
interface JsonListOptions {
  /** What each item of the list becomes, called in their order. */
  readonly mapItem?: MapItem;
  /** Of a piece; for tests. */
  readonly length?: number;
}

type MapItem = (item: unknown) => unknown;

/**
 * What `JSON.parse` makes of the text, with mapped items where it is a list. A long list as API servers write it,
 * `{"kind": …, "items": [{…}, {…}]}` without white space, is parsed some items at a time, and what they become is all
 * that is kept of them.
 *
 * @throws SyntaxError, and what `mapItem` throws
 */
export function parseJsonList(text: string, options: JsonListOptions = {}): unknown {
  const { mapItem = asItIs, length = pieceLength } = options;
  const list = text.length <= length ? undefined : parseInPieces(text, mapItem, length);
  return list ?? mapped(JSON.parse(text), mapItem);
}

function asItIs(item: unknown): unknown {
  return item;
}

function mapped(value: unknown, mapItem: MapItem): unknown {
  if (!isJsonObject(value) || !Array.isArray(value['items']) || mapItem === asItIs) return value;
  return { ...value, items: value['items'].map((item) => mapItem(item)) };
}

/** Undefined: it is no such list, or an item holds what looks like the beginning of another. */
function parseInPieces(text: string, mapItem: MapItem, length: number): object | undefined {
  const cuts = cutsOf(text, length);
  const [first = 0] = cuts;
  const list = cuts.length === 0 ? undefined : parsePiece(`${text.slice(0, first)}]}`);
  if (!isJsonObject(list) || !Array.isArray(list['items']) || Object.keys(list).at(-1) !== 'items')
    return undefined;
  const items = list['items'].map((item) => mapItem(item));
  for (let index = 1; index < cuts.length; index += 1) {
    const piece = parsePiece(`[${text.slice((cuts[index - 1] ?? 0) + 1, cuts[index])}]`);
    if (!Array.isArray(piece)) return undefined;
    for (const item of piece) items.push(mapItem(item));
  }
  return { ...list, items };
}

/** Undefined where a piece is not whole in itself: then it is no JSON, or cut in the wrong place. */
function parsePiece(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Where commas stand between items, about a piece apart, and where the last item ends; none where it is no such list. No
 * string of a JSON text holds quotes that look like theirs.
 */
function cutsOf(text: string, length: number): readonly number[] {
  const start = firstItem.exec(text.slice(0, maximumHeadLength))?.groups?.['start'];
  const endAt = end.exec(text.slice(-16));
  if (start === undefined || endAt === null) return [];
  const between = `},${start}`;
  const cuts: number[] = [];
  for (let at = text.indexOf(between, length); at >= 0; at = text.indexOf(between, at + length))
    cuts.push(at + 1);
  return [...cuts, text.length - endAt[0].length];
}
