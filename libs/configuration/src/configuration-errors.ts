/** Everything that is wrong, one sentence each, naming file, line and column, or the variable or option. */
export type ConfigurationErrors = readonly string[];

/** What a schema found. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly keys?: readonly string[];
  readonly input?: unknown;
}

/**
 * The sentences of an issue: one per unknown key, else one.
 *
 * @param placeOf names the place of a path: a file with line and column, a variable, an option.
 */
export function describeIssue(
  issue: SchemaIssue,
  placeOf: (path: readonly PropertyKey[]) => string,
): ConfigurationErrors {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map(
      (key) => `${placeOf([...issue.path, key])}: ${at === '' ? key : `${at}.${key}`}: no such setting`,
    );
  }
  return [`${placeOf(issue.path)}: ${at}: ${issue.message}${valueText(issue.input)}`];
}

/** Scalars only, and never the user part or the query of a URL: an error must not repeat a secret. */
function valueText(input: unknown): string {
  if (input === undefined) return ' (is missing)';
  if (typeof input === 'string') return ` (is ${JSON.stringify(withoutSecrets(input))})`;
  return typeof input === 'number' || typeof input === 'boolean' ? ` (is ${String(input)})` : '';
}

function withoutSecrets(url: string): string {
  const start = url.indexOf('//');
  const end = url.lastIndexOf('@');
  const withoutUser = start >= 0 && end >= start + 2 ? `${url.slice(0, start)}//…${url.slice(end)}` : url;
  return withoutUser.replace(/[?#].*/s, '?…');
}
