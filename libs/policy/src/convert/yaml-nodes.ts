import { isMap, isScalar, isSeq, type Node, Pair, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml';
import { isJsonObject, type Json } from '#kernel';
import { resolvePlain } from '../yaml/plain-scalar.ts';

/** Documents are parsed without giving scalars a meaning (`failsafe`), so that each is written again as it was. */
export const parsing = { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' } as const;

/** A node that reads back as the value: text is quoted where any reader could take it for something else. */
export function toNode(value: Json): Node {
  if (typeof value === 'string') return scalarOf(value, true);
  if (isJsonObject(value)) {
    const map = new YAMLMap();
    for (const [key, item] of Object.entries(value))
      if (item !== undefined) map.items.push(pairOf(key, toNode(item)));
    return map;
  }
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items.push(...value.map((item: Json) => toNode(item)));
    return list;
  }
  return scalarOf(JSON.stringify(value), false);
}

/** One entry of a map. */
export function pairOf(key: string, value: Node): Pair {
  return new Pair(scalarOf(key, true), value);
}

function scalarOf(text: string, isText: boolean): Scalar {
  const scalar = new Scalar(text);
  scalar.type = isText && !isPlainText(text) ? 'QUOTE_DOUBLE' : 'PLAIN';
  return scalar;
}

function isPlainText(text: string): boolean {
  const read = resolvePlain(text);
  return read.kind === 'value' && read.value === text;
}

/** The entry of a name; null counts as absent. */
export function findPair(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find((pair) => keyOf(pair) === name && !isNull(pair.value));
}

/** The map of a name. */
export function findMap(map: YAMLMap, name: string): YAMLMap | undefined {
  const value = findPair(map, name)?.value;
  return isMap(value) ? value : undefined;
}

/** The maps of a list of a name. */
export function findItems(map: YAMLMap, name: string): readonly YAMLMap[] {
  const value = findPair(map, name)?.value;
  return isSeq(value) ? value.items.filter((item) => isMap(item)) : [];
}

/** Takes the entry of a name out, one that is null too, with the comments that stand directly above it. */
export function takePair(map: YAMLMap, name: string): Pair | undefined {
  const found = findPair(map, name);
  map.items = map.items.filter((pair) => keyOf(pair) !== name);
  if (isScalar(found?.key)) found.key.commentBefore = lastParagraph(found.key.commentBefore);
  return found;
}

function lastParagraph(comment: string | null | undefined): string | null {
  const lines = comment?.split('\n') ?? [];
  const own = lines.slice(lines.lastIndexOf('') + 1);
  return own.length === 0 ? null : own.join('\n');
}

/** Gives an entry another name; comments stay. */
export function renamePair(pair: Pair, name: string): Pair {
  if (isScalar(pair.key)) {
    pair.key.value = name;
    pair.key.type = 'PLAIN';
  }
  return pair;
}

/** Gives an entry another value; a comment behind a scalar stays. */
export function setValue(pair: Pair, value: Json): void {
  const node = toNode(value);
  if (isScalar(pair.value) && isScalar(node) && pair.value.comment !== undefined)
    node.comment = pair.value.comment;
  pair.value = node;
}

/** Gives an entry the comments of another one, above it and behind its scalar. */
export function takeComments(pair: Pair, from: Pair): Pair {
  if (isScalar(pair.key) && isScalar(from.key)) pair.key.commentBefore = from.key.commentBefore ?? null;
  if (isScalar(pair.value) && isScalar(from.value)) pair.value.comment = from.value.comment ?? null;
  return pair;
}

/** Takes out the entries that are null: where that means that they are absent, and will not any more. */
export function dropNulls(map: YAMLMap | undefined): void {
  if (map !== undefined) map.items = map.items.filter(({ value }) => !isNull(value));
}

/** Puts entries behind the one of a name, or at the end. */
export function insertAfter(map: YAMLMap, name: string, pairs: readonly Pair[]): void {
  const at = map.items.findIndex((pair) => keyOf(pair) === name);
  map.items.splice(at < 0 ? map.items.length : at + 1, 0, ...pairs);
}

/** The key of an entry as text. */
export function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

/** The text of a scalar; empty where it is none. */
export function textOf(node: unknown): string {
  return isScalar(node) ? String(node.value) : '';
}

function isNull(node: unknown): boolean {
  if (node === null || node === undefined) return true;
  if (!isScalar(node) || (node.type !== undefined && node.type !== 'PLAIN')) return false;
  const read = resolvePlain(String(node.value));
  return read.kind === 'value' && read.value === null;
}

/** Writes nothing as `null`, which is what it means, and not as an empty text. */
export function spellNulls(root: Node): void {
  visit(root, {
    Scalar: (_key, node) => {
      if (node.value === '' && node.type === 'PLAIN') node.value = 'null';
    },
  });
}

/** Whether anything below a node has a comment. */
export function hasComments(root: Node): boolean {
  let isFound = false;
  visit(root, {
    Node: (_key, { comment, commentBefore }) => {
      isFound ||= typeof comment === 'string' || typeof commentBefore === 'string';
    },
  });
  return isFound;
}
