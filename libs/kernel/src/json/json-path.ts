import { err, ok, type Result } from '../outcomes/result.ts';
import { isJsonObject } from './json.ts';

/** A path into a JSON value: its steps in order. */
export type JsonPath = readonly JsonPathStep[];

/** `.name` or `['name']`, `[2]` or `[-1]`, `[*]`, `[?(@.type=="Ready")]`. */
type JsonPathStep =
  | { readonly kind: 'Field'; readonly name: string }
  | { readonly kind: 'Index'; readonly index: number }
  | { readonly kind: 'All' }
  | { readonly kind: 'Filter'; readonly path: JsonPath; readonly value: string };

/** Longer than any path that a person writes. */
const maximumLength = 1_000;

const field = /\.?((?:[^.[\]\\{}()'"@?*\s]|\\[^])+)/y;
const quotedField = /\[(?:'([^']*)'|"([^"]*)")\]/y;
const element = /\[(-?\d{1,9})\]/y;
const all = /\[\*\]/y;
const filter = /\[\?\(\s*@((?:\.[^.[\]\\{}()'"@?*\s=]+)+)\s*==\s*(?:'([^']*)'|"([^"]*)")\s*\)\]/y;

/**
 * Reads a path as kubectl writes them: `.status.state`, `{.status.state}`, `$.items[0]`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.metadata.annotations.example\.com/state`. A recursive descent, a
 * slice, a union and any other filter are errors.
 */
export function parseJsonPath(text: string): Result<JsonPath, string> {
  if (text.length > maximumLength) return err(`a path has at most ${maximumLength} characters`);
  const inner = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  const steps: JsonPathStep[] = [];
  let position = inner.startsWith('$') ? 1 : 0;
  while (position < inner.length) {
    const next = stepAt(inner, position, steps.length === 0);
    if (next === undefined)
      return err(`no path goes on with ${JSON.stringify(inner.slice(position, position + 40))}`);
    steps.push(next.step);
    position = next.end;
  }
  return steps.length === 0 ? err('an empty path') : ok(steps);
}

interface ReadStep {
  readonly step: JsonPathStep;
  readonly end: number;
}

/** How a step begins, and what it means. */
interface StepForm {
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray) => JsonPathStep;
}

const fieldForm: StepForm = {
  pattern: field,
  read: ([, name = '']) => ({ kind: 'Field', name: unescaped(name) }),
};
const bracketForms: readonly StepForm[] = [
  { pattern: quotedField, read: ([, single, double]) => ({ kind: 'Field', name: single ?? double ?? '' }) },
  { pattern: element, read: ([, index]) => ({ kind: 'Index', index: Number(index) }) },
  { pattern: all, read: () => ({ kind: 'All' }) },
  {
    pattern: filter,
    read: ([, path = '', single, double]) => ({
      kind: 'Filter',
      path: path
        .slice(1)
        .split('.')
        .map((name) => ({ kind: 'Field', name })),
      value: single ?? double ?? '',
    }),
  },
];

function stepAt(text: string, position: number, isFirst: boolean): ReadStep | undefined {
  // Only the first field may stand without its dot.
  const isField = text[position] === '.' || (isFirst && text[position] !== '[');
  for (const { pattern, read } of isField ? [fieldForm] : bracketForms) {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match !== null) return { step: read(match), end: position + match[0].length };
  }
  return undefined;
}

function unescaped(name: string): string {
  return name.replace(/\\([^])/g, '$1');
}

/** The values at a path, in order; null and what is not there are none. */
export function valuesAt(value: unknown, path: JsonPath): readonly unknown[] {
  let values: readonly unknown[] = [value];
  for (const step of path) values = values.flatMap((current) => follow(current, step));
  return values.filter((found) => found !== null && found !== undefined);
}

function follow(value: unknown, step: JsonPathStep): readonly unknown[] {
  if (step.kind === 'Field')
    return isJsonObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  if (step.kind === 'All') return items;
  if (step.kind === 'Index') return [items.at(step.index)];
  return items.filter((item) => valuesAt(item, step.path).some((found) => jsonText(found) === step.value));
}

/** A value as text: a string as it is, anything else as JSON. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
