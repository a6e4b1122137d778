import { byPosition, type Diagnostic, type Problem } from '../diagnostics/diagnostic.ts';
import type { ReadContext } from '../kinds/read-context.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { locateIn } from '../yaml/places.ts';
import type { Position } from '../yaml/yaml-tree.ts';
import { readPolicy } from './parse-policy.ts';
import type { PolicyFileDocument } from './policy-file.ts';

/**
 * A document of a policy kind as policy, with everything that was found about it, in the order of the file. Where its
 * YAML is wrong in places, the rest is judged all the same: all errors at once, and none that follows from another.
 */
export function readPolicyDocument(
  document: PolicyFileDocument,
  context: ReadContext = {},
): { readonly policy?: EffectivePolicy; readonly diagnostics: readonly Diagnostic[] } {
  const unsure = document.diagnostics.filter(isError);
  if (document.isBroken || document.identity.kind !== 'policy' || unsure.some(hidesTheRest))
    return { diagnostics: document.diagnostics };
  const { policy, problems } = readPolicy(document.value, context);
  const found = locateProblems(document, problems).filter((problem) => !unsure.some(follows(problem)));
  const diagnostics = [...document.diagnostics, ...found].sort(byPosition);
  return policy === undefined || unsure.length > 0 ? { diagnostics } : { policy, diagnostics };
}

/** Where a field of a document stands, or the nearest parent that exists. */
export function locateField(
  { places, root }: Pick<PolicyFileDocument, 'places' | 'root'>,
  path: readonly (string | number)[],
): Position {
  return locateIn(places, root, path);
}

/** Problems of a document's value at their places in the file. */
export function locateProblems(
  document: PolicyFileDocument,
  problems: readonly Problem[],
): readonly Diagnostic[] {
  return problems.map((problem) => ({
    ...problem,
    file: document.file,
    ...locateField(document, problem.path),
  }));
}

/** Values may be missing after it, which is no error of the document. */
function hidesTheRest({ code }: Diagnostic): boolean {
  return code === 'Syntax' || code === 'TooManyAliases';
}

/** Whether a problem may be there because of what was found at, in or around its place. */
function follows(problem: Diagnostic): (found: Diagnostic) => boolean {
  return (found) => {
    // The value is known: the last, or the merged one, as kubectl would take it.
    if (found.code === 'DuplicateKey' || found.code === 'MergeConflict') return false;
    if (found.line === problem.line && found.column === problem.column) return true;
    if (isBelow(found.path, problem.path)) return !isAboutPresence(problem, found);
    // In a map that has a key of which it is not known what it is, any other key may be missing.
    if (isBelow(problem.path, found.path)) return found.code === 'InvalidKey' && problem.code === 'Required';
    return problem.code === 'OutOfRange' && isOfMarks(problem.path, found.path);
  };
}

/** Whether a high mark was compared with a low one that is not clear: `010` is a quantity also as a text. */
function isOfMarks(path: Diagnostic['path'], found: Diagnostic['path']): boolean {
  const isPair = path.at(-1) === 'highWatermark' && found.at(-1) === 'lowWatermark';
  return isPair && path.length === found.length && isBelow(found, path.slice(0, -1));
}

/** Whether a problem stays the same whatever is unclear about the value at its place, or inside it. */
function isAboutPresence({ code, path }: Diagnostic, found: Diagnostic): boolean {
  const isInside = found.path.length > path.length;
  return code === 'UnknownField' || code === 'Forbidden' || (code === 'InvalidType' && isInside);
}

/** Whether a path is another one, or leads through it. */
function isBelow(path: Diagnostic['path'], other: Diagnostic['path']): boolean {
  return path.length >= other.length && other.every((part, index) => part === path[index]);
}

function isError(diagnostic: Diagnostic): boolean {
  return diagnostic.severity === 'error';
}
