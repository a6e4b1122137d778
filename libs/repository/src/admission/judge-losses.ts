import { namespacedName } from '#kernel';
import type { FilePlace } from '#policy';
import type {
  FileStatus,
  RepositoryDocument,
  RepositoryReading,
  TenantDiagnostic,
  UntakenDocument,
} from '../documents/repository-reading.ts';
import { folderOf, foldersUp } from '../files/tree-file.ts';
import { type DocumentInForce, identityKey } from './in-force.ts';

/** What is known about a commit beside its documents. */
export interface LossInput {
  readonly inForce: readonly DocumentInForce[];
  readonly reading: RepositoryReading;
  /** Whether a file is new or changed since its tenant's active revision; true where that is not known. */
  readonly isChanged: (file: FileStatus) => boolean;
  /** Whether the bytes of a file that is left out contain the document's names; true where they are not at hand. */
  readonly mayContain: (file: FileStatus, document: RepositoryDocument) => boolean;
  /** Files that a kustomization lists and that are not there, with the place of the entry. */
  readonly missing: ReadonlyMap<string, FilePlace>;
  /**
   * Whether the file of a document in force contained a document of that kind with its name already, in its tenant's active
   * revision: then it is not what the document became. False where the revision is not at hand.
   */
  readonly wasBeside: (document: RepositoryDocument, kind: string) => boolean;
}

/** What became of documents in force that the commit no longer has. */
export interface Losses {
  /** Gone on purpose: only deleting prunes. */
  readonly gone: readonly DocumentInForce[];
  /** Not there, and not gone on purpose. */
  readonly lost: readonly DocumentInForce[];
  /** Errors of their tenants: the document could not be read, or its removal is uncertain. */
  readonly diagnostics: readonly TenantDiagnostic[];
}

/** Judges each document in force that is not among the taken ones: gone, unreadable, or uncertain. */
export function judgeLosses(input: LossInput): Losses {
  const present = new Set(input.reading.documents.map(identityKey));
  const index = new CommitIndex(input);
  const gone: DocumentInForce[] = [];
  const lost: DocumentInForce[] = [];
  const diagnostics: TenantDiagnostic[] = [];
  for (const document of input.inForce) {
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
  return unreadable(document, index) ?? kindChanged(document, index) ?? uncertain(document, index);
}

/** A file left out for these was taken out of sight, not deleted; the other reasons are the configuration's. */
const outOfSight: ReadonlySet<FileStatus['status']> = new Set<FileStatus['status']>([
  'Ignored',
  'DotFolder',
  'ChartTemplate',
  'SymbolicLink',
  'Submodule',
]);

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
  return untaken === undefined
    ? undefined
    : keptInForce('PolicyUnreadable', `it is no longer taken from ${untaken.file} (${untaken.reason})`);
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

/** Where a new or changed file cannot be read whole, the document may be in it. */
function uncertain(document: RepositoryDocument, index: CommitIndex): Loss | undefined {
  const hiding = index.changedFiles(document.tenant).find((file) => index.mayHide(file, document));
  return hiding === undefined
    ? undefined
    : keptInForce('RemovalUncertain', `it may be in ${hiding.path}, which is not read whole`);
}

/** Taking a policy off `resources` is deleting it. */
function isTakenOff(untaken: UntakenDocument, document: RepositoryDocument): boolean {
  return untaken.reason === 'NotListed' && untaken.file === document.file && document.isListed;
}

class CommitIndex {
  readonly input: LossInput;
  readonly #files: ReadonlyMap<string, FileStatus>;
  readonly #untakenByFile: Map<string, UntakenDocument[]>;
  readonly #untakenByName: Map<string, UntakenDocument[]>;
  readonly #changed = new Map<string, readonly FileStatus[]>();

  constructor(input: LossInput) {
    this.input = input;
    this.#files = new Map(input.reading.files.map((file) => [file.path, file]));
    // What another controller manages was read, hides nothing, and is not a policy in force that became something else.
    const untaken = input.reading.untaken.filter(({ reason }) => reason !== 'NamespaceNotManaged');
    this.#untakenByFile = Map.groupBy(untaken, ({ file }) => file);
    this.#untakenByName = Map.groupBy(untaken, ({ name }) => name);
  }

  file(path: string): FileStatus | undefined {
    return this.#files.get(path);
  }

  /** A symbolic link or a submodule where the folder of a file was. */
  linkAbove(path: string): FileStatus | undefined {
    return foldersUp(folderOf(path))
      .map((folder) => this.#files.get(folder))
      .find((file) => file !== undefined);
  }

  /** Documents of its name in its file, of kinds that are not its own. */
  ofOtherKinds({ file, name, role }: RepositoryDocument): readonly { readonly kind: string }[] {
    const { others, documents } = this.input.reading;
    const isSame = (found: { readonly file: string; readonly name: string }): boolean =>
      found.file === file && found.name === name;
    return [...others.filter(isSame), ...documents.filter((found) => isSame(found) && found.role !== role)];
  }

  /** Untaken documents of its name: in its own file, or elsewhere in its namespace. A patch elsewhere is no document. */
  untaken(document: RepositoryDocument): readonly UntakenDocument[] {
    return (this.#untakenByName.get(document.name) ?? []).filter(
      (found) =>
        found.file === document.file ||
        (found.reason !== 'Patch' && found.kind === document.kind && found.namespace === document.namespace),
    );
  }

  changedFiles(tenant: string): readonly FileStatus[] {
    const known = this.#changed.get(tenant);
    if (known !== undefined) return known;
    const changed = this.input.reading.files.filter(
      (file) => file.tenant === tenant && this.input.isChanged(file),
    );
    this.#changed.set(tenant, changed);
    return changed;
  }

  mayHide(file: FileStatus, document: RepositoryDocument): boolean {
    if (file.status === 'Unreadable') return true;
    if (outOfSight.has(file.status)) return this.input.mayContain(file, document);
    const untaken = this.#untakenByFile.get(file.path) ?? [];
    return untaken.some((found) => !isTakenOff(found, document) || found.name !== document.name);
  }
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
