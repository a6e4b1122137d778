import { err, ok, type Result } from './result.ts';

/** One condition on a label. `Gt` and `Lt` compare integers; `NotIn` is also satisfied where the label is absent. */
export type LabelRequirement =
  | { readonly operator: 'In' | 'NotIn'; readonly key: string; readonly values: readonly string[] }
  | { readonly operator: 'Exists' | 'DoesNotExist'; readonly key: string }
  | { readonly operator: 'Gt' | 'Lt'; readonly key: string; readonly bound: bigint };

/** A parsed label selector: all requirements must be satisfied, so an empty one selects everything. */
export type LabelRequirements = readonly LabelRequirement[];

/**
 * Parses label selector text as Kubernetes does: `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x)`, `a`, `!a`, `a>1`,
 * `a<1`, joined by commas. `a in ()` means the empty value; blanks alone select everything.
 * The error is one sentence that quotes the unexpected text.
 *
 * @see apimachinery `pkg/labels/selector.go`
 */
export function parseLabelSelector(text: string): Result<LabelRequirements, string> {
  if (text.length > maxLength) return err(`the selector has more than ${maxLength} characters`);
  try {
    return ok(new SelectorParser(text).parse());
  } catch (error) {
    if (error instanceof SelectorSyntaxError) return err(error.message);
    throw error;
  }
}

/** Whether labels satisfy every requirement. */
export function matchesLabels(
  requirements: LabelRequirements,
  labels: Readonly<Record<string, string | undefined>>,
): boolean {
  for (const requirement of requirements) {
    const { key } = requirement;
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (!isSatisfied(requirement, value)) return false;
  }
  return true;
}

function isSatisfied(requirement: LabelRequirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && requirement.values.includes(value);
    case 'NotIn':
      return value === undefined || !requirement.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return isInteger(value) && isBeyond(requirement, BigInt(value));
  }
}

function isBeyond({ operator, bound }: { operator: 'Gt' | 'Lt'; bound: bigint }, value: bigint): boolean {
  return operator === 'Gt' ? value > bound : value < bound;
}

const maximumInt64 = 2n ** 63n - 1n;
/** Characters of a label's value, which bounds the integers that are compared. */
const maxValueLength = 63;

function isInteger(value: string | undefined): value is string {
  if (value === undefined || value.length > maxValueLength) return false;
  return /^\d+$/.test(value) && BigInt(value) <= maximumInt64;
}

/** Characters of a selector: more than any that selects something, few enough to parse at once. */
const maxLength = 65_536;

class SelectorSyntaxError extends Error {}

interface Token {
  readonly kind: 'symbol' | 'word' | 'end';
  readonly text: string;
}

const tokenPattern = /\s*(==|!=|[=!(),<>]|[^=!(),<>\s]+)/gy;
const labelName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

class SelectorParser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = [...text.matchAll(tokenPattern)].map(([, token = '']) => ({
      kind: /^[=!(),<>]/.test(token) ? 'symbol' : 'word',
      text: token,
    }));
  }

  parse(): LabelRequirements {
    const requirements: LabelRequirement[] = [];
    if (this.#peek().kind === 'end') return requirements;
    for (;;) {
      requirements.push(this.#requirement());
      const token = this.#next();
      if (token.kind === 'end') return requirements;
      if (token.text !== ',') throw unexpected(token, "',' or the end");
    }
  }

  #requirement(): LabelRequirement {
    const isNegated = this.#peek().text === '!';
    if (isNegated) this.#next();
    const key = this.#key();
    if (isNegated) return { operator: 'DoesNotExist', key };
    if (this.#isAtEndOfRequirement()) return { operator: 'Exists', key };
    return this.#comparison(key);
  }

  #comparison(key: string): LabelRequirement {
    const operator = this.#next();
    switch (operator.text) {
      case '=':
      case '==':
        return { operator: 'In', key, values: [this.#exactValue(key)] };
      case '!=':
        return { operator: 'NotIn', key, values: [this.#exactValue(key)] };
      case 'in':
        return { operator: 'In', key, values: this.#values(key) };
      case 'notin':
        return { operator: 'NotIn', key, values: this.#values(key) };
      case '>':
        return { operator: 'Gt', key, bound: this.#bound(key) };
      case '<':
        return { operator: 'Lt', key, bound: this.#bound(key) };
      default:
        throw unexpected(operator, 'one of = == != in notin < >');
    }
  }

  #key(): string {
    const token = this.#next();
    if (token.kind !== 'word') throw unexpected(token, 'a label key');
    if (!isLabelKey(token.text))
      throw new SelectorSyntaxError(`${JSON.stringify(token.text)} is no label key`);
    return token.text;
  }

  #exactValue(key: string): string {
    if (this.#isAtEndOfRequirement()) return '';
    const token = this.#next();
    if (token.kind !== 'word') throw unexpected(token, 'a label value');
    return checkedValue(key, token.text);
  }

  /** `(x,y)`; an empty place, as in `(,x)` or `()`, is the empty value. */
  #values(key: string): readonly string[] {
    const open = this.#next();
    if (open.text !== '(') throw unexpected(open, "'('");
    const values = new Set<string>();
    for (;;) {
      values.add(this.#peek().kind === 'word' ? checkedValue(key, this.#next().text) : '');
      const token = this.#next();
      if (token.text === ')') return [...values];
      if (token.text !== ',') throw unexpected(token, "',' or ')'");
    }
  }

  #bound(key: string): bigint {
    const text = this.#exactValue(key);
    if (!isInteger(text))
      throw new SelectorSyntaxError(`the bound of ${key} is an integer, not ${JSON.stringify(text)}`);

    return BigInt(text);
  }

  #isAtEndOfRequirement(): boolean {
    const token = this.#peek();
    return token.kind === 'end' || token.text === ',';
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '' };
  }

  #next(): Token {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }
}

/** A name of at most 63 characters, with or without a DNS subdomain and a slash before it. */
function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  const prefix = text.slice(0, Math.max(slash, 0));
  const name = text.slice(slash + 1);
  if (name.length > 63 || !labelName.test(name)) return false;
  return slash < 0 || (prefix.length <= 253 && dnsSubdomain.test(prefix));
}

function checkedValue(key: string, value: string): string {
  if (value.length > 63 || !labelName.test(value))
    throw new SelectorSyntaxError(`${JSON.stringify(value)} is no value of the label ${key}`);

  return value;
}

function unexpected(token: Token, wanted: string): SelectorSyntaxError {
  const found = token.kind === 'end' ? 'the end' : JSON.stringify(token.text);
  return new SelectorSyntaxError(`found ${found} where ${wanted} was expected`);
}
