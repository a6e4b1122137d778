import { apiGroupOf } from '#kernel';
import type { ScaleTarget } from '#reconciliation';

/** The name of a target in maps; versions of one group are one object. */
export function targetKey({ apiVersion, kind, namespace, name }: ScaleTarget): string {
  return `${namespace}/${kindKey({ apiVersion, kind })}/${name}`;
}

/** The name of a kind in maps. */
export function kindKey({ apiVersion, kind }: Pick<ScaleTarget, 'apiVersion' | 'kind'>): string {
  return `${apiGroupOf(apiVersion)}/${kind}`;
}
