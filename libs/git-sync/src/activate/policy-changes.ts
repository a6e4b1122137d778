import { mapInSteps, withoutUndefined } from '#kernel';
import type { PolicyChangePayload } from '#ledger';
import type { CommitReference } from '#reconciliation';
import { identityKey } from '#repository';
import type { ActiveDocument } from '../in-force/active-policy-set.ts';
import type { EndedDocument, StoredDocument } from '../ports/revision-store.port.ts';
import type { OperatorOf } from './operator-of.ts';

/** What a run did to the documents of a source. */
export interface ChangedDocuments {
  readonly source: string;
  readonly commit: CommitReference | null;
  /** What it put in force. */
  readonly put: readonly StoredDocument[];
  /** What was in force until then: what was replaced, and what left. */
  readonly ended: readonly EndedDocument[];
  readonly operatorOf: OperatorOf;
}

/** The entries of a run: one per policy, and one per step. Documents that are no policies have none. */
export function* policyChanges({
  source,
  commit,
  put,
  ended,
  operatorOf,
}: ChangedDocuments): Generator<void, readonly PolicyChangePayload[], void> {
  const before = new Map(
    yield* mapInSteps(ended, ({ document }) => [identityKey(document), document.document] as const),
  );
  const came = yield* mapInSteps(put.filter(isPolicy), (document) => ({
    policy: policyOf(document),
    source,
    before: before.get(identityKey(document)) ?? null,
    after: document.document,
    departure: null,
    commit,
    ...withoutUndefined({ operator: operatorOf(document, null) }),
  }));
  const left = ended.flatMap(({ document, departure }) =>
    departure === null || !isPolicy(document)
      ? []
      : [
          {
            ...{
              policy: policyOf(document),
              source,
              before: document.document,
              after: null,
              departure,
              commit,
            },
            ...withoutUndefined({ operator: operatorOf(document, departure) }),
          },
        ],
  );
  return [...came, ...left];
}

/** What newer versions took the place of; one per step. */
export function* replacedBy(
  put: readonly ActiveDocument[],
  before: ReadonlyMap<string, ActiveDocument>,
): Generator<void, readonly EndedDocument[], void> {
  const replaced = yield* mapInSteps(put, ({ source }) => before.get(identityKey(source)));
  return replaced.flatMap((known) =>
    known === undefined ? [] : [{ document: known.stored, departure: null }],
  );
}

/** Defaults and guardrails are documents, too. */
export function isPolicy({ role, document }: StoredDocument): boolean {
  return role === 'Policy' && document !== null;
}

function policyOf({ namespace, name }: StoredDocument): PolicyChangePayload['policy'] {
  return { namespace, name };
}
