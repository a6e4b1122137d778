import { isJsonObject } from '#kernel';
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
  if (role !== 'Policy') return false;
  const metadata = isJsonObject(value['metadata']) ? value['metadata'] : {};
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  return annotations['plimsoll.dev/release'] === 'true';
}
