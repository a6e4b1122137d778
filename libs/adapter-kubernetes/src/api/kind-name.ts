import { apiGroupOf } from '#kernel';

/** A kind by the names that references use. */
export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The name of a kind in maps; all versions of a group serve one kind. */
export function kindKey({ apiVersion, kind }: KindName): string {
  return `${apiGroupOf(apiVersion)}/${kind}`;
}

/** `/apis/apps/v1`, `/api/v1` */
export function groupPathOf(apiVersion: string): string {
  const group = apiGroupOf(apiVersion);
  if (group === '') return `/api/${encodeURIComponent(apiVersion)}`;
  return `/apis/${encodeURIComponent(group)}/${encodeURIComponent(apiVersion.slice(group.length + 1))}`;
}
