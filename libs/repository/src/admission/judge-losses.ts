import { namespacedName } from '#kernel';
import type { FilePlace } from '#policy';
import type {
  RepositoryDocument,
  TenantDiagnostic,
  UntakenDocument,
} from '../documents/repository-reading.ts';
import { CommitIndex, isTakenOff, type LossInput, outOfSight } from './commit-index.ts';
import { type DocumentInForce, identityKey } from './in-force.ts';

/** What became of documents in force that the commit no longer has. */
export interface Losses {
  /** Gone on purpose: only deleting prunes. */
  readonly gone: readonly DocumentInForce[];
  /** Not there, and not gone on purpose. */
  readonly lost: readonly DocumentInForce[];
  /** Errors of their tenants: the document could not be read, or its removal is uncertain. */
  readonly diagnostics: readonly TenantDiagnostic[];
}

/** Judges each document in force that is not among the taken ones: gone, unreadable, or uncertain; one per step. */
export function* judgeLossesInSteps(input: LossInput): Generator<void, Losses, void> {
  const present = new Set<string>();
  for (const document of input.reading.documents) {
    present.add(identityKey(document));
    yield;
  }
  const index = new CommitIndex(input);
  yield* index.build();
  const gone: DocumentInForce[] = [];
  const lost: DocumentInForce[] = [];
  const diagnostics: TenantDiagnostic[] = [];
  for (const document of input.inForce) {
    yield;
    if (present.has(identityKey(document.source))) continue;
    const loss = judge(document.source, index);
    if (loss === undefined) {
      gone.push(document);
      continue;
    }
    lost.push(document);
    diagnostics.push(error(document.source, loss));
  }
  return { gone, lost, diagnostics };
}

interface Loss {
  readonly code: 'PolicyUnreadable' | 'KindChanged' | 'MissingResource' | 'RemovalUncertain';
  readonly message: string;
  readonly hint: string;
  /** Absent: where the document was. */
  readonly place?: FilePlace;
}

/** In the order of what a person can act on best. */
function judge(document: RepositoryDocument, index: CommitIndex): Loss | undefined {
  return (
    unreadable(document, index) ??
    cutOff(document, index) ??
    kindChanged(document, index) ??
    strayed(document, index) ??
    uncertain(document, index)
  );
}

function unreadable(document: RepositoryDocument, index: CommitIndex): Loss | undefined {
  const file = index.file(document.file) ?? index.linkAbove(document.file);
  if (file !== undefined && outOfSight.has(file.status))
    return keptInForce('PolicyUnreadable', `its file is no longer read (${file.status})`);
  if (file?.status === 'Unreadable') return keptInForce('PolicyUnreadable', 'its file cannot be read');
  const listing = index.input.missing.get(document.file);
  if (listing !== undefined && file === undefined) {
    return {
      ...keptInForce('MissingResource', `${listing.file} lists its file, which is not there`),
      place: listing,
    };
  }
  const untaken = index.untaken(document).find((found) => !isTakenOff(found, document));
  return untaken === undefined ? undefined : noLongerTaken(untaken);
}

function noLongerTaken({ file, reason, why }: UntakenDocument): Loss {
  const because = why === undefined ? reason : `${reason}: ${why}`;
  return keptInForce('PolicyUnreadable', `it is no longer taken from ${file} (${because})`);
}

/** It is written where it was, and a kustomization that is new or changed may mean it by an entry that is not there. */
function cutOff(document: RepositoryDocument, index: CommitIndex): Loss | undefined {
  const cut = index.isStillWritten(document) ? index.cutEntry(document.tenant) : undefined;
  if (cut === undefined) return undefined;
  const { entry, file } = cut;
  const why = `${entry.file} lists ${file}, which is not there and may be meant to be ${document.file}`;
  return { ...keptInForce('MissingResource', why), place: entry };
}

function kindChanged(document: RepositoryDocument, index: CommitIndex): Loss | undefined {
  const other = index.ofOtherKinds(document).find(({ kind }) => !index.input.wasBeside(document, kind));
  return other === undefined
    ? undefined
    : keptInForce(
        'KindChanged',
        `${document.file} now has a ${other.kind || 'document without a kind'} of its name`,
      );
}

/**
 * A namespace that a commit changes to one that is not managed may be a slip of the pen, and a policy in force leaves by
 * the controller's namespaces only where those change: its removal is uncertain. Other documents that another controller
 * manages were read, and hide nothing.
 */
function strayed(document: RepositoryDocument, index: CommitIndex): Loss | undefined {
  const found = index.unmanaged(document).find((untaken) => index.mayHaveBecome(untaken, document));
  if (found === undefined) return undefined;
  const { kind, name, file, position, unmanagedNamespace = '' } = found;
  const now = namespacedName({ namespace: unmanagedNamespace, name });
  return {
    code: 'RemovalUncertain',
    message: `it may be ${kind} ${now} in ${file}:${position.line}, whose namespace is not managed`,
    hint: `it stays in force; if namespace ${document.namespace} is meant, write that; to remove it, delete its document before the other one comes, or release it`,
  };
}

/** Where a new or changed file cannot be read whole, the document may be in it. */
function uncertain(document: RepositoryDocument, index: CommitIndex): Loss | undefined {
  const hiding = index.hidingFiles(document.tenant).find((file) => index.mayHide(file, document));
  return hiding === undefined
    ? undefined
    : keptInForce('RemovalUncertain', `it may be in ${hiding.path}, which is not read whole`);
}

function keptInForce(code: Loss['code'], why: string): Loss {
  return {
    code,
    message: why,
    hint: 'it stays in force; to remove it, delete its document, or release it',
  };
}

function error(document: RepositoryDocument, loss: Loss): TenantDiagnostic {
  const what =
    document.role === 'Policy' ? `policy ${namespacedName(document)}` : `${document.kind} ${document.name}`;
  return {
    severity: 'error',
    code: loss.code,
    message: `${what} is in force, and ${loss.message}`,
    hint: loss.hint,
    path: [],
    file: document.file,
    ...document.position,
    ...loss.place,
    tenant: document.tenant,
  };
}
