import type { JsonObject } from '#kernel';
import type { KubeObject } from '../objects/kube-object.ts';
import { apiVersionOf, type ResourceDefinition } from '../registry/resource-definition.ts';
import type { ListPage } from './list-pages.ts';
import type { Representation } from './media-type.ts';

const metadataForms = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

/** One object as the client wants to see it. */
export function representObject(object: KubeObject, representation: Representation): JsonObject {
  if (representation === 'Object') return object;
  return { ...metadataForms, metadata: object.metadata };
}

/** A page of a list as the client wants to see it; items of built-in kinds name no kind, as upstream. */
export function representList(
  resource: ResourceDefinition,
  { items, revision, continueToken, remaining }: ListPage,
  representation: Representation,
): JsonObject {
  const metadata = {
    resourceVersion: String(revision),
    ...(continueToken === undefined ? {} : { continue: continueToken }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
  if (representation === 'Metadata') {
    const partial = items.map((object) => ({ ...metadataForms, metadata: object.metadata }));
    return {
      kind: `${metadataForms.kind}List`,
      apiVersion: metadataForms.apiVersion,
      metadata,
      items: partial,
    };
  }
  const shown = resource.custom ? items : items.map(withoutKind);
  return { kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata, items: shown };
}

function withoutKind(object: KubeObject): JsonObject {
  return { ...object, apiVersion: undefined, kind: undefined };
}
