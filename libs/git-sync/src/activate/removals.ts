import type { PolicyDeparture } from '#ledger';
import { identityKey, keepsWhatItOwns } from '#repository';
import type { ActiveDocument } from '../in-force/active-policy-set.ts';
import type { EndedDocument, LeavingDocument } from '../ports/revision-store.port.ts';

/** What takes policies out of force, where nothing says otherwise. */
export type RemovalCause = Exclude<PolicyDeparture, 'Kept' | 'Released'>;

/** How a document leaves: it decides whether what its policy owned is deleted. */
export function removalOf(
  { source }: ActiveDocument,
  cause: RemovalCause,
  released: ReadonlySet<string>,
): PolicyDeparture {
  if (released.has(identityKey(source))) return 'Released';
  return keepsWhatItOwns(source) ? 'Kept' : cause;
}

/** A document that leaves, and how. */
export function removedDocument({ stored }: ActiveDocument, departure: PolicyDeparture): RemovedDocument {
  return { document: stored, departure };
}

/** A document that leaves, as its end is stored. */
export function leavingDocument({ document, departure }: RemovedDocument): LeavingDocument {
  const { role, tenant, namespace, name, file } = document;
  return { role, tenant, namespace, name, file, departure };
}

type RemovedDocument = EndedDocument & { readonly departure: PolicyDeparture };
