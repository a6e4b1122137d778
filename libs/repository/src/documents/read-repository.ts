import { runSteps } from '#kernel';
import type {
  Diagnostic,
  OtherKindDocument,
  PolicyFile,
  PolicyFileDocument,
  PolicyFileSource,
} from '#policy';
import type { RepositoryOptions } from '../files/repository-options.ts';
import { type SurveyedFile, type SurveyInput, surveyTree } from '../files/survey-tree.ts';
import { type TenantLookup, tenantLookup } from '../files/tenant-lookup.ts';
import type { TreeFile } from '../files/tree-file.ts';
import { isKnown } from './is-known.ts';
import { type FoundDocument, makeDocument, type TakenEffect, textOf } from './make-document.ts';
import type { Overlays } from './overlays.ts';
import type { DocumentCache, PolicyFileReader } from './policy-file-cache.ts';
import type {
  FileStatus,
  OtherDocument,
  RepositoryDocument,
  RepositoryReading,
  TenantDiagnostic,
  UntakenDocument,
  UntakenReason,
} from './repository-reading.ts';
import {
  notManaged,
  notTaken,
  tooLargeFile,
  unreadableIgnoreFile,
  unusableDiagnostics,
} from './untaken-diagnostics.ts';

/** What documents are taken with. */
export interface ReaderInput {
  readonly overlays: Overlays;
  readonly options: RepositoryOptions;
  readonly readFile: PolicyFileReader;
  readonly filesInForce: ReadonlySet<string>;
  /** Between syncs: the same document in the same place stays the same object, so that nothing is validated again. */
  readonly known?: DocumentCache<RepositoryDocument>;
}

/** A tree, and what its documents are taken with. */
export interface RepositoryInput extends SurveyInput, ReaderInput {}

/**
 * Reads every document of ours in a tree, with its tenant and its namespace, or says why it is not taken. Nothing of
 * ours is dropped in silence: what cannot be read is a diagnostic of its tenant.
 */
export function readRepository(input: RepositoryInput): RepositoryReading {
  return runSteps(readRepositoryInSteps(runSteps(surveyTree(input)), input));
}

/**
 * The second half of the same reading, one file a step, for a caller that parses between the two: ten thousand files
 * take seconds. Nothing of the input must change until the last step.
 */
export function* readRepositoryInSteps(
  surveyed: readonly SurveyedFile[],
  input: ReaderInput,
): Generator<void, RepositoryReading, void> {
  const reader = new RepositoryReader(input);
  for (const file of surveyed) {
    reader.read(file);
    yield;
  }
  return reader.result();
}

const roles = { PolicyDefaults: 'Defaults', PolicyGuardrail: 'Guardrail', PolicyTest: 'Test' } as const;

const taken: TakenEffect = { kind: 'Taken', isListed: false, labels: {}, annotations: {} };

/** Takes the documents of one file after the other, and says why one is not taken. */
class RepositoryReader {
  readonly #input: ReaderInput;
  readonly #tenants: TenantLookup;
  readonly #documents: RepositoryDocument[] = [];
  readonly #untaken: UntakenDocument[] = [];
  readonly #others: OtherDocument[] = [];
  readonly #diagnostics: TenantDiagnostic[] = [];
  readonly #files: FileStatus[] = [];
  readonly #otherKinds = new Map<string, number>();

  constructor(input: ReaderInput) {
    this.#input = input;
    this.#tenants = tenantLookup(input.options);
  }

  result(): RepositoryReading {
    return {
      documents: this.#documents,
      untaken: this.#untaken,
      others: this.#others,
      // Foreign resources are found while documents are judged.
      diagnostics: [...this.#input.overlays.diagnostics, ...this.#diagnostics],
      files: this.#files,
      otherKinds: Object.fromEntries(this.#otherKinds),
    };
  }

  read(surveyed: SurveyedFile): void {
    const { file } = surveyed;
    switch (surveyed.kind) {
      case 'LeftOut':
        this.#note(file, surveyed.reason);
        break;
      case 'Other':
        this.#note(file, this.#isUnreadableOverlay(file) ? 'Unreadable' : 'Other');
        break;
      case 'TooLarge':
        this.#tooLarge(file, surveyed);
        break;
      case 'UnreadableIgnoreFile':
        this.#report(file, [unreadableIgnoreFile(file, this.#input.options)]);
        break;
      case 'Wanted':
        this.#readWanted(file, surveyed.source);
        break;
    }
  }

  #note({ path, id }: TreeFile, status: FileStatus['status']): void {
    this.#files.push({ path, blob: id, tenant: this.#tenants.of(path), status });
  }

  #readWanted(file: TreeFile, source: PolicyFileSource): void {
    const read = this.#input.readFile(source, file.id);
    const isWhole = read.diagnostics.length === 0 && !this.#isUnreadableOverlay(file);
    this.#note(file, isWhole ? 'Read' : 'Unreadable');
    if (read.diagnostics.some(isError)) this.#untake(file, { reason: 'Unreadable' });
    this.#report(file, read.diagnostics);
    this.#takeAll(file, read);
  }

  /** Such a file says where other documents belong: one in force may have left by it, unseen. */
  #isUnreadableOverlay({ path }: TreeFile): boolean {
    return this.#input.overlays.unreadable.has(path);
  }

  #takeAll(file: TreeFile, { diagnostics, documents, others }: PolicyFile): void {
    // What a parser makes of the rest of a broken document has no name, and says nothing.
    const counts = ({ name }: { readonly name: string | undefined }): boolean =>
      diagnostics.length === 0 || name !== undefined;
    for (const document of others.filter(counts)) this.#other(file, document);
    for (const document of documents.filter(counts)) this.#take(file, document);
  }

  #tooLarge(file: TreeFile, large: Extract<SurveyedFile, { kind: 'TooLarge' }>): void {
    this.#note(file, 'Unreadable');
    if (large.isOurs) this.#untake(file, { reason: 'Unreadable' });
    this.#report(file, [tooLargeFile(file, large, this.#input.options.limits)]);
  }

  #report(file: TreeFile, diagnostics: readonly Omit<TenantDiagnostic, 'tenant'>[]): void {
    const tenant = this.#tenants.of(file.path);
    for (const diagnostic of diagnostics) this.#diagnostics.push({ ...diagnostic, tenant });
  }

  #untake(
    file: TreeFile,
    found: {
      reason: UntakenReason;
      document?: PolicyFileDocument;
      unmanagedNamespace?: string;
      why?: string;
    },
  ): void {
    const { reason, document, unmanagedNamespace, why } = found;
    this.#untaken.push({
      reason,
      tenant: this.#tenants.of(file.path),
      file: file.path,
      kind: textOf(document?.kind),
      name: document?.name ?? '',
      namespace: document?.namespace ?? '',
      ...(unmanagedNamespace === undefined ? {} : { unmanagedNamespace }),
      ...(why === undefined ? {} : { why }),
      position: document?.start ?? { line: 1, column: 1 },
    });
  }

  #take(file: TreeFile, document: PolicyFileDocument): void {
    switch (document.identity.kind) {
      case 'other':
        // Only deployers are read as such, elsewhere.
        break;
      case 'support':
        this.#takeReadable(file, { document, role: roles[document.identity.supportKind], effect: taken });
        break;
      case 'policy':
      case 'fault':
        this.#takePolicy(file, document);
        break;
    }
  }

  /** A file that contained a policy in force may have had its kind changed. */
  #other(file: TreeFile, { kind, name = '', start, note }: OtherKindDocument): void {
    if (note !== undefined) this.#report(file, [note]);
    this.#otherKinds.set(kind, (this.#otherKinds.get(kind) ?? 0) + 1);
    if (this.#input.filesInForce.has(file.path))
      this.#others.push({ file: file.path, kind, name, position: start });
  }

  #takePolicy(file: TreeFile, document: PolicyFileDocument): void {
    const effect = this.#input.overlays.effectOn(file.path, document.namespace);
    if (effect.kind === 'Taken') {
      if (!this.#isUnmanaged(file, document, effect))
        this.#takeReadable(file, { document, role: 'Policy', effect });
      return;
    }
    this.#untake(file, { reason: effect.reason, document, why: effect.message });
    if (effect.reason !== 'Patch') this.#report(file, [notTaken(document, effect)]);
  }

  /** A document outside the controller's namespaces is another controller's: it is not validated here. */
  #isUnmanaged(file: TreeFile, document: PolicyFileDocument, effect: TakenEffect): boolean {
    const { managed } = this.#input.options;
    const tenant = this.#tenants.of(file.path);
    const namespace = this.#namespace(tenant, document.namespace ?? '', effect);
    const isOurs = managed === undefined || managed.namespaces.includes(namespace);
    // The namespace of a broken document, or one with a placeholder, is not known for certain.
    if (isOurs || isUnusable(document) || !isKnown(namespace)) return false;
    this.#untake(file, { reason: 'NamespaceNotManaged', document, unmanagedNamespace: namespace });
    this.#report(file, [notManaged(document, namespace, { managed, tenant: this.#tenants.options(tenant) })]);
    return true;
  }

  /**
   * A document whose YAML or kind is wrong is an error, and nothing of its value is used: what a parser guesses after
   * a syntax error would only give errors that the author did not make.
   */
  #takeReadable(file: TreeFile, found: FoundDocument): void {
    const { document } = found;
    if (isUnusable(document)) {
      this.#untake(file, { reason: 'Unreadable', document });
      this.#report(file, unusableDiagnostics(document));
      return;
    }
    this.#report(file, document.diagnostics);
    this.#documents.push(this.#document(file, found));
  }

  #document(file: TreeFile, found: FoundDocument): RepositoryDocument {
    const { document, role, effect } = found;
    const tenant = this.#tenants.of(file.path);
    const namespace = role === 'Policy' ? this.#namespace(tenant, document.namespace ?? '', effect) : '';
    const { isListed, labels, annotations } = effect;
    const known = this.#input.known?.get(document);
    const isPlain = Object.keys(labels).length + Object.keys(annotations).length === 0;
    if (known !== undefined && isPlain && isSamePlace(known, { tenant, namespace, isListed })) return known;
    const made = makeDocument(file, found, { tenant, namespace });
    if (isPlain) this.#input.known?.set(document, made);
    return made;
  }

  /** A kustomization's namespace wins, then the document's own, its tenant's, its source's. */
  #namespace(tenant: string, own: string, effect: TakenEffect): string {
    const given = this.#tenants.options(tenant)?.namespace ?? this.#input.options.namespace ?? '';
    return effect.namespace ?? (own === '' ? given : own);
  }
}

function isSamePlace(
  known: RepositoryDocument,
  place: Pick<RepositoryDocument, 'tenant' | 'namespace' | 'isListed'>,
): boolean {
  return (
    known.tenant === place.tenant && known.namespace === place.namespace && known.isListed === place.isListed
  );
}

function isUnusable({ isBroken, diagnostics }: PolicyFileDocument): boolean {
  return isBroken || diagnostics.some(isError);
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}
