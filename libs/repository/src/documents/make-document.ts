import { isJsonObject, type JsonObject } from '#kernel';
import type { PolicyFileDocument } from '#policy';
import { locateField } from '#policy';
import { plainJson } from '#policy';
import { textOf } from '../files/text-of.ts';
import type { TreeFile } from '../files/tree.ts';
import type { OverlayVerdict } from '../kustomize/overlays.ts';
import type { DocumentRole, RepositoryDocument } from './repository-reading.ts';

/** What kustomizations say of a document that is taken. */
export type TakenVerdict = Extract<OverlayVerdict, { is: 'Taken' }>;

/** A document that can be read, and what its place makes of it. */
export interface FoundDocument {
  readonly document: PolicyFileDocument;
  readonly role: DocumentRole;
  readonly verdict: TakenVerdict;
}

/** A document with its place and its identity, as `kustomize build` leaves it. */
export function makeDocument(
  file: TreeFile,
  { document, role, verdict }: FoundDocument,
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
    isListed: verdict.isListed,
    value: role === 'Policy' ? withMetadata(value, namespace, verdict) : value,
    locate: (path) => locateField(document, path),
  };
}

/** The document as `kustomize build` leaves it. A metadata of a wrong type stays: its validation says so. */
function withMetadata(value: JsonObject, namespace: string, verdict: TakenVerdict): JsonObject {
  const { metadata } = value;
  if (!isJsonObject(metadata)) return value;
  const own = metadata['namespace'];
  const isReplaced = namespace !== '' && (own === undefined || own === null || typeof own === 'string');
  return {
    ...value,
    metadata: {
      ...metadata,
      ...(isReplaced ? { namespace } : {}),
      ...merged('labels', metadata['labels'], verdict.labels),
      ...merged('annotations', metadata['annotations'], verdict.annotations),
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
