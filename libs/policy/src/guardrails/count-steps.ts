import type { ASTNode } from '@marcbachmann/cel-js';
import { compilePattern, type LinearPattern } from './linear-pattern.ts';
import type { StepBudget } from './step-budget.ts';
import { valueSize } from './value-size.ts';

/** Where the steps of the evaluation under way are taken from. */
export interface StepSource {
  budget: StepBudget;
}

type Evaluate = (evaluator: unknown, node: EvaluatedNode, context: unknown) => unknown;
type Handle = (first: unknown, ...rest: unknown[]) => unknown;

/** A node as the evaluator sees it: `handle` gets the values of its operands. */
interface EvaluatedNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: {
    readonly evaluate: Evaluate;
    /** What a macro or a constant stands for, evaluated in its place. */
    readonly alternate?: unknown;
    readonly macro?: { evaluate: Evaluate } & Readonly<Record<string, unknown>>;
  };
  handle?: Handle;
  readonly setMeta: (key: 'evaluate', value: Evaluate) => unknown;
}

/** Unwinding an error through a node: the message is written with the expression. */
const stepsPerError = 100;
/** The engine's search for a text in another is quadratic at worst, with a small constant. */
const searches: ReadonlySet<string> = new Set(['contains', 'indexOf', 'lastIndexOf', 'split']);
const comparedPerStep = 8;
/** A time in a time zone is formatted, and the formatter built, each time. */
const stepsPerTimeZone = 5000;
const inTimeZone = /^get(?:Date|DayOf|FullYear|Hours|Minutes|Month|Seconds|Milliseconds)/;

/**
 * Makes every node of a checked expression count its steps: one per node evaluated, one per item and character of what
 * an operator or function reads and makes. The work between two counts is then bounded, whatever the expression. Must
 * be called after the check, which decides how nodes are evaluated, and before the first evaluation.
 */
export function countSteps(root: ASTNode, source: StepSource): void {
  new StepCounter(source).visit(root);
}

class StepCounter {
  readonly #source: StepSource;
  readonly #patterns = new PatternCache();
  readonly #seen = new Set<unknown>();

  constructor(source: StepSource) {
    this.#source = source;
  }

  /** Finds the nodes in a value, however it holds them. */
  visit(value: unknown): void {
    if (typeof value !== 'object' || value === null || this.#seen.has(value)) return;
    this.#seen.add(value);
    if (isNode(value)) this.#visitNode(value);
    else for (const each of Object.values(value)) this.visit(each);
  }

  #visitNode(node: EvaluatedNode): void {
    const { alternate, macro, evaluate } = node.meta;
    if (alternate !== undefined) {
      this.visit(alternate);
    } else if (macro !== undefined) {
      macro.evaluate = this.#counted(macro.evaluate);
      this.visit(Object.values(macro));
    } else {
      if (node.handle !== undefined) node.handle = this.#countedHandle(node, node.handle);
      node.setMeta('evaluate', this.#counted(evaluate));
      this.visit(node.args);
    }
  }

  #counted(evaluate: Evaluate): Evaluate {
    const source = this.#source;
    return (evaluator, node, context) => {
      source.budget.take(1);
      try {
        return evaluate(evaluator, node, context);
      } catch (error) {
        source.budget.take(stepsPerError);
        throw error;
      }
    };
  }

  #countedHandle(node: EvaluatedNode, handle: Handle): Handle {
    const { op } = node;
    if (op === 'call' || op === 'rcall') return this.#countedCall(functionName(node), handle);
    const source = this.#source;
    return (first, second, ...rest) => {
      source.budget.take(operatorCost(op, first, second));
      return handle(first, second, ...rest);
    };
  }

  #countedCall(name: string, handle: Handle): Handle {
    const source = this.#source;
    return (values, ...rest) => {
      const { budget } = source;
      const operands: readonly unknown[] = Array.isArray(values) ? values : [];
      const [first, second] = operands;
      budget.take(operands.reduce<number>((sum, value) => sum + valueSize(value), 0));
      budget.take(extraCost(name, first, second));
      if (name === 'matches' && typeof first === 'string' && typeof second === 'string')
        return this.#patterns.get(second, budget).test(first, budget);
      return handle(values, ...rest);
    };
  }
}

/** What an operator reads. Comparisons go through all of both values; the others look at one level of what they join. */
function operatorCost(op: string, first: unknown, second: unknown): number {
  switch (op) {
    case '==':
    case '!=':
    case 'in':
      return valueSize(first) + valueSize(second);
    case '+':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return lengthOf(first) + lengthOf(second);
    case 'comprehension':
      return lengthOf(first);
    default:
      return 0;
  }
}

/** What some functions take beyond reading their operands once. */
function extraCost(name: string, first: unknown, second: unknown): number {
  if (searches.has(name)) return Math.ceil((lengthOf(first) * lengthOf(second)) / comparedPerStep);
  // Its pattern begins anew at every digit.
  if (name === 'duration') return lengthOf(first) ** 2;
  return inTimeZone.test(name) && typeof second === 'string' ? stepsPerTimeZone : 0;
}

function functionName({ args }: EvaluatedNode): string {
  const name: unknown = Array.isArray(args) ? args[0] : undefined;
  return typeof name === 'string' ? name : '';
}

/** Items, characters, bytes or entries of a value itself. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** The compiled patterns of one expression: most are literals, and the same for every policy. */
class PatternCache {
  /** An expression may put patterns together while it runs. */
  static readonly #maximum = 32;
  readonly #patterns = new Map<string, LinearPattern>();

  get(text: string, budget: StepBudget): LinearPattern {
    const known = this.#patterns.get(text);
    if (known !== undefined) return known;
    const compiled = compilePattern(text, budget);
    if (!compiled.ok) throw new Error(compiled.error);
    if (this.#patterns.size >= PatternCache.#maximum) this.#patterns.clear();
    this.#patterns.set(text, compiled.value);
    return compiled.value;
  }
}

function isNode(value: object): value is EvaluatedNode {
  return 'op' in value && 'args' in value && 'setMeta' in value;
}
