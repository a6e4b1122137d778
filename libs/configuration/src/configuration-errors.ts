import type { z } from 'zod';
import { suggest } from '#policy';
import { fieldsAt } from './fields-at.ts';
import { wantOf } from './want-of.ts';

/** What {@link wantOf} has a sentence for. */
const spoken = new Set(['too_small', 'too_big', 'invalid_type', 'invalid_value', 'invalid_union']);

/** How a schema is asked: it names the values, and leaves out what its library would say for want of a message. */
export const inSentences: z.core.ParseContext<z.core.$ZodIssue> = {
  reportInput: true,
  error: ({ code }) => (spoken.has(code) ? '' : undefined),
};

/** One thing that is wrong. */
export interface ConfigurationError {
  /** It names file, line and column, or the variable or option. */
  readonly sentence: string;
  /** What stands there, in words: apart, since it is not for everyone who may read the sentence. Absent: nothing that helps. */
  readonly given?: string;
}

/** Everything that is wrong. */
export type ConfigurationErrors = readonly ConfigurationError[];

/** What is wrong, with what stands there, for who can read the configuration. */
export function configurationErrorText({ sentence, given }: ConfigurationError): string {
  return given === undefined ? sentence : `${sentence} (${given})`;
}

/**
 * The errors of an issue: one per unknown key, with the one that it most likely means, else one.
 *
 * @param schema is what refuses; it says which keys there are.
 * @param placeOf names the place of a path: a file with line and column, a variable, an option.
 */
export function describeIssue(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  placeOf: (path: readonly PropertyKey[]) => string,
): ConfigurationErrors {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(schema, issue.path);
    return issue.keys.map((key) => ({
      sentence: `${placeOf([...issue.path, key])}: ${at === '' ? key : `${at}.${key}`}: ${noSuchSetting(key, known)}`,
    }));
  }
  const message = issue.message === '' ? `it wants ${wantOf(issue) ?? 'another value'}` : issue.message;
  return [{ sentence: `${placeOf(issue.path)}: ${at}: ${message}`, ...givenOf(issue.input) }];
}

/** What is said of a key, or of a variable, that is no setting. */
export function noSuchSetting(name: string, known: Iterable<string>): string {
  const meant = suggest(name, known);
  return meant === undefined ? 'no such setting' : `no such setting; did you mean ${meant}?`;
}

/** Scalars only, and never the user part or the query of a URL: an error must not repeat a secret. */
function givenOf(input: unknown): Pick<ConfigurationError, 'given'> {
  if (input === undefined) return { given: 'is missing' };
  if (typeof input === 'string') return { given: `is ${JSON.stringify(withoutSecrets(input))}` };
  return typeof input === 'number' || typeof input === 'boolean' ? { given: `is ${String(input)}` } : {};
}

function withoutSecrets(url: string): string {
  const start = url.indexOf('//');
  const end = url.lastIndexOf('@');
  const withoutUser = start >= 0 && end >= start + 2 ? `${url.slice(0, start)}//…${url.slice(end)}` : url;
  return withoutUser.replace(/[?#].*/s, '?…');
}
