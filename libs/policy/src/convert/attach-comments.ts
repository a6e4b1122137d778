import { isMap, isNode, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import { endOf, endOfPair, type SourceText, startOfPair } from './source-text.ts';

/**
 * Ties the comments of block maps and lists to what they stand above, where the parser ties some of them to what came
 * before: an entry that moves then takes exactly its own comments along. Those below the last entry are left out.
 */
export function attachComments(node: unknown, source: SourceText): void {
  if (isMap(node) && node.flow !== true) attachInMap(node, source);
  if (isSeq(node) && node.flow !== true) attachInList(node, source);
}

function attachInMap(map: YAMLMap, source: SourceText): void {
  untie(map);
  let end: number | undefined;
  for (const { key, value } of map.items) {
    const start = startOfPair({ key });
    if (start === undefined || !isScalar(key)) continue;
    // Behind a dash, it is the item's.
    tie(key, source.isFirstOnLine(start) ? source.commentAbove(start, end) : null);
    attachComments(value, source);
    if (isBelow(value, source.lineEnd(start))) key.comment = source.commentBehind(key.range?.[1] ?? start);
    end = endOfPair({ key, value }, source.text);
  }
}

function attachInList(list: YAMLSeq, source: SourceText): void {
  untie(list);
  let end: number | undefined;
  for (const item of list.items) {
    if (!isNode(item)) continue;
    attachComments(item, source);
    const start = item.range?.[0];
    if (start !== undefined) tie(item, source.commentAbove(start, end));
    end = endOf(item, source.text);
  }
}

/** Whether a node is a block that begins below a line. */
function isBelow(node: unknown, lineEnd: number): boolean {
  if (!(isMap(node) || isSeq(node)) || node.flow === true) return false;
  return (node.range?.[0] ?? 0) > lineEnd;
}

function untie(node: Node): void {
  node.comment = null;
  node.commentBefore = null;
}

function tie(node: Node, comment: string | null): void {
  node.commentBefore = comment;
  node.spaceBefore = false;
}
