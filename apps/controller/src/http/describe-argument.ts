import type { z } from 'zod';
import { wantOf } from '#configuration';
import { suggest } from '#policy';

type Issue = z.core.$ZodIssue;

/** What has an argument, and what it may have. */
export interface ArgumentPlace {
  /** The path, the query or the body. */
  readonly where: string;
  readonly known?: readonly string[];
  /** Where the operation takes other names: of the body for the query, and the other way round. */
  readonly elsewhere?: { readonly where: string; readonly known: readonly string[] };
}

/** As many of what is not known are named. */
const maximumNamed = 10;

/**
 * What is wrong with an argument, in one sentence: its name, its value and what it wants.
 *
 * @param given What the schema was given.
 * @param place What has it.
 */
export function describeArgument(issue: Issue, given: unknown, place: ArgumentPlace): string {
  if (issue.code === 'unrecognized_keys') return describeUnknown(issue, place);
  const { where } = place;
  const path = pathIn(given, issue.path);
  const name = path.length === 0 ? where : shown(path.map(String).join('.'));
  const value = valueAt(given, path);
  const want = wantOf(issue) ?? issue.message;
  return value === undefined
    ? `${name} is missing: it wants ${want}`
    : `${name} is ${shownValue(value)}; it wants ${want}`;
}

/** All of them at once, each with what was probably meant. */
function describeUnknown(
  { keys, path }: z.core.$ZodIssueUnrecognizedKeys,
  { where, known = [], elsewhere }: ArgumentPlace,
): string {
  const isOutermost = path.length === 0;
  const named = keys.slice(0, maximumNamed).map((key) => {
    if (!isOutermost) return shown(key);
    if (elsewhere?.known.includes(key) === true) return `${shown(key)} (it belongs into ${elsewhere.where})`;
    const meant = suggest(key, known);
    return meant === undefined ? shown(key) : `${shown(key)} (did you mean ${meant}?)`;
  });
  const rest = keys.length - named.length;
  const all = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(' and ');
  return `${isOutermost ? where : shown(path.map(String).join('.'))} has ${all}, which this operation does not take`;
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
