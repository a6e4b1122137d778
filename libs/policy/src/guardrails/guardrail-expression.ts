import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { err, type Json, type JsonObject, messageOf, ok, type Result } from '#kernel';
import type { Finding } from '../reading/place.ts';
import { guardrailRuleSchema } from '../schema/support-documents.ts';
import { countSteps, type StepSource } from './count-steps.ts';
import { findStrangeFields } from './find-strange-fields.ts';
import { compilePattern } from './linear-pattern.ts';
import { StepBudget } from './step-budget.ts';

const { maxLength: maximumLength } = guardrailRuleSchema.properties.expression;
/** Steps that one rule may take for one policy: about 20 ms. Real rules take tens to thousands. */
const maximumRuleSteps = 100_000;

const limits = {
  maxAstNodes: 1000,
  maxDepth: 50,
  maxListElements: 200,
  maxMapEntries: 200,
  maxCallArguments: 16,
};

const environment = new Environment({ limits }).registerVariable('object', 'map');

/** A policy as an expression sees it. */
export interface GuardrailSubject {
  readonly object: unknown;
}

/** A policy in the native form as the subject of expressions. */
export function guardrailSubject(document: JsonObject): GuardrailSubject {
  return { object: toCel(document) };
}

/** A rule's expression, ready to be evaluated; `object` is the effective policy in the native form. */
export interface GuardrailExpression {
  /**
   * Whether the expression holds for a policy. Ends within 100,000 steps, and within what is left of the budget.
   * Errors: why it could not be evaluated, in one sentence.
   */
  readonly evaluate: (subject: GuardrailSubject, budget: StepBudget) => Result<boolean, string>;
  /** What it asks for that no policy has. */
  readonly strangeFields: readonly Finding[];
}

/** Compiles a CEL expression over `object`. Errors: one sentence. */
export function compileExpression(text: string): Result<GuardrailExpression, string> {
  if (text.length > maximumLength) return err(`it has ${text.length} characters, more than ${maximumLength}`);
  try {
    const parsed = environment.parse(text);
    const { valid, type, error } = parsed.check();
    if (!valid) return err(firstLine(error));
    if (type !== 'bool' && type !== 'dyn') return err(`it gives ${String(type)}, not a boolean`);
    const fault = patternFault(parsed.ast);
    if (fault !== undefined) return err(fault);
    const strangeFields = findStrangeFields(parsed.ast);
    const source: StepSource = { budget: new StepBudget(0, 'it takes') };
    countSteps(parsed.ast, source);
    return ok({
      strangeFields,
      evaluate: (subject, budget) => {
        source.budget = new StepBudget(maximumRuleSteps, 'it takes', budget);
        return evaluateWithin(source.budget, () => parsed({ ...subject }));
      },
    });
  } catch (error) {
    return err(firstLine(error));
  }
}

/** Operators catch errors of their operands (`error || true` is true): the budget has the last word. */
function evaluateWithin(budget: StepBudget, run: () => unknown): Result<boolean, string> {
  const result = evaluate(run);
  const { exceeded } = budget;
  if (exceeded === undefined) return result;
  return err(`${exceeded.subject} more than ${exceeded.limit} steps; loop over less, or split the rule`);
}

function evaluate(run: () => unknown): Result<boolean, string> {
  try {
    const value = run();
    return typeof value === 'boolean' ? ok(value) : err('its result is no boolean');
  } catch (error) {
    return err(firstLine(error));
  }
}

/** What is wrong with the patterns that the expression spells out. */
function patternFault(node: ASTNode): string | undefined {
  if (node.op === 'rcall' && node.args[0] === 'matches') {
    const pattern = node.args[2].at(0);
    if (pattern?.op === 'value' && typeof pattern.args === 'string') {
      const compiled = compilePattern(pattern.args);
      if (!compiled.ok) return compiled.error;
    }
  }
  return childrenOf(node.args)
    .map(patternFault)
    .find((fault) => fault !== undefined);
}

function childrenOf(value: unknown): readonly ASTNode[] {
  if (isNode(value)) return [value];
  return Array.isArray(value) ? value.flatMap((each: unknown) => childrenOf(each)) : [];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}

/** Whole numbers are CEL's int, so that arithmetic with literals works. */
function toCel(value: Json | undefined): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(toCel);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toCel(each)]));
}

function isList(value: JsonObject | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value);
}
