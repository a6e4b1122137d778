import { Document } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { readPolicy } from '../documents/parse-policy.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { pathText } from '../reading/place.ts';
import { isDroppedAnnotation } from './clean-metadata.ts';
import { convertFile } from './convert-file.ts';
import { managersOf } from './find-managers.ts';
import { parsing, toNode } from './yaml-nodes.ts';

/** A live object as a document to commit, or why it cannot be one. */
export type ImportedDocument =
  | {
      readonly kind: 'Taken';
      readonly policy: EffectivePolicy;
      readonly text: string;
      /** What writes the object beside people, by name: a comment of the document says it too. */
      readonly managers: readonly string[];
    }
  | { readonly kind: 'Left'; readonly reason: string };

/** What v1 says in annotations, which is no status; conversion makes fields of it. */
const specAnnotation = /^autoscaling\.alpha\.kubernetes\.io\/(?:metrics|behavior)$/;

/**
 * Makes a document of a live autoscaler: what the server or a controller writes is dropped, and the rest is validated.
 * An `autoscaling/v1` object becomes the same in v2.
 */
export function importDocument(live: JsonObject): ImportedDocument {
  const metadata = isJsonObject(live['metadata']) ? live['metadata'] : {};
  const reason = whyNot(metadata);
  if (reason !== undefined) return { kind: 'Left', reason };
  const { apiVersion = null, kind = null, spec = null } = live;
  const isOld = apiVersion === 'autoscaling/v1';
  const document = { apiVersion, kind, metadata: ownMetadata(metadata, isOld), spec };
  const { policy, problems } = readPolicy(document);
  if (policy === undefined) {
    const errors = problems.filter(({ severity }) => severity === 'error');
    return {
      kind: 'Left',
      reason: errors.map(({ path, message }) => `${pathText(path)}: ${message}`).join('; '),
    };
  }
  const managers = managersOf(metadata);
  const text = write(document, managers);
  return { kind: 'Taken', policy, text: isOld ? inNewerForm(text) : text, managers };
}

/** An object that something else makes would be made again, whatever a policy says. */
function whyNot(metadata: JsonObject): string | undefined {
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  const policy = annotations['plimsoll.dev/policy'];
  if (typeof policy === 'string') return `Plimsoll renders it from the policy ${policy}`;
  if (typeof metadata['deletionTimestamp'] === 'string') return 'it is being deleted';
  const owners = Array.isArray(metadata['ownerReferences']) ? metadata['ownerReferences'] : [];
  const owner = (owners as readonly Json[]).find((each) => isJsonObject(each) && each['controller'] === true);
  return isJsonObject(owner)
    ? `${text(owner['kind'])} ${text(owner['name'])} owns it, and writes it`
    : undefined;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function ownMetadata(metadata: JsonObject, isOld: boolean): JsonObject {
  const { name = null, namespace = null, labels, annotations } = metadata;
  const kept = Object.entries(isJsonObject(annotations) ? annotations : {}).filter(
    ([key]) =>
      key.startsWith('wpa.datadoghq.com/') ||
      (isOld && specAnnotation.test(key)) ||
      !isDroppedAnnotation(key),
  );
  return {
    name,
    namespace,
    ...(labels !== undefined && { labels }),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
  };
}

function write(document: JsonObject, managers: readonly string[]): string {
  const written = new Document(undefined, parsing);
  written.contents = toNode(document);
  if (managers.length > 0) {
    written.commentBefore = [
      ...managers.map((manager) => ` Live, this object is written by ${manager}.`),
      ' Take it out there before this policy comes into force, or both will write it.',
    ].join('\n');
  }
  return written.toString({ lineWidth: 0 });
}

function inNewerForm(text: string): string {
  return convertFile({ file: '', bytes: new TextEncoder().encode(text), to: 'autoscaling/v2' }).text;
}
