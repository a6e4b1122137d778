import { byPosition, type Diagnostic, type Problem, type Severity } from '../diagnostics/diagnostic.ts';
import type { PolicyForm } from '../kinds/identify-document.ts';
import { kedaFinding } from '../kinds/keda-autoscaler.ts';
import { removedVersionAsV2 } from '../kinds/removed-version.ts';
import type { PolicyDocumentKind } from '../model/effective-policy.ts';
import { wrongType } from '../reading/field-findings.ts';
import { isMap } from '../reading/is-map.ts';
import { type Finding, pathText } from '../reading/place.ts';
import { inexactIntegers } from '../reading/plain-json.ts';
import { type CleanDocument, withoutServerSet } from '../rules/server-set-fields.ts';
import { defaultYamlLimits, documentsHint, type YamlLimits } from '../yaml/limits.ts';
import { bytesMentionPolicyKind, mentionsAnything } from '../yaml/mentions.ts';
import { locateIn, type Places, PlacesBuilder } from '../yaml/places.ts';
import { visitYaml } from '../yaml/read-yaml.ts';
import { duplicateKey } from '../yaml/value-reader.ts';
import type { YamlDocument } from '../yaml/yaml-document.ts';
import type { Position } from '../yaml/yaml-tree.ts';
import { type FileDocumentIdentity, type Header, readHeader } from './document-header.ts';
import { readPolicy } from './parse-policy.ts';
import { findBrokenRoot } from './root-finding.ts';

/** A file of a repository. */
export interface PolicyFileSource {
  /** As it stands in diagnostics. */
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly limits?: YamlLimits;
  /** Whether it held a policy in force: it is then always parsed, and one that cannot be is an error. */
  readonly isInForce?: boolean;
  /** Which documents of other kinds are wanted whole, too (Flux, Argo CD). */
  readonly wants?: (apiVersion: unknown, kind: unknown) => boolean;
}

/** One document of a file, or one item of a `List`: plain data, which may be sent to another thread. */
export interface PolicyFileDocument {
  readonly file: string;
  readonly identity: FileDocumentIdentity;
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
  /** Where the fields of the file's documents stand; read by `locateField`. */
  readonly places: Places;
  /** This document among them. */
  readonly root: number;
}

/** A document of another kind, or one item of a `List`; nothing of its inside is read. */
export interface OtherKindDocument {
  /** Empty where it has none. */
  readonly kind: string;
  readonly name: string | undefined;
  readonly start: Position;
  /** Where a person may take it for a policy. */
  readonly note?: Diagnostic;
}

/** A file as read: plain data, too. */
export interface PolicyFile {
  readonly file: string;
  /** Documents of ours, wrong kinds included, and those that were wanted. */
  readonly documents: readonly PolicyFileDocument[];
  /** Why the file could not be read: errors where it concerns us, else warnings. */
  readonly diagnostics: readonly Diagnostic[];
  /** Documents of other kinds that were not wanted. */
  readonly others: readonly OtherKindDocument[];
}

/** A List in a List in a List is a mistake. */
const listDepthMaximum = 5;

/**
 * Reads a file's documents. A file that names none of our kinds or groups is not parsed and holds none. Never throws,
 * whatever the bytes.
 */
export function readPolicyFile(source: PolicyFileSource): PolicyFile {
  const { file, bytes, isInForce = false } = source;
  if (!isInForce && !mentionsAnything(bytes)) return { file, documents: [], diagnostics: [], others: [] };
  const sorter = new DocumentSorter(source);
  const found = visitYaml(source, (document) => {
    sorter.add(document);
  });
  const severity = unreadableSeverity(source);
  const diagnostics = [...found, ...sorter.problems()].map((each) => ({ ...each, severity }));
  return { file, ...sorter.sorted(), diagnostics };
}

/** What a file is that cannot be read: an error where it concerns us. */
function unreadableSeverity({ bytes, isInForce = false }: PolicyFileSource): Severity {
  return isInForce || bytesMentionPolicyKind(bytes) ? 'error' : 'warning';
}

/** A file whose parsing was given up: as any other that does not parse. `reason` ends a sentence. */
export function unparsedPolicyFile(source: PolicyFileSource, reason: string): PolicyFile {
  const { file } = source;
  const diagnostic: Diagnostic = {
    severity: unreadableSeverity(source),
    code: 'ParsingFailed',
    message: `the file could not be parsed: ${reason}`,
    path: [],
    hint: 'make it smaller, or split it',
    file,
    line: 1,
    column: 1,
  };
  return { file, documents: [], diagnostics: [diagnostic], others: [] };
}

/** Separates our documents from the rest, and takes a `List` as its items. */
class DocumentSorter {
  readonly #documents: UnplacedDocument[] = [];
  readonly #others: OtherKindDocument[] = [];
  readonly #places = new PlacesBuilder();
  readonly #problems: Diagnostic[] = [];
  readonly #source: PolicyFileSource;
  readonly #limits: YamlLimits;
  #count = 0;
  #overflow: Position | undefined;

  constructor(source: PolicyFileSource) {
    this.#source = source;
    this.#limits = source.limits ?? defaultYamlLimits;
  }

  add(document: YamlDocument, depth = 0): void {
    const found = depth === 0 ? findBrokenRoot(document) : null;
    if (found !== null) this.#report(found.finding, found.place);
    const header = readHeader(document);
    if (header.identity.kind === 'list') {
      this.#addList(document, depth);
      return;
    }
    this.#count++;
    if (this.#count > this.#limits.documents) this.#overflow ??= document.start;
    else this.#sort(document, { ...header, identity: header.identity });
  }

  /** Items that cannot be read are no silence: policies may be among them. */
  #addList(list: YamlDocument, depth: number): void {
    this.#checkList(list);
    const items = list.items('items');
    const [written = null] = list.shallowValues('items');
    if (items === undefined && written !== null)
      this.#report(wrongType('items', written, 'a list'), list.locateField('items'));
    else if (depth === listDepthMaximum && items?.[0] !== undefined)
      this.#report({ code: 'Syntax', message: `a List in ${depth} others is not read` }, items[0].start);
    else for (const item of items ?? []) this.add(item, depth + 1);
  }

  /**
   * Of a key that stands twice kubectl takes the last, which may make it another list, or none; a list that it cannot tell for
   * one it refuses as a whole.
   */
  #checkList(list: YamlDocument): void {
    for (const name of ['apiVersion', 'kind', 'items']) {
      if (list.occurrences(name) >= 2) {
        this.#report(duplicateKey(name, list.linesOf(name)), list.start);
        return;
      }
      for (const finding of list.scalarFindings(name))
        if (finding.severity !== 'warning') this.#report(finding, list.locateField(name));
    }
  }

  #report(finding: Finding, place: Position): void {
    const { file } = this.#source;
    this.#problems.push({ severity: 'error', ...finding, path: [], file, ...place });
  }

  #noted(finding: Finding, place: Position): Diagnostic {
    return { severity: 'note', ...finding, path: ['kind'], file: this.#source.file, ...place };
  }

  sorted(): Pick<PolicyFile, 'documents' | 'others'> {
    const places = this.#places.build();
    const documents = this.#documents.map(({ problems, ...document }): PolicyFileDocument => {
      const located = problems.map((problem) => ({
        ...problem,
        file: document.file,
        ...locateIn(places, document.root, problem.path),
      }));
      return { ...document, places, diagnostics: [...document.diagnostics, ...located].sort(byPosition) };
    });
    return { documents, others: this.#others };
  }

  #sort(document: YamlDocument, header: Header): void {
    const { apiVersion, kind, identity } = header;
    const isWanted = identity.kind !== 'other' || this.#source.wants?.(apiVersion, kind) === true;
    if (isWanted) this.#take(document, header);
    else this.#skip(document, header);
  }

  /** What is wrong with the file as a whole. */
  problems(): readonly Diagnostic[] {
    if (this.#overflow === undefined) return this.#problems;
    const message = `the file has more than ${this.#limits.documents} documents`;
    this.#report({ code: 'TooManyDocuments', message, hint: documentsHint }, this.#overflow);
    return this.#problems;
  }

  /** Of a document of another kind only its identity is kept: its value may be as large as the file. */
  #skip(document: YamlDocument, { apiVersion, kind }: Header): void {
    const { start } = document;
    const name = document.text(['metadata', 'name']);
    const found = kedaFinding({ apiVersion, kind, name });
    this.#others.push({
      kind: textOf(kind) ?? '',
      name,
      start,
      ...(found !== undefined && { note: this.#noted(found, document.locateField('kind')) }),
    });
  }

  #take(document: YamlDocument, header: Header): void {
    const { file } = this.#source;
    const { value: written, findings } = document.read({
      skip: unread,
      aliasExpansions: this.#limits.aliasExpansions,
    });
    const { value, problems } = cleanValue(document, header.identity, written);
    const metadata = isMap(value) && isMap(value['metadata']) ? value['metadata'] : {};
    const reading = findings.map(({ finding, node, path }): Diagnostic => {
      const { severity = 'error', ...rest } = finding;
      return { severity, ...rest, path, file, ...document.positionOf(node) };
    });
    this.#documents.push({
      file,
      ...header,
      name: textOf(metadata['name']),
      namespace: textOf(metadata['namespace']),
      value,
      start: document.start,
      isBroken: document.isBroken,
      diagnostics: document.isBroken
        ? []
        : [...reading, ...kindDiagnostics(document, { ...header, file, value }, reading)],
      problems: document.isBroken ? [] : problems,
      root:
        header.identity.kind === 'other'
          ? this.#places.addStart(document.start)
          : document.addPlaces(this.#places),
    });
  }
}

/** A document whose problems have no place yet. */
interface UnplacedDocument extends Omit<PolicyFileDocument, 'places'> {
  readonly problems: readonly Problem[];
}

/** A policy without what a server sets, and what is wrong with numbers that JSON cannot keep. */
function cleanValue(document: YamlDocument, identity: FileDocumentIdentity, written: unknown): CleanDocument {
  if (identity.kind !== 'policy') return { value: written, problems: [] };
  const withStatus =
    isMap(written) && document.occurrences('status') > 0 ? { ...written, status: {} } : written;
  const { value, problems } = withoutServerSet(withStatus, documentKinds[identity.form]);
  const inexact = new Set(inexactIntegers(value).map((path) => pathText(path)));
  if (inexact.size === 0) return { value, problems };
  // No valid policy has one, so that what the reader says of it is an error.
  const refused = readPolicy(value, { defaultNamespace: 'default' }).problems.filter(({ path }) =>
    inexact.has(pathText(path)),
  );
  return { value, problems: [...problems, ...refused] };
}

const documentKinds: Readonly<Record<PolicyForm, PolicyDocumentKind>> = {
  AutoscalingPolicy: 'AutoscalingPolicy',
  HorizontalPodAutoscaler: 'HorizontalPodAutoscaler',
  OlderHorizontalPodAutoscaler: 'HorizontalPodAutoscaler',
  WatermarkPodAutoscaler: 'WatermarkPodAutoscaler',
};

/** A document's status does not count; its values are not read. */
const unread: ReadonlySet<string> = new Set(['status']);

function kindDiagnostics(
  document: YamlDocument,
  { identity, file, value }: Header & { readonly file: string; readonly value: unknown },
  found: readonly Diagnostic[],
): readonly Diagnostic[] {
  if (identity.kind !== 'fault') return [];
  // What its scalar is was not clear: that is the cause, and is reported.
  const isUnclear = ({ severity, path: [field, ...rest] }: Diagnostic): boolean =>
    severity === 'error' && field === identity.field && rest.length === 0;
  if (found.some(isUnclear)) return [];
  const { severity = 'error', ...finding } = identity.finding;
  const path = [identity.field];
  // The whole v2 form is what helps here: the removed version has other fields.
  const hint = finding.code === 'RemovedVersion' ? { hint: `write:\n${removedVersionAsV2(value)}` } : {};
  return [{ severity, ...finding, ...hint, path, file, ...document.locateField(identity.field) }];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
