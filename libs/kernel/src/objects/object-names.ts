/** What names an object within one kind. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** `namespace/name`: the key of a policy in maps, logs and entries, and how messages name it. */
export function namespacedName({ namespace, name }: NamespacedName): string {
  return `${namespace}/${name}`;
}

/** The group of an apiVersion: `apps` of `apps/v1`, empty for the core group. */
export function apiGroupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
