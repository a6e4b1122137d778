import { Document } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '#kernel';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { readPolicy } from '../parse-policy.ts';
import { isDroppedAnnotation } from './clean-metadata.ts';
import { parsing, toNode } from './yaml-nodes.ts';

/** A live object as a document to commit, or why it cannot be one. */
export type ImportedDocument =
  | { readonly is: 'Taken'; readonly policy: EffectivePolicy; readonly text: string }
  | { readonly is: 'Left'; readonly reason: string };

/** Makes a document of a live autoscaler: what the server or a controller writes is dropped, and the rest is validated. */
export function importDocument(live: JsonObject): ImportedDocument {
  const metadata = isJsonObject(live['metadata']) ? live['metadata'] : {};
  const owner = whoWrites(metadata);
  if (owner !== undefined) return { is: 'Left', reason: owner };
  const { apiVersion = null, kind = null, spec = null } = live;
  const document = { apiVersion, kind, metadata: ownMetadata(metadata), spec };
  const { policy, problems } = readPolicy(document);
  if (policy === undefined) {
    const errors = problems.filter(({ severity }) => severity === 'error');
    return { is: 'Left', reason: errors.map(({ code, message }) => `${code}: ${message}`).join('; ') };
  }
  const written = new Document(undefined, parsing);
  written.contents = toNode(document);
  return { is: 'Taken', policy, text: written.toString({ lineWidth: 0 }) };
}

/** An object that something else makes would be made again, whatever a policy says. */
function whoWrites(metadata: JsonObject): string | undefined {
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  const policy = annotations['plimsoll.dev/policy'];
  if (typeof policy === 'string') return `Plimsoll renders it from the policy ${policy}`;
  const owners = Array.isArray(metadata['ownerReferences']) ? metadata['ownerReferences'] : [];
  const owner = (owners as readonly Json[]).find((each) => isJsonObject(each) && each['controller'] === true);
  return isJsonObject(owner)
    ? `${text(owner['kind'])} ${text(owner['name'])} owns it, and writes it`
    : undefined;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function ownMetadata(metadata: JsonObject): JsonObject {
  const { name = null, namespace = null, labels, annotations } = metadata;
  const kept = Object.entries(isJsonObject(annotations) ? annotations : {}).filter(
    ([key]) => key.startsWith('wpa.datadoghq.com/') || !isDroppedAnnotation(key),
  );
  return {
    name,
    namespace,
    ...(labels !== undefined && { labels }),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
  };
}
