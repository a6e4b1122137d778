import { isJsonObject, type JsonObject } from '#kernel';
import type { RepositoryDocument } from '../documents/repository-reading.ts';
import { identityKey } from './in-force.ts';

/** Released by name, or by itself: it leaves with its HPA and its count kept. */
export function isReleased(document: RepositoryDocument, released: ReadonlySet<string>): boolean {
  return isReleasedByName(document, released) || releasesItself(document);
}

/** By an approver, whatever it says. */
export function isReleasedByName(document: RepositoryDocument, released: ReadonlySet<string>): boolean {
  return document.role === 'Policy' && released.has(identityKey(document));
}

/** By its own annotation: a release by pull request. */
export function releasesItself({ role, value }: RepositoryDocument): boolean {
  return role === 'Policy' && annotationsOf(value)['plimsoll.dev/release'] === 'true';
}

/** Whether it says that its HPA and its count are kept once it leaves. */
export function keepsWhatItOwns({ value }: { readonly value: JsonObject }): boolean {
  return annotationsOf(value)['plimsoll.dev/prune'] === 'disabled';
}

function annotationsOf(document: JsonObject): JsonObject {
  const metadata = isJsonObject(document['metadata']) ? document['metadata'] : {};
  return isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
}
