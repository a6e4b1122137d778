import { isJsonObject, type JsonObject } from '#kernel';
import { mergeDefaults, type Problem, type ReadContext, readPolicy, type SelectedPolicy } from '#policy';
import type { RepositoryDocument } from '../documents/repository-reading.ts';
import type { PolicyRules } from './policy-rules.ts';
import { isSameJson } from './same-json.ts';

/** A document with its defaults. */
export interface MergedDocument {
  readonly document: JsonObject;
  readonly originOf: (path: readonly (string | number)[]) => RepositoryDocument | undefined;
  readonly filled: ReadonlyMap<string, RepositoryDocument>;
  readonly conflicts: readonly Problem[];
}

/** Defaults fill AutoscalingPolicies only. */
export function mergeDocument(
  source: RepositoryDocument,
  rules: PolicyRules,
  selected: SelectedPolicy,
): MergedDocument {
  const { spec } = source.value;
  const ranks = source.kind === 'AutoscalingPolicy' ? rules.defaultsFor(source, selected) : [];
  if (ranks.length === 0 || !isJsonObject(spec))
    return { document: source.value, originOf: () => undefined, filled: new Map(), conflicts: [] };
  const merged = mergeDefaults(spec, ranks);
  return {
    document: { ...source.value, spec: merged.spec },
    originOf: (path) => (path[0] === 'spec' ? merged.originOf(path.slice(1)) : undefined),
    filled: merged.filled,
    conflicts: merged.conflicts.map(({ path, sources }) => ({
      severity: 'error',
      code: 'ConflictingDefaults',
      message: `${sources.map(placeOf).join(' and ')} set spec.${path.join('.')} differently, with one rank`,
      path: ['spec', ...path],
      hint: 'set it in the document, or in one of the two',
    })),
  };
}

interface Judged {
  readonly source: RepositoryDocument;
  readonly merged: MergedDocument;
  readonly read: ReadContext;
}

/**
 * Errors that name the lines of defaults, too: of the value itself, and of another one that it does not go together
 * with. The other is the field without whose defaults the error would not be there.
 */
export function nameDefaults(
  problems: readonly Problem[],
  { source, merged, read }: Judged,
): readonly Problem[] {
  const { document, originOf, filled } = merged;
  const errors = problems.filter(({ severity }) => severity === 'error');
  const causes = new Map<Problem, string>();
  for (const [field, defaults] of errors.length === 0 ? [] : filled) {
    const { problems: left } = readPolicy(withoutDefaults(document, { source, field }), read);
    for (const error of errors) {
      if (error.path[1] === field || causes.has(error)) continue;
      if (!left.some((other) => isSameProblem(error, other)))
        causes.set(error, `${field} by the defaults at ${placeIn(defaults, [field])}`);
    }
  }
  return problems.map((problem) => {
    const cause = causes.get(problem);
    const named = nameOrigin(problem, originOf);
    return cause === undefined ? named : { ...named, message: `${named.message} (${cause})` };
  });
}

function withoutDefaults(
  document: JsonObject,
  { source, field }: { source: RepositoryDocument; field: string },
): JsonObject {
  const { spec } = document;
  const own = source.value['spec'];
  if (!isJsonObject(spec) || !isJsonObject(own)) return document;
  return { ...document, spec: { ...spec, [field]: own[field] ?? null } };
}

function isSameProblem(one: Problem, other: Problem): boolean {
  return one.code === other.code && isSameJson([...one.path], [...other.path]);
}

/** An error about a value that defaults filled in names their line, too. */
export function nameOrigin(problem: Problem, originOf: MergedDocument['originOf']): Problem {
  const origin = originOf(problem.path);
  if (origin === undefined) return problem;
  const place = placeIn(origin, problem.path.slice(1));
  return { ...problem, message: `${problem.message} (by the defaults at ${place})` };
}

function placeIn(defaults: RepositoryDocument, path: Problem['path']): string {
  const { line, column } = defaults.locate(['spec', 'values', ...path]);
  return `${defaults.file}:${line}:${column}`;
}

function placeOf({ file, position }: RepositoryDocument): string {
  return `${file}:${position.line}:${position.column}`;
}
