import type { z } from 'zod';
import { wantOf } from '#configuration';

type Issue = z.core.$ZodIssue;

/**
 * What is wrong with an argument, in one sentence: its name, its value and what it wants.
 *
 * @param given What the schema was given.
 * @param where What has it: the path, the query or the body.
 */
export function describeArgument(issue: Issue, given: unknown, where: string): string {
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return `${where} has ${shown(key)}, which this operation does not take`;
  }
  const path = pathIn(given, issue.path);
  const name = path.length === 0 ? where : shown(path.map(String).join('.'));
  const value = valueAt(given, path);
  const want = wantOf(issue) ?? issue.message;
  return value === undefined
    ? `${name} is missing: it wants ${want}`
    : `${name} is ${shownValue(value)}; it wants ${want}`;
}

/** A parameter that is given once is a text, and to its schema a list of one. */
function pathIn(given: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] {
  const list = path.slice(0, -1);
  return path.at(-1) === 0 && typeof valueAt(given, list) === 'string' ? list : path;
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    given,
  );
}

const shownCharacters = 100;

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? shown(value) : String(value);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, shownCharacters));
}
