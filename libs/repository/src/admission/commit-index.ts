import type { FilePlace } from '#policy';
import type {
  FileStatus,
  RepositoryDocument,
  RepositoryReading,
  UntakenDocument,
} from '../documents/repository-reading.ts';
import { rootTenant } from '../files/repository-options.ts';
import { folderOf, foldersUp } from '../files/tree-file.ts';
import { isKustomizationFile } from '../kustomize/kustomization.ts';
import type { DocumentInForce } from './in-force.ts';

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
  /**
   * Whether a document whose namespace is not managed stood in its file already, in its tenant's active revision: then it
   * is not what a document in force became. False where the revision is not at hand.
   */
  readonly wasThere: (untaken: UntakenDocument) => boolean;
}

/** A file left out for these was taken out of sight, not deleted; the other reasons are the configuration's. */
export const outOfSight: ReadonlySet<FileStatus['status']> = new Set<FileStatus['status']>([
  'Ignored',
  'DotFolder',
  'ChartTemplate',
  'SymbolicLink',
  'Submodule',
]);

/** Finds what a commit has in the place of a document in force. */
export class CommitIndex {
  readonly input: LossInput;
  readonly #files = new Map<string, FileStatus>();
  readonly #untakenByFile = new Map<string, UntakenDocument[]>();
  readonly #untakenByName = new Map<string, UntakenDocument[]>();
  /** Documents whose namespaces are not managed, by their tenant and name, and by their tenant and file. */
  readonly #unmanaged = new Map<string, UntakenDocument[]>();
  /** Tenants of which a kustomization is new or changed, so that unchanged files may end in other namespaces. */
  readonly #regrouped = new Set<string>();
  /** Documents that are taken, and those of kinds that are not ours, by file and name. */
  readonly #found = new Map<string, FoundDocument[]>();
  /** Files that are new or changed and may hide a document, by tenant. */
  readonly #hiding = new Map<string, FileStatus[]>();
  /** What new or changed kustomizations list and is not there, by their tenant. */
  readonly #cut = new Map<string, CutEntry>();

  constructor(input: LossInput) {
    this.input = input;
  }

  /** One file or document per step. */
  *build(): Generator<void, void, void> {
    const { untaken, others, documents, files } = this.input.reading;
    for (const document of untaken) {
      yield;
      if (document.reason === 'NamespaceNotManaged') {
        for (const place of placesOf(document)) push(this.#unmanaged, place, document);
        continue;
      }
      push(this.#untakenByFile, document.file, document);
      push(this.#untakenByName, document.name, document);
    }
    for (const found of others) {
      push(this.#found, placeKey(found), found);
      yield;
    }
    for (const found of documents) {
      push(this.#found, placeKey(found), found);
      yield;
    }
    for (const file of files) {
      this.#addFile(file);
      yield;
    }
    yield* this.#buildCuts();
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

  /** Whether a policy of its name is in its file still, taken elsewhere or listed by no kustomization. */
  isStillWritten(document: RepositoryDocument): boolean {
    const taken = this.#found.get(placeKey(document)) ?? [];
    const untaken = this.#untakenByFile.get(document.file) ?? [];
    return (
      taken.some(({ role }) => role === document.role) ||
      untaken.some(({ name, reason }) => name === document.name && reason === 'NotListed')
    );
  }

  /** An entry that leads nowhere, of the tenant's kustomizations or the root's. */
  cutEntry(tenant: string): CutEntry | undefined {
    return this.#cut.get(tenant) ?? this.#cut.get(rootTenant);
  }

  /** Documents of its name in its file, of kinds that are not its own. */
  ofOtherKinds(document: RepositoryDocument): readonly { readonly kind: string }[] {
    const found = this.#found.get(placeKey(document)) ?? [];
    return found.filter(({ role }) => role !== document.role);
  }

  /** Untaken documents of its name: in its own file, or elsewhere in its namespace. A patch elsewhere is no document. */
  untaken(document: RepositoryDocument): readonly UntakenDocument[] {
    return (this.#untakenByName.get(document.name) ?? []).filter(
      (found) =>
        found.file === document.file ||
        (found.reason !== 'Patch' && found.kind === document.kind && found.namespace === document.namespace),
    );
  }

  /** Documents of its tenant that another controller manages: of its name, or in its file. */
  unmanaged(document: RepositoryDocument): readonly UntakenDocument[] {
    return placesOf(document).flatMap((place) => this.#unmanaged.get(place) ?? []);
  }

  /** Whether an unmanaged document may be one in force, moved by the commit to its namespace. */
  mayHaveBecome(untaken: UntakenDocument, document: RepositoryDocument): boolean {
    // Not the document has changed, but which namespaces are managed.
    if (document.role !== 'Policy' || untaken.unmanagedNamespace === document.namespace) return false;
    const isInPlace = untaken.file === document.file && untaken.name === document.name;
    const isGivenElsewhere = untaken.namespace !== untaken.unmanagedNamespace;
    if (isInPlace && isGivenElsewhere && this.#isRegrouped(document.tenant)) return true;
    const file = this.#files.get(untaken.file);
    return file !== undefined && this.input.isChanged(file) && !this.input.wasThere(untaken);
  }

  /** New or changed files that are not read whole: a tenant's, and the root's kustomizations, which reach into all. */
  hidingFiles(tenant: string): readonly FileStatus[] {
    const ofRoot = this.#hiding.get(rootTenant) ?? [];
    if (tenant === rootTenant) return ofRoot;
    return [...(this.#hiding.get(tenant) ?? []), ...ofRoot.filter(isUnreadableKustomization)];
  }

  mayHide(file: FileStatus, document: RepositoryDocument): boolean {
    if (file.status === 'Unreadable') return true;
    if (outOfSight.has(file.status)) return this.input.mayContain(file, document);
    const untaken = this.#untakenByFile.get(file.path) ?? [];
    return untaken.some((found) => !isTakenOff(found, document) || found.name !== document.name);
  }

  /** After the files. */
  *#buildCuts(): Generator<void, void, void> {
    for (const [file, entry] of this.input.missing) {
      const status = this.#files.get(entry.file);
      if (status !== undefined && this.input.isChanged(status)) this.#cut.set(status.tenant, { file, entry });
      yield;
    }
  }

  #addFile(file: FileStatus): void {
    this.#files.set(file.path, file);
    if (!this.input.isChanged(file)) return;
    if (this.#hidesAnything(file)) push(this.#hiding, file.tenant, file);
    if (isKustomizationFile(file.path)) this.#regrouped.add(file.tenant);
  }

  #isRegrouped(tenant: string): boolean {
    return this.#regrouped.has(tenant) || this.#regrouped.has(rootTenant);
  }

  #hidesAnything({ status, path }: FileStatus): boolean {
    return status === 'Unreadable' || outOfSight.has(status) || this.#untakenByFile.has(path);
  }
}

function isUnreadableKustomization({ status, path }: FileStatus): boolean {
  return status === 'Unreadable' && isKustomizationFile(path);
}

/** An entry of a kustomization, and the file or folder that it names. */
interface CutEntry {
  readonly file: string;
  readonly entry: FilePlace;
}

/** A document as it stands in a file; one of a kind that is not ours has no role. */
interface FoundDocument {
  readonly file: string;
  readonly name: string;
  readonly kind: string;
  readonly role?: string;
}

/** Where an unmanaged document is looked for: by its name, and by its file. */
function placesOf({
  tenant,
  file,
  name,
}: Pick<UntakenDocument, 'tenant' | 'file' | 'name'>): readonly string[] {
  return [`${tenant} name ${name}`, `${tenant} file ${file}`];
}

function placeKey({ file, name }: FoundDocument): string {
  return `${file} ${name}`;
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Taking a policy off `resources` is deleting it. */
export function isTakenOff(untaken: UntakenDocument, document: RepositoryDocument): boolean {
  return untaken.reason === 'NotListed' && untaken.file === document.file && document.isListed;
}
