import type { PolicyChangePayload } from '#ledger';
import type { CommitReference } from '#reconciliation';
import { identityKey } from '#repository';
import type { EndedDocument, StoredDocument } from '../ports/revision-store.port.ts';
import type { ActiveDocument } from './active-policy-set.ts';

/** What a run did to the documents of a source. */
export interface ChangedDocuments {
  readonly source: string;
  readonly commit: CommitReference | null;
  /** What it put in force. */
  readonly put: readonly StoredDocument[];
  /** What was in force until then: what was replaced, and what left. */
  readonly ended: readonly EndedDocument[];
}

/** The entries of a run: one per policy. Documents that are no policies have none. */
export function policyChanges({
  source,
  commit,
  put,
  ended,
}: ChangedDocuments): readonly PolicyChangePayload[] {
  const before = new Map(ended.map(({ document }) => [identityKey(document), document.document]));
  const came = put.filter(isPolicy).map((document) => ({
    policy: policyOf(document),
    source,
    before: before.get(identityKey(document)) ?? null,
    after: document.document,
    departure: null,
    commit,
  }));
  const left = ended.flatMap(({ document, departure }) =>
    departure === null || !isPolicy(document)
      ? []
      : [{ policy: policyOf(document), source, before: document.document, after: null, departure, commit }],
  );
  return [...came, ...left];
}

/** What newer versions took the place of. */
export function replacedBy(
  put: readonly ActiveDocument[],
  before: ReadonlyMap<string, ActiveDocument>,
): readonly EndedDocument[] {
  return put.flatMap(({ source }) => {
    const known = before.get(identityKey(source));
    return known === undefined ? [] : [{ document: known.stored, departure: null }];
  });
}

function isPolicy({ role, document }: StoredDocument): boolean {
  return role === 'Policy' && document !== null;
}

function policyOf({ namespace, name }: StoredDocument): PolicyChangePayload['policy'] {
  return { namespace, name };
}
