import { type DocumentIdentity, identifyDocument } from '../kinds/identify-document.ts';
import type { YamlDocument } from '../yaml/yaml-document.ts';

/** What a document is, once it is known to concern us. */
export type FileDocumentIdentity = Exclude<DocumentIdentity, { readonly kind: 'list' }>;

/** What a document says that it is. */
export interface Header {
  readonly apiVersion: unknown;
  readonly kind: unknown;
  readonly identity: FileDocumentIdentity;
}

/** Values of one key of one document that are looked at: it stands there once. */
const maximumValues = 20;

/** By its first apiVersion and kind, or by any that is ours where a key stands there twice. */
export function readHeader(document: YamlDocument): {
  apiVersion: unknown;
  kind: unknown;
  identity: DocumentIdentity;
} {
  const versions = valuesOf(document, 'apiVersion');
  const kinds = valuesOf(document, 'kind');
  const pairs = versions.flatMap((apiVersion) =>
    kinds.map((kind) => ({ apiVersion, kind, identity: identifyDocument(apiVersion, kind) })),
  );
  const ours = pairs.find(({ identity }) => identity.kind !== 'other');
  return ours ?? pairs[0] ?? { apiVersion: undefined, kind: undefined, identity: { kind: 'other' } };
}

/** The values of a field, of a key that stands there very often the first and the last, which kubectl takes. */
function valuesOf(document: YamlDocument, name: string): readonly unknown[] {
  const values = [...new Set(document.shallowValues(name))];
  if (values.length === 0) return [undefined];
  return values.length <= maximumValues ? values : [...values.slice(0, maximumValues - 1), values.at(-1)];
}
