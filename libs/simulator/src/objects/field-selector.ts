import { type KubeObject, valueAt } from './kube-object.ts';

/** One condition on a field. */
export interface FieldRequirement {
  readonly path: FieldPath;
  readonly equal: boolean;
  readonly value: string;
}

/** Where a field is; of two paths the second counts where the first has nothing. */
export type FieldPath =
  readonly string[] | { readonly path: readonly string[]; readonly otherwise: readonly string[] };

/** Field labels a resource knows → where the field is. */
export type FieldLabels = Readonly<Record<string, FieldPath>>;

const termPattern = /^([^=!]+)(==|!=|=)(.*)$/;
const everywhere: FieldLabels = {
  'metadata.name': ['metadata', 'name'],
  'metadata.namespace': ['metadata', 'namespace'],
};

/**
 * Reads a `fieldSelector` query parameter: `spec.nodeName=a,status.phase!=Running`.
 *
 * @throws SyntaxError on a term that is no comparison, or a label that the resource does not know.
 */
export function parseFieldSelector(text: string, labels: FieldLabels): readonly FieldRequirement[] {
  if (text.trim() === '') return [];
  const known = { ...everywhere, ...labels };
  return text.split(',').map((term) => parseTerm(term, known));
}

/** Whether an object satisfies every requirement; an absent field counts as empty text. */
export function matchesFields(object: KubeObject, requirements: readonly FieldRequirement[]): boolean {
  return requirements.every(({ path, equal, value }) => {
    return (textAt(object, path) === value) === equal;
  });
}

function textAt(object: KubeObject, path: FieldPath): string {
  if ('path' in path) return textAt(object, path.path) || textAt(object, path.otherwise);
  const found = valueAt(object, ...path);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
    ? String(found)
    : '';
}

function parseTerm(term: string, known: FieldLabels): FieldRequirement {
  const match = termPattern.exec(term.trim());
  if (match === null) throw new SyntaxError(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, label = '', sign, value = ''] = match;
  const path = known[label];
  if (path === undefined) {
    const names = Object.keys(known).map((name) => JSON.stringify(name));
    throw new SyntaxError(`"${label}" is not a known field selector: only ${names.join(', ')}`);
  }
  return { path, equal: sign !== '!=', value };
}
