import { isJsonObject, type JsonObject } from '#kernel';
import { locateField, plainJson, type PolicyFileDocument } from '#policy';
import type { TreeFile } from '../files/tree-file.ts';
import type { OverlayEffect } from './overlays.ts';
import type { DocumentRole, RepositoryDocument } from './repository-reading.ts';

/** What kustomizations say of a document that is taken. */
export type TakenEffect = Extract<OverlayEffect, { kind: 'Taken' }>;

/** A document that can be read, and what its place makes of it. */
export interface FoundDocument {
  readonly document: PolicyFileDocument;
  readonly role: DocumentRole;
  readonly effect: TakenEffect;
}

/** A document with its place and its identity, as `kustomize build` leaves it. */
export function makeDocument(
  file: TreeFile,
  { document, role, effect }: FoundDocument,
  { tenant, namespace }: Pick<RepositoryDocument, 'tenant' | 'namespace'>,
): RepositoryDocument {
  const json = plainJson(document.value);
  const value = isJsonObject(json) ? json : {};
  return {
    role,
    tenant,
    kind: textOf(document.kind),
    name: document.name ?? '',
    namespace,
    file: file.path,
    blob: file.id,
    position: document.start,
    isListed: effect.isListed,
    value: role === 'Policy' ? withMetadata(value, namespace, effect) : value,
    locate: (path) => locateField(document, path),
  };
}

/** The document as `kustomize build` leaves it. A metadata of a wrong type stays: its validation says so. */
function withMetadata(value: JsonObject, namespace: string, effect: TakenEffect): JsonObject {
  const { metadata } = value;
  if (!isJsonObject(metadata)) return value;
  const own = metadata['namespace'];
  const isReplaced = namespace !== '' && (own === undefined || own === null || typeof own === 'string');
  return {
    ...value,
    metadata: {
      ...metadata,
      ...(isReplaced ? { namespace } : {}),
      ...merged('labels', metadata['labels'], effect.labels),
      ...merged('annotations', metadata['annotations'], effect.annotations),
    },
  };
}

function merged(
  field: 'labels' | 'annotations',
  own: unknown,
  added: Readonly<Record<string, string>>,
): JsonObject {
  if (Object.keys(added).length === 0) return {};
  if (own !== undefined && own !== null && !isJsonObject(own)) return {};
  return { [field]: { ...(isJsonObject(own) ? own : {}), ...added } };
}

/** A text, or an empty one where it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
