import { isJsonObject, type JsonObject } from '#kernel';

import {
  locateField,
  type OtherKindDocument,
  type PolicyFile,
  type PolicyFileDocument,
} from '../policy-file.ts';
import { bytesMentionPolicyKind, mentionsAnything } from '../yaml/mentions.ts';
import type { DocumentCache, PolicyFileReader } from './file-cache.ts';
import type { IgnoreFile } from './ignore-rules.ts';
import type { Overlays, OverlayVerdict } from './overlays.ts';
import { plainJson } from './plain-json.ts';
import type {
  DocumentRole,
  FileVerdict,
  OtherDocument,
  RepositoryDocument,
  RepositoryReading,
  TenantDiagnostic,
  UntakenDocument,
  UntakenReason,
} from './repository-reading.ts';
import type { RepositoryOptions } from './repository-options.ts';
import { isYamlPath, selectFiles } from './select-files.ts';
import { tenantLookup, type TenantLookup } from './tenants.ts';
import type { TreeFile } from './tree.ts';

/** What a file holds: its bytes, or that it is too large to be read. */
export type FileContent =
  | { readonly kind: 'Bytes'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'TooLarge';
      /** Whether its bytes hold the name of one of our kinds; undefined where nobody could look. */
      readonly holdsKindName?: boolean;
    };

/** A tree and how to look into it. Pure: all content is at hand. */
export interface RepositoryInput {
  readonly tree: readonly TreeFile[];
  readonly content: (file: TreeFile) => FileContent;
  readonly ignoreFiles: readonly IgnoreFile[];
  readonly overlays: Overlays;
  readonly options: RepositoryOptions;
  readonly readFile: PolicyFileReader;
  /** Files that hold a document in force: they are always parsed. */
  readonly filesInForce: ReadonlySet<string>;
  /** Between syncs: the same document in the same place stays the same object, so that nothing is validated again. */
  readonly known?: DocumentCache<RepositoryDocument>;
}

/**
 * Reads every document of ours in a tree, with its tenant and its namespace, or says why it is not taken. Nothing of
 * ours is dropped in silence: what cannot be read is a diagnostic of its tenant.
 */
export function readRepository(input: RepositoryInput): RepositoryReading {
  const steps = readRepositoryInSteps(input);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/**
 * The same reading, one file a step: ten thousand files take seconds to parse, and a caller that serves others between
 * the steps does not stop for as long. The input must not change until the last step.
 */
export function* readRepositoryInSteps(input: RepositoryInput): Generator<void, RepositoryReading, void> {
  const reader = new RepositoryReader(input);
  const select = selectFiles(input.tree, input.options, input.ignoreFiles);
  for (const file of input.tree) {
    const leftOut = select(file);
    if (leftOut === undefined) reader.read(file);
    else if (isYamlPath(file.path) || file.type !== 'File') reader.leave(file, leftOut);
    yield;
  }
  return reader.result();
}

const roles = { PolicyDefaults: 'Defaults', PolicyGuardrail: 'Guardrail', PolicyTest: 'Test' } as const;

class RepositoryReader {
  readonly #input: RepositoryInput;
  readonly #tenants: TenantLookup;
  readonly #documents: RepositoryDocument[] = [];
  readonly #untaken: UntakenDocument[] = [];
  readonly #others: OtherDocument[] = [];
  readonly #diagnostics: TenantDiagnostic[] = [];
  readonly #files: FileVerdict[] = [];
  readonly #otherKinds = new Map<string, number>();

  constructor(input: RepositoryInput) {
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

  leave({ path, id }: TreeFile, verdict: FileVerdict['verdict']): void {
    this.#files.push({ path, blob: id, tenant: this.#tenants.of(path), verdict });
  }

  read(file: TreeFile): void {
    const content = this.#input.content(file);
    const isInForce = this.#input.filesInForce.has(file.path);
    if (content.kind === 'TooLarge') this.#tooLarge(file, isInForce || content.holdsKindName === true);
    else if (isInForce || mentionsAnything(content.bytes)) this.#parse(file, content.bytes);
    else this.leave(file, 'Other');
  }

  #parse(file: TreeFile, bytes: Uint8Array): void {
    const { limits } = this.#input.options;
    const isInForce = this.#input.filesInForce.has(file.path);
    const read = this.#input.readFile(
      {
        file: file.path,
        bytes,
        limits: { ...limits, documents: limits.documentsPerFile },
        isInForce,
      },
      file.id,
    );
    const isWhole = read.diagnostics.length === 0;
    this.leave(file, isWhole ? 'Read' : 'Unreadable');
    if (!isWhole && (isInForce || bytesMentionPolicyKind(bytes)))
      this.#untake(file, { reason: 'Unreadable' });
    this.#report(file, read.diagnostics);
    this.#takeAll(file, read);
  }

  #takeAll(file: TreeFile, { diagnostics, documents, others }: PolicyFile): void {
    // What a parser makes of the rest of a broken document has no name, and says nothing.
    const counts = ({ name }: { readonly name: string | undefined }): boolean =>
      diagnostics.length === 0 || name !== undefined;
    for (const document of others.filter(counts)) this.#other(file, document);
    for (const document of documents.filter(counts)) this.#take(file, document);
  }

  #tooLarge(file: TreeFile, isOurs: boolean): void {
    this.leave(file, 'Unreadable');
    if (isOurs) this.#untake(file, { reason: 'Unreadable' });
    this.#report(file, [
      {
        severity: isOurs ? 'error' : 'warning',
        code: 'TooLarge',
        message: `the file has more than ${this.#input.options.limits.fileBytes} bytes`,
        path: [],
        file: file.path,
        line: 1,
        column: 1,
      },
    ]);
  }

  #report(file: TreeFile, diagnostics: readonly Omit<TenantDiagnostic, 'tenant'>[]): void {
    const tenant = this.#tenants.of(file.path);
    for (const diagnostic of diagnostics) this.#diagnostics.push({ ...diagnostic, tenant });
  }

  #untake(file: TreeFile, found: { reason: UntakenReason; document?: PolicyFileDocument }): void {
    const { reason, document } = found;
    this.#untaken.push({
      reason,
      tenant: this.#tenants.of(file.path),
      file: file.path,
      kind: textOf(document?.kind),
      name: document?.name ?? '',
      namespace: document?.namespace ?? '',
      position: document?.start ?? { line: 1, column: 1 },
    });
  }

  #take(file: TreeFile, document: PolicyFileDocument): void {
    switch (document.is.is) {
      case 'other':
        // Only deployers are read as such, elsewhere.
        break;
      case 'support':
        this.#takeReadable(file, { document, role: roles[document.is.kind], verdict: taken });
        break;
      case 'policy':
      case 'fault':
        this.#takePolicy(file, document);
        break;
    }
  }

  /** A file that held a policy in force may have had its kind changed. */
  #other(file: TreeFile, { kind, name = '', start }: OtherKindDocument): void {
    this.#otherKinds.set(kind, (this.#otherKinds.get(kind) ?? 0) + 1);
    if (this.#input.filesInForce.has(file.path))
      this.#others.push({ file: file.path, kind, name, position: start });
  }

  #takePolicy(file: TreeFile, document: PolicyFileDocument): void {
    const verdict = this.#input.overlays.judge(file.path, document.namespace);
    if (verdict.is === 'Taken') {
      this.#takeReadable(file, { document, role: 'Policy', verdict });
      return;
    }
    this.#untake(file, { reason: verdict.reason, document });
    if (verdict.reason !== 'Patch') this.#report(file, [notTaken(document, verdict)]);
  }

  /**
   * A document whose YAML or kind is wrong is an error, and nothing of its value is used: what a parser guesses after
   * a syntax error would only give errors that the author did not make.
   */
  #takeReadable(file: TreeFile, found: FoundDocument): void {
    const { document } = found;
    this.#report(file, document.diagnostics);
    if (document.isBroken || document.diagnostics.some(({ severity }) => severity === 'error'))
      this.#untake(file, { reason: 'Unreadable', document });
    else this.#documents.push(this.#document(file, found));
  }

  #document(file: TreeFile, found: FoundDocument): RepositoryDocument {
    const { document, role, verdict } = found;
    const tenant = this.#tenants.of(file.path);
    const namespace = role === 'Policy' ? this.#namespace(tenant, document.namespace ?? '', verdict) : '';
    const { isListed, labels, annotations } = verdict;
    const known = this.#input.known?.get(document);
    const isPlain = Object.keys(labels).length + Object.keys(annotations).length === 0;
    if (known !== undefined && isPlain && isSamePlace(known, { tenant, namespace, isListed })) return known;
    const made = makeDocument(file, found, { tenant, namespace });
    if (isPlain) this.#input.known?.set(document, made);
    return made;
  }

  /** A kustomization's namespace wins, then the document's own, its tenant's, its source's. */
  #namespace(tenant: string, own: string, verdict: TakenVerdict): string {
    const given = this.#tenants.options(tenant)?.namespace ?? this.#input.options.namespace ?? '';
    return verdict.namespace ?? (own === '' ? given : own);
  }
}

type TakenVerdict = Extract<OverlayVerdict, { is: 'Taken' }>;

interface FoundDocument {
  readonly document: PolicyFileDocument;
  readonly role: DocumentRole;
  readonly verdict: TakenVerdict;
}

const taken: TakenVerdict = { is: 'Taken', isListed: false, labels: {}, annotations: {} };

function notTaken(
  document: PolicyFileDocument,
  verdict: Extract<OverlayVerdict, { is: 'Untaken' }>,
): Omit<TenantDiagnostic, 'tenant'> {
  const { reason, message, hint } = verdict;
  return {
    severity: 'warning',
    code: reason,
    message: `${textOf(document.kind)} ${document.name ?? ''} is not taken: ${message}`,
    ...(hint === undefined ? {} : { hint }),
    path: [],
    file: document.file,
    ...document.start,
  };
}

function makeDocument(
  file: TreeFile,
  { document, role, verdict }: FoundDocument,
  { tenant, namespace }: Pick<RepositoryDocument, 'tenant' | 'namespace'>,
): RepositoryDocument {
  const json = plainJson(document.value);
  const value = isJsonObject(json) ? json : {};
  return {
    role,
    tenant,
    kind: textOf(document.kind),
    name: document.name ?? '',
    namespace,
    file: file.path,
    blob: file.id,
    position: document.start,
    isListed: verdict.isListed,
    value: role === 'Policy' ? withMetadata(value, namespace, verdict) : value,
    locate: (path) => locateField(document, path),
  };
}

function isSamePlace(
  known: RepositoryDocument,
  place: Pick<RepositoryDocument, 'tenant' | 'namespace' | 'isListed'>,
): boolean {
  return (
    known.tenant === place.tenant && known.namespace === place.namespace && known.isListed === place.isListed
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The document as `kustomize build` leaves it. A metadata of a wrong type stays: its validation says so. */
function withMetadata(value: JsonObject, namespace: string, verdict: TakenVerdict): JsonObject {
  const { metadata } = value;
  if (!isJsonObject(metadata)) return value;
  const own = metadata['namespace'];
  const isReplaced = namespace !== '' && (own === undefined || own === null || typeof own === 'string');
  return {
    ...value,
    metadata: {
      ...metadata,
      ...(isReplaced ? { namespace } : {}),
      ...merged('labels', metadata['labels'], verdict.labels),
      ...merged('annotations', metadata['annotations'], verdict.annotations),
    },
  };
}

function merged(
  field: 'labels' | 'annotations',
  own: unknown,
  added: Readonly<Record<string, string>>,
): JsonObject {
  if (Object.keys(added).length === 0) return {};
  if (own !== undefined && own !== null && !isJsonObject(own)) return {};
  return { [field]: { ...(isJsonObject(own) ? own : {}), ...added } };
}
