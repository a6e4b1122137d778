import type { ASTNode } from '@marcbachmann/cel-js';

/** How large what an expression looks at is. */
export interface ValueSize {
  /** Items of the longest list or map. */
  readonly items: number;
  /** Characters of the longest text. */
  readonly characters: number;
}

const macros: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
const repetitions = /[*+]|\{\d+,\}/g;

/**
 * An upper bound of the steps that an expression takes: a step a node, a macro its body for every item, a regular
 * expression a step for every way its repetitions can share the longest text.
 */
export function expressionCost(node: ASTNode, size: ValueSize): number {
  const inner = childrenOf(node).reduce((sum, child) => sum + expressionCost(child, size), 0);
  if (node.op !== 'rcall' && node.op !== 'call') return 1 + inner;
  const [name] = node.args;
  if (name === 'matches') return 1 + inner + matchCost(node, size);
  return macros.has(name) ? 1 + inner * Math.max(1, size.items) : 1 + inner;
}

function matchCost(node: ASTNode, size: ValueSize): number {
  const pattern = patternOf(node);
  // A pattern that is put together while it runs may be anything.
  if (pattern === undefined || hasNestedRepetition(pattern)) return Number.POSITIVE_INFINITY;
  return size.characters ** (1 + (pattern.match(repetitions)?.length ?? 0));
}

function patternOf(node: ASTNode): string | undefined {
  const last = childrenOf(node).at(-1);
  return last?.op === 'value' && typeof last.args === 'string' ? last.args : undefined;
}

function hasNestedRepetition(pattern: string): boolean {
  return /\)[*+?{]/.test(pattern) || /\(\?/.test(pattern) || /\\\d/.test(pattern);
}

function childrenOf(node: ASTNode): readonly ASTNode[] {
  const args: unknown = node.args;
  return isNode(args) ? [args] : nodesIn(args);
}

function nodesIn(value: unknown): readonly ASTNode[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => (isNode(each) ? [each] : nodesIn(each)));
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}
