import type { PolicyDocumentKind } from '../model/effective-policy.ts';
import { type Fields, fieldSet, readMap } from '../reading/fields.ts';
import { readName, readOptionalName } from '../reading/named.ts';
import { showValue } from '../reading/show-value.ts';
import {
  dnsLabelFault,
  dnsSubdomainFault,
  generatedNameFault,
  labelValueFault,
  qualifiedNameFault,
} from './names.ts';
import { readPlimsollAnnotations } from './plimsoll-annotations.ts';
import { readServerSet } from './server-set-fields.ts';

/** Keys and values of all annotations together, in bytes: Kubernetes' limit. */
const annotationBytesMaximum = 262_144;

const metadataFields = fieldSet(
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
);
const ownerReferenceFields = fieldSet(
  'apiVersion',
  'kind',
  'name',
  'uid',
  'controller',
  'blockOwnerDeletion',
);
/** Where a document's namespace may come from beside the document itself. */
export interface NamespaceSource {
  /** Wins over the document's own: a kustomization's. */
  readonly namespaceOverride?: string;
  /** Where the document names none: its tenant's or source's. */
  readonly defaultNamespace?: string;
}

/** What a reader needs to know beside the document. */
export interface MetadataContext extends NamespaceSource {
  readonly kind: PolicyDocumentKind | 'Other';
  /** Annotations whose bytes the server does not count, because conversion takes them out. */
  readonly convertedAnnotations?: ReadonlySet<string>;
}

/** Metadata that passed; `name` and `namespace` are absent where they were wrong (and reported). */
export interface Metadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * Reads a document's `metadata` as Kubernetes validates it on create, except that a name is required (a generated one
 * has no identity), and so is a namespace from somewhere.
 *
 * @see docs/spec/horizontal-pod-autoscaler.md
 */
export function readMetadata(document: Fields, context: MetadataContext): Metadata {
  const item = document.item('metadata');
  const fields = item === undefined ? undefined : readMap(item, metadataFields);
  if (fields === undefined) {
    if (item === undefined)
      document.report('metadata', { code: 'Required', message: 'metadata.name is required' });
    return { labels: {}, annotations: {} };
  }
  readOptionalName(fields, 'generateName', generatedNameFault);
  readFinalizers(fields, context);
  readOwnerReferences(fields);
  readServerSet(document, fields, context.kind);
  const name = readName(fields, 'name', dnsSubdomainFault);
  const namespace = readNamespace(fields, context);
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    labels: readLabels(fields),
    annotations: readAnnotations(fields, context),
  };
}

function readNamespace(fields: Fields, context: MetadataContext): string | undefined {
  const own = readOptionalName(fields, 'namespace', dnsLabelFault);
  const hasOwn = fields.has('namespace') && fields.raw('namespace') !== '';
  if (context.namespaceOverride !== undefined)
    return hasOwn && own === undefined ? own : context.namespaceOverride;
  if (hasOwn) return own;
  if (context.defaultNamespace !== undefined) return context.defaultNamespace;
  fields.missing('namespace', 'name it here, in a kustomization, or in the source; it is never "default"');
  return undefined;
}

function readLabels(fields: Fields): Readonly<Record<string, string>> {
  const labels = fields.stringMap('labels') ?? {};
  const place = fields.place.child('labels');
  for (const [key, value] of Object.entries(labels)) {
    const keyFault = qualifiedNameFault(key);
    if (keyFault !== undefined) {
      place
        .child(key)
        .report({ code: 'InvalidValue', message: `the label key ${showValue(key)} ${keyFault}` });
    }
    const valueFault = labelValueFault(value);
    if (valueFault !== undefined) {
      const message = `the label ${showValue(key)} ${valueFault}, is ${showValue(value)}`;
      place.child(key).report({ code: 'InvalidValue', message });
    }
  }
  return labels;
}

function readAnnotations(fields: Fields, context: MetadataContext): Readonly<Record<string, string>> {
  const annotations = fields.stringMap('annotations') ?? {};
  const place = fields.place.child('annotations');
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    if (context.convertedAnnotations?.has(key) !== true) bytes += utf8Length(key) + utf8Length(value);
    const fault = qualifiedNameFault(lowerCase(key));
    if (fault !== undefined) {
      place
        .child(key)
        .report({ code: 'InvalidValue', message: `the annotation key ${showValue(key)} ${fault}` });
    }
  }
  if (bytes > annotationBytesMaximum) {
    const message = `annotations must have at most ${annotationBytesMaximum} bytes together, have ${bytes}`;
    place.report({ code: 'TooLarge', message });
  }
  readPlimsollAnnotations(annotations, place, context.kind);
  return annotations;
}

/** Letter by letter, as Go does: of `İ` only the letter stays, where JavaScript adds a dot to it. */
function lowerCase(key: string): string {
  return key.replaceAll('İ', 'i').toLowerCase();
}

function readFinalizers(fields: Fields, context: MetadataContext): void {
  const finalizers = new Set<unknown>();
  for (const { value, place } of fields.list('finalizers') ?? []) {
    finalizers.add(value);
    const fault = typeof value === 'string' ? finalizerFault(value, context) : 'must be a string';
    const code = typeof value === 'string' ? 'InvalidValue' : 'InvalidType';
    if (fault !== undefined) place.report({ code, message: `the finalizer ${showValue(value)} ${fault}` });
  }
  if (finalizers.has('orphan') && finalizers.has('foregroundDeletion')) {
    fields.report('finalizers', {
      code: 'Forbidden',
      message: 'finalizers orphan and foregroundDeletion exclude each other',
    });
  }
}

/** Finalizers of Kubernetes itself, which need no prefix. */
const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function finalizerFault(text: string, context: MetadataContext): string | undefined {
  const fault = qualifiedNameFault(text);
  if (fault !== undefined || context.kind !== 'HorizontalPodAutoscaler') return fault;
  return text.includes('/') || standardFinalizers.has(text)
    ? undefined
    : 'must have a prefix: example.com/name';
}

function readOwnerReferences(fields: Fields): void {
  const controllers = new Set<string>();
  for (const item of fields.list('ownerReferences') ?? []) {
    const reference = readMap(item, ownerReferenceFields);
    if (reference === undefined) continue;
    readOwnerReference(reference);
    if (reference.boolean('controller') !== true) continue;
    // The server drops a reference that is there twice before it looks.
    controllers.add(JSON.stringify([...ownerReferenceFields].map((name) => reference.raw(name) ?? null)));
    if (controllers.size < 2) continue;
    controllers.clear();
    const message = 'only one owner reference may be the controller';
    reference.report('controller', { code: 'Forbidden', message });
  }
}

function readOwnerReference(reference: Fields): void {
  const kind = readName(reference, 'kind', anyText);
  readName(reference, 'name', anyText);
  readName(reference, 'uid', anyText);
  reference.boolean('blockOwnerDeletion');
  const apiVersion = readName(reference, 'apiVersion', anyText);
  if (apiVersion === undefined) return;
  const parts = apiVersion.split('/');
  if (parts.length > 2 || parts.at(-1) === '') {
    const message = `apiVersion must be a version or group/version, is ${showValue(apiVersion)}`;
    reference.report('apiVersion', { code: 'InvalidValue', message });
  }
  if (kind === 'Event' && (apiVersion === 'v1' || apiVersion === '/v1'))
    reference.report('kind', { code: 'Forbidden', message: 'an Event of v1 cannot be an owner' });
}

/** Nothing but a placeholder is wrong with it. */
function anyText(): undefined {
  return undefined;
}

/** Bytes of a text in UTF-8. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}
