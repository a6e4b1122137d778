import { removedVersionAsV2 } from './convert/removed-version.ts';
import type { Diagnostic, Problem, Severity } from './diagnostic.ts';
import { identifyKind, type KindOfDocument } from './kinds/identify-kind.ts';
import type { ReadContext } from './kinds/read-context.ts';
import type { EffectivePolicy } from './model/effective-policy.ts';
import { readPolicy } from './parse-policy.ts';
import { isMap } from './reading/fields.ts';
import { defaultYamlLimits, type YamlLimits } from './yaml/limits.ts';
import { bytesMentionPolicyKind, mentionsAnything } from './yaml/mentions.ts';
import { readYaml } from './yaml/read-yaml.ts';
import type { YamlDocument } from './yaml/yaml-document.ts';
import type { Position } from './yaml/yaml-tree.ts';

/** A file of a repository. */
export interface PolicyFileSource {
  /** As it stands in diagnostics. */
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly limits?: YamlLimits;
  /** Whether it held a policy in force: it is then always parsed, and one that cannot be is an error. */
  readonly isInForce?: boolean;
  /** Which documents of other kinds are wanted too (kustomizations, Flux, Argo CD). */
  readonly wants?: (apiVersion: unknown, kind: unknown) => boolean;
}

/** What a document is, once it is known to concern us. */
export type PolicyFileKind = Exclude<KindOfDocument, { readonly is: 'list' }>;

/** One document of a file, or one item of a `List`. */
export interface PolicyFileDocument {
  readonly file: string;
  readonly is: PolicyFileKind;
  readonly apiVersion: unknown;
  readonly kind: unknown;
  /** `metadata.name` and `metadata.namespace` as written, whether valid or not; for telling documents apart. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  /** The document as JSON; a whole number that a float cannot hold is a bigint. */
  readonly value: unknown;
  readonly start: Position;
  /** Whether the syntax is wrong (the file's diagnostics say where): the value is then what could be made of it. */
  readonly isBroken: boolean;
  /** What reading the YAML and the kind found; with an error, nothing of the value is to be used. */
  readonly diagnostics: readonly Diagnostic[];
  /** Where a field stands, or the nearest parent that exists. */
  readonly locate: (path: readonly (string | number)[]) => Position;
}

/** A file as read. */
export interface PolicyFile {
  readonly file: string;
  /** Documents of ours, wrong kinds included, and those that were wanted. */
  readonly documents: readonly PolicyFileDocument[];
  /** Why the file could not be read: errors where it concerns us, else warnings. */
  readonly diagnostics: readonly Diagnostic[];
  /** Documents of other kinds, by kind. */
  readonly others: ReadonlyMap<string, number>;
}

/** A List in a List in a List is a mistake. */
const listDepthMaximum = 5;

/**
 * Reads a file's documents. A file that names none of our kinds or groups is not parsed and holds none. Never throws,
 * whatever the bytes.
 */
export function readPolicyFile(source: PolicyFileSource): PolicyFile {
  const { file, bytes, isInForce = false } = source;
  if (!isInForce && !mentionsAnything(bytes))
    return { file, documents: [], diagnostics: [], others: new Map() };
  const read = readYaml(source);
  const sorter = new DocumentSorter(source);
  for (const document of read.documents) sorter.add(document);
  const severity: Severity = isInForce || bytesMentionPolicyKind(bytes) ? 'error' : 'warning';
  const diagnostics = [...read.diagnostics, ...sorter.overflow()].map((each) => ({ ...each, severity }));
  return { file, documents: sorter.documents, diagnostics, others: sorter.others };
}

/** A document of a policy kind as policy, with everything that was found about it, in the order of the file. */
export function readPolicyDocument(
  document: PolicyFileDocument,
  context: ReadContext = {},
): { readonly policy?: EffectivePolicy; readonly diagnostics: readonly Diagnostic[] } {
  if (document.isBroken || document.diagnostics.some(isError)) return { diagnostics: document.diagnostics };
  const { policy, problems } = readPolicy(document.value, context);
  const diagnostics = [...document.diagnostics, ...locateProblems(document, problems)].sort(byPosition);
  return policy === undefined ? { diagnostics } : { policy, diagnostics };
}

/** Problems of a document's value at their places in the file. */
export function locateProblems(
  document: PolicyFileDocument,
  problems: readonly Problem[],
): readonly Diagnostic[] {
  return problems.map((problem) => ({ ...problem, file: document.file, ...document.locate(problem.path) }));
}

/** Orders diagnostics by file, line and column. */
export function byPosition(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

function isError(diagnostic: Diagnostic): boolean {
  return diagnostic.severity === 'error';
}

/** Tells documents of ours from the rest, and takes a `List` as its items. */
class DocumentSorter {
  readonly documents: PolicyFileDocument[] = [];
  readonly others = new Map<string, number>();
  readonly #source: PolicyFileSource;
  readonly #limits: YamlLimits;
  #count = 0;
  #overflow: Position | undefined;

  constructor(source: PolicyFileSource) {
    this.#source = source;
    this.#limits = source.limits ?? defaultYamlLimits;
  }

  add(document: YamlDocument, depth = 0): void {
    const identity = identify(document);
    if (identity.is.is === 'list') {
      if (depth < listDepthMaximum)
        for (const item of document.items('items') ?? []) this.add(item, depth + 1);
      return;
    }
    this.#count++;
    if (this.#count > this.#limits.documents) this.#overflow ??= document.start;
    else this.#sort(document, { ...identity, is: identity.is });
  }

  #sort(document: YamlDocument, identity: Identity): void {
    const { apiVersion, kind, is } = identity;
    const isWanted = is.is !== 'other' || this.#source.wants?.(apiVersion, kind) === true;
    if (isWanted) this.#take(document, identity);
    else this.#skip(kind);
  }

  /** Says that there are more documents than are read. */
  overflow(): readonly Diagnostic[] {
    if (this.#overflow === undefined) return [];
    const message = `the file has more than ${this.#limits.documents} documents`;
    const { file } = this.#source;
    return [
      {
        severity: 'error',
        code: 'TooManyDocuments',
        message,
        path: [],
        hint: 'split it',
        file,
        ...this.#overflow,
      },
    ];
  }

  #skip(kind: unknown): void {
    const name = typeof kind === 'string' ? kind : '';
    this.others.set(name, (this.others.get(name) ?? 0) + 1);
  }

  #take(document: YamlDocument, identity: Identity): void {
    const { file } = this.#source;
    const { value, findings } = document.read({
      skip: unread,
      aliasExpansions: this.#limits.aliasExpansions,
    });
    const metadata = isMap(value) && isMap(value['metadata']) ? value['metadata'] : {};
    const locate = (path: readonly (string | number)[]): Position => document.locate(path);
    const reading = findings.map(({ finding, node, path }): Diagnostic => {
      const { severity = 'error', ...rest } = finding;
      return { severity, ...rest, path, file, ...document.positionOf(node) };
    });
    this.documents.push({
      file,
      ...identity,
      name: textOf(metadata['name']),
      namespace: textOf(metadata['namespace']),
      value,
      start: document.start,
      isBroken: document.isBroken,
      diagnostics: document.isBroken
        ? []
        : [...reading, ...kindDiagnostics(document, { ...identity, value }, file)],
      locate,
    });
  }
}

/** Nobody looks at a document's status. */
const unread: ReadonlySet<string> = new Set(['status']);

interface Identity {
  readonly apiVersion: unknown;
  readonly kind: unknown;
  readonly is: PolicyFileKind;
}

/** By its first apiVersion and kind, or by any that is ours where a key stands there twice. */
function identify(document: YamlDocument): { apiVersion: unknown; kind: unknown; is: KindOfDocument } {
  const versions = orNothing(document.scalars('apiVersion'));
  const kinds = orNothing(document.scalars('kind'));
  const pairs = versions.flatMap((apiVersion) =>
    kinds.map((kind) => ({ apiVersion, kind, is: identifyKind(apiVersion, kind) })),
  );
  const ours = pairs.find(({ is }) => is.is !== 'other');
  return ours ?? pairs[0] ?? { apiVersion: undefined, kind: undefined, is: { is: 'other' } };
}

function orNothing(values: readonly unknown[]): readonly unknown[] {
  return values.length === 0 ? [undefined] : values;
}

function kindDiagnostics(
  document: YamlDocument,
  { is, value }: Identity & { readonly value: unknown },
  file: string,
): readonly Diagnostic[] {
  if (is.is !== 'fault') return [];
  const { severity = 'error', ...finding } = is.finding;
  const path = [is.field];
  // The whole v2 form is what helps here: the removed version has other fields.
  const hint = finding.code === 'RemovedVersion' ? { hint: `write:\n${removedVersionAsV2(value)}` } : {};
  return [{ severity, ...finding, ...hint, path, file, ...document.locate(path) }];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
