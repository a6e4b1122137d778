import type { ScaleTarget } from '#reconciliation';
import { kindKey } from '../api/kind-name.ts';

/** The name of a target in maps; versions of one group are one object. */
export function targetKey({ apiVersion, kind, namespace, name }: ScaleTarget): string {
  return `${namespace}/${kindKey({ apiVersion, kind })}/${name}`;
}
