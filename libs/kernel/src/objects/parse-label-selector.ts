import { err, ok, type Result } from '../outcomes/result.ts';

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

/**
 * What is wrong with label selector text, in the words of {@link parseLabelSelector}; undefined where it parses. Faster,
 * since it keeps nothing.
 */
export function labelSelectorFault(text: string): string | undefined {
  if (text.length <= maxPlainLength && plainSelector.test(text)) return undefined;
  const parsed = parseLabelSelector(text);
  return parsed.ok ? undefined : parsed.error;
}

/** `a=b,c.d/e=f`: what the selectors of nearly all scales are. Never what {@link parseLabelSelector} would refuse. */
const plainSelector =
  /^(?:[a-z0-9]+(?:\.[a-z0-9]+)*\/)?[A-Za-z0-9][-\w.]{0,61}[A-Za-z0-9]=[A-Za-z0-9][-\w.]{0,61}[A-Za-z0-9](?:,(?:[a-z0-9]+(?:\.[a-z0-9]+)*\/)?[A-Za-z0-9][-\w.]{0,61}[A-Za-z0-9]=[A-Za-z0-9][-\w.]{0,61}[A-Za-z0-9])*$/;
/** Of a DNS subdomain, so that no prefix in a plain selector is longer. */
const maxPlainLength = 253;

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

const labelName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Reads token by token: a symbol, a word, or the empty text at the end. */
class SelectorParser {
  readonly #text: string;
  #position = 0;
  /** The token that comes next. */
  #token: string;

  constructor(text: string) {
    this.#text = text;
    this.#token = this.#scan();
  }

  parse(): LabelRequirements {
    const requirements: LabelRequirement[] = [];
    if (this.#token === '') return requirements;
    for (;;) {
      requirements.push(this.#requirement());
      const token = this.#next();
      if (token === '') return requirements;
      if (token !== ',') throw unexpected(token, "',' or the end");
    }
  }

  #requirement(): LabelRequirement {
    const isNegated = this.#token === '!';
    if (isNegated) this.#next();
    const key = this.#key();
    if (isNegated) return { operator: 'DoesNotExist', key };
    if (this.#isAtEndOfRequirement()) return { operator: 'Exists', key };
    return this.#comparison(key);
  }

  #comparison(key: string): LabelRequirement {
    const operator = this.#next();
    switch (operator) {
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
    if (!isWord(token)) throw unexpected(token, 'a label key');
    if (!isLabelKey(token)) throw new SelectorSyntaxError(`${JSON.stringify(token)} is no label key`);
    return token;
  }

  #exactValue(key: string): string {
    if (this.#isAtEndOfRequirement()) return '';
    const token = this.#next();
    if (!isWord(token)) throw unexpected(token, 'a label value');
    return checkedValue(key, token);
  }

  /** `(x,y)`; an empty place, as in `(,x)` or `()`, is the empty value. */
  #values(key: string): readonly string[] {
    const open = this.#next();
    if (open !== '(') throw unexpected(open, "'('");
    const values = new Set<string>();
    for (;;) {
      values.add(isWord(this.#token) ? checkedValue(key, this.#next()) : '');
      const token = this.#next();
      if (token === ')') return [...values];
      if (token !== ',') throw unexpected(token, "',' or ')'");
    }
  }

  #bound(key: string): bigint {
    const text = this.#exactValue(key);
    if (!isInteger(text))
      throw new SelectorSyntaxError(`the bound of ${key} is an integer, not ${JSON.stringify(text)}`);

    return BigInt(text);
  }

  #isAtEndOfRequirement(): boolean {
    return this.#token === '' || this.#token === ',';
  }

  #next(): string {
    const token = this.#token;
    this.#token = this.#scan();
    return token;
  }

  #scan(): string {
    const text = this.#text;
    let start = this.#position;
    while (isBlank(text.charCodeAt(start))) start += 1;
    let end = start;
    while (end < text.length && !isSeparator(text.charCodeAt(end))) end += 1;
    if (end === start) end += symbolLength(text, start);
    this.#position = end;
    return text.slice(start, end);
  }
}

const equals = 61;
const exclamation = 33;

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 13 || code === 10;
}

function isSymbol(code: number): boolean {
  switch (code) {
    case exclamation:
    case equals:
    case 40: // (
    case 41: // )
    case 44: // ,
    case 60: // <
    case 62: // >
      return true;
    default:
      return false;
  }
}

function isSeparator(code: number): boolean {
  return isSymbol(code) || isBlank(code);
}

/** Two for `==` and `!=`. */
function symbolLength(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return (code === equals || code === exclamation) && text.charCodeAt(at + 1) === equals ? 2 : 1;
}

function isWord(token: string): boolean {
  return token !== '' && !isSymbol(token.charCodeAt(0));
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

function unexpected(token: string, wanted: string): SelectorSyntaxError {
  const found = token === '' ? 'the end' : JSON.stringify(token);
  return new SelectorSyntaxError(`found ${found} where ${wanted} was expected`);
}
