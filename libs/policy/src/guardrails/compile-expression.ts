import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { err, type Json, type JsonObject, messageOf, ok, type Result } from '#kernel';
import { expressionCost, type ValueSize } from './expression-cost.ts';

/** Longer expressions are no rule that anybody reviews. */
const lengthMaximum = 4096;
/** Steps that one judgement may take: a few milliseconds. */
const costMaximum = 1_000_000;

const limits = {
  maxAstNodes: 1000,
  maxDepth: 50,
  maxListElements: 200,
  maxMapEntries: 200,
  maxCallArguments: 16,
};

/** A rule's expression, ready to judge; `object` is the effective policy in the native form. */
export interface CompiledExpression {
  readonly ast: ASTNode;
  readonly run: (context: Record<string, unknown>) => unknown;
}

const environment = new Environment({ limits }).registerVariable('object', 'map');

/** Compiles a CEL expression over `object`. Errors: one sentence. */
export function compileExpression(text: string): Result<CompiledExpression, string> {
  if (text.length > lengthMaximum) return err(`it has ${text.length} characters, more than ${lengthMaximum}`);
  try {
    const parsed = environment.parse(text);
    const { valid, type, error } = parsed.check();
    if (!valid) return err(firstLine(error));
    const isBoolean = type === 'bool' || type === 'dyn';
    return isBoolean ? ok({ ast: parsed.ast, run: parsed }) : err(`it gives ${String(type)}, not a boolean`);
  } catch (error) {
    return err(firstLine(error));
  }
}

/** What an expression says about a policy: whether it holds, or why it could not be judged (which denies). */
export function evaluateExpression(
  expression: CompiledExpression,
  document: JsonObject,
): Result<boolean, string> {
  const cost = expressionCost(expression.ast, sizeOf(document));
  if (cost > costMaximum) return err(`it may take ${cost.toExponential(0)} steps, more than ${costMaximum}`);
  try {
    const result = expression.run({ object: toCel(document) });
    return typeof result === 'boolean' ? ok(result) : err('its result is no boolean');
  } catch (error) {
    return err(firstLine(error));
  }
}

function firstLine(error: unknown): string {
  const message = messageOf(error);
  return message.split('\n', 1)[0] ?? '';
}

/** Whole numbers are CEL's int, so that arithmetic with literals works. */
function toCel(value: Json | undefined): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(toCel);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toCel(each)]));
}

function sizeOf(value: Json | undefined): ValueSize {
  if (typeof value === 'string') return { items: 0, characters: value.length };
  if (typeof value !== 'object' || value === null) return { items: 0, characters: 0 };
  const inner = isList(value) ? value : Object.values(value);
  return inner.map(sizeOf).reduce(larger, { items: inner.length, characters: 0 });
}

function larger(a: ValueSize, b: ValueSize): ValueSize {
  return { items: Math.max(a.items, b.items), characters: Math.max(a.characters, b.characters) };
}

function isList(value: JsonObject | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value);
}
