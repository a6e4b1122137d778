/** `Metadata`: the server sends metadata only, a fraction of the whole object. */
export type Representation = 'Object' | 'Metadata';

/** A collection that is listed and watched. */
export interface WatchedResource {
  /** For logs and health: `pods`, `pods in shop`. */
  readonly name: string;
  /** `/api/v1/pods`, `/apis/apps/v1/namespaces/shop/replicasets`. */
  readonly path: string;
  readonly representation: Representation;
}

const partialMetadata = 'g=meta.k8s.io;v=v1';

/** The `Accept` header of a list. */
export function acceptOfList(representation: Representation): string {
  return representation === 'Object'
    ? 'application/json'
    : `application/json;as=PartialObjectMetadataList;${partialMetadata}`;
}

/** The `Accept` header of a watch or of a single GET. */
export function acceptOfObject(representation: Representation): string {
  return representation === 'Object'
    ? 'application/json'
    : `application/json;as=PartialObjectMetadata;${partialMetadata}`;
}
