import { type Document, isMap, isScalar, LineCounter, parseAllDocuments, type YAMLMap } from 'yaml';
import { isJsonObject } from '#kernel';
import { byPosition, type Diagnostic } from '../diagnostic.ts';
import { comparePolicies } from '../diff/compare-policies.ts';
import type { ReadContext } from '../kinds/read-context.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { locateField, readPolicyDocument } from '../policy-document.ts';
import { type PolicyFileDocument, readPolicyFile } from '../policy-file.ts';
import { isMap as isMapValue } from '../reading/fields.ts';
import { plainJson } from '../reading/plain-json.ts';
import { cleanMetadata } from './clean-metadata.ts';
import { type ConversionTarget, convertAutoscaler } from './convert-autoscaler.ts';
import { convertWatermark } from './convert-watermark.ts';
import { lossesOf } from './find-losses.ts';
import { layoutOf } from './layout.ts';
import {
  findItems,
  findPair,
  hasComments,
  hasReferences,
  parsing,
  spellNulls,
  toNode,
} from './yaml-nodes.ts';

/** A file to convert. */
export interface ConversionSource {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly to: ConversionTarget;
}

/** A file as converted. */
export interface ConvertedFile {
  /** The whole file; with an error as it was. */
  readonly text: string;
  /** How many documents were rewritten. */
  readonly converted: number;
  /** Errors: nothing is converted then. Warnings (`NotCarried`): what could not be carried. In the file's order. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A document's namespace may come from elsewhere, and is not needed to rewrite it. */
const context: ReadContext = { defaultNamespace: 'default' };

/**
 * Rewrites the HorizontalPodAutoscalers and WatermarkPodAutoscalers of a file, items of a `List` too. Documents that
 * are not rewritten stay byte for byte; of the others comments stay with their fields. What is written is read again
 * and compared with what was there: every effective value that differs is a warning.
 */
export function convertFile(source: ConversionSource): ConvertedFile {
  const text = new TextDecoder().decode(source.bytes);
  const candidates = readCandidates(source);
  const errors = candidates.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0 || candidates.found.length === 0) return { text, converted: 0, diagnostics: errors };
  const rewriter = new FileRewriter(text, source.to);
  for (const candidate of candidates.found) rewriter.rewrite(candidate);
  const written = rewriter.text();
  const diagnostics = [...rewriter.warnings, ...verify(source, written, candidates.found)].sort(byPosition);
  const failed = diagnostics.filter(({ severity }) => severity === 'error');
  if (failed.length > 0) return { text, converted: 0, diagnostics: failed };
  return { text: written, converted: candidates.found.length, diagnostics };
}

interface Candidate {
  /** Among the documents of ours in the file. */
  readonly index: number;
  readonly document: PolicyFileDocument;
  readonly policy: EffectivePolicy;
}

function readCandidates({ file, bytes, to }: ConversionSource): {
  readonly found: readonly Candidate[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const read = readPolicyFile({ file, bytes });
  const diagnostics = [...read.diagnostics];
  const found: Candidate[] = [];
  for (const [index, document] of read.documents.entries()) {
    if (document.identity.kind !== 'policy') {
      diagnostics.push(...document.diagnostics);
    } else if (document.identity.form === 'WatermarkPodAutoscaler' && to === 'autoscaling/v2') {
      diagnostics.push(watermarkHasNoV2(document));
    } else if (isConvertible(document.identity.form, to)) {
      const { policy, diagnostics: own } = readPolicyDocument(document, context);
      diagnostics.push(...own);
      if (policy !== undefined) found.push({ index, document, policy });
    }
  }
  return { found, diagnostics: diagnostics.sort(byPosition) };
}

/** The fields of a WatermarkPodAutoscaler's `spec` that autoscaling/v2 has, too. */
const sharedFields: ReadonlySet<string> = new Set(['scaleTargetRef', 'minReplicas', 'maxReplicas']);

function watermarkHasNoV2(document: PolicyFileDocument): Diagnostic {
  const spec = isMapValue(document.value) ? document.value['spec'] : undefined;
  const fields = Object.keys(isMapValue(spec) ? spec : {}).filter((name) => !sharedFields.has(name));
  const rest = fields.length === 0 ? 'its watermarks' : fields.join(', ');
  return {
    severity: 'error',
    code: 'NotConvertible',
    message: `a WatermarkPodAutoscaler cannot be converted to autoscaling/v2, which has no place for ${rest}`,
    path: ['kind'],
    hint: 'convert it with --to AutoscalingPolicy',
    file: document.file,
    ...locateField(document, ['kind']),
  };
}

function isConvertible(id: string, to: ConversionTarget): boolean {
  return to === 'autoscaling/v2' ? id === 'OlderHorizontalPodAutoscaler' : id !== 'AutoscalingPolicy';
}

/** Reads what was written, and says what it does not say any more. */
function verify(
  { file, to }: ConversionSource,
  written: string,
  candidates: readonly Candidate[],
): readonly Diagnostic[] {
  const read = readPolicyFile({ file, bytes: new TextEncoder().encode(written) });
  return candidates.flatMap(({ index, document, policy }): readonly Diagnostic[] => {
    const after = read.documents[index];
    const { policy: result, diagnostics } =
      after === undefined ? { diagnostics: read.diagnostics } : readPolicyDocument(after, context);
    if (result === undefined) {
      const [first] = diagnostics.filter(({ severity }) => severity === 'error');
      const why = first === undefined ? 'it cannot be read again' : `${first.code}: ${first.message}`;
      const message = `the document cannot be converted to ${to}: ${why}`;
      return [{ severity: 'error', code: 'NotConvertible', message, path: [], file, ...document.start }];
    }
    return lossesOf(policy, comparePolicies(policy, result)).map(({ path, ...loss }) => ({
      severity: 'warning',
      code: 'NotCarried',
      ...loss,
      path,
      file,
      ...locateField(document, path),
    }));
  });
}

/** A document of the file, or an item of a List, and the YAML document that it is in. */
interface PlacedMap {
  readonly map: YAMLMap;
  readonly document: Document.Parsed;
}

/** An apiVersion to be written over, by its offsets in the file. */
interface VersionEdit {
  readonly document: Document.Parsed;
  readonly range: readonly [number, number];
}

/** The documents of a file, some of which are written anew. */
class FileRewriter {
  readonly warnings: Diagnostic[] = [];
  readonly #text: string;
  readonly #to: ConversionTarget;
  readonly #documents: readonly Document.Parsed[];
  readonly #places = new Map<string, PlacedMap>();
  readonly #rewritten = new Set<Document.Parsed>();
  readonly #edits: VersionEdit[] = [];

  constructor(text: string, to: ConversionTarget) {
    this.#text = text;
    this.#to = to;
    const lineCounter = new LineCounter();
    const parsed = parseAllDocuments(text, { ...parsing, lineCounter });
    this.#documents = 'empty' in parsed ? [] : parsed;
    for (const document of this.#documents) {
      if (!isMap(document.contents)) continue;
      for (const map of [document.contents, ...nestedItems(document.contents)]) {
        const { line, col } = lineCounter.linePos(map.range?.[0] ?? 0);
        this.#places.set(`${line}:${col}`, { map, document });
      }
    }
  }

  rewrite({ document, policy }: Candidate): void {
    const { line, column } = document.start;
    const place = this.#places.get(`${line}:${column}`);
    if (place === undefined) return;
    const { map } = place;
    const version = this.#versionAlone(place, policy);
    if (version !== undefined) {
      this.#edits.push({ document: place.document, range: version });
      return;
    }
    const warn = (path: readonly (string | number)[], message: string): void => {
      const { file } = document;
      this.warnings.push({
        severity: 'warning',
        code: 'NotCarried',
        message,
        path,
        file,
        ...locateField(document, path),
      });
    };
    if (hasReferences(place.document.contents ?? map)) {
      if (hasComments(map)) warn([], 'comments are lost: the document has anchors, aliases or merge keys');
      expand(map, document.value);
    }
    cleanMetadata(map);
    if (policy.kind === 'WatermarkPodAutoscaler')
      for (const { path, message } of convertWatermark(map, policy)) warn(path, message);
    else convertAutoscaler(map, policy, this.#to);
    this.#rewritten.add(place.document);
  }

  /** The file: what was not rewritten as it was, byte for byte. */
  text(): string {
    let from = 0;
    let text = '';
    for (const [index, document] of this.#documents.entries()) {
      const to = index === this.#documents.length - 1 ? this.#text.length : document.range[2];
      const slice = this.#text.slice(from, to);
      text += this.#rewritten.has(document) ? written(document, slice) : this.#edited(document, slice, from);
      from = to;
    }
    return text;
  }

  /** A document in which only versions change. */
  #edited(document: Document.Parsed, slice: string, offset: number): string {
    let text = slice;
    for (const { range } of this.#edits.filter((edit) => edit.document === document).toReversed())
      text = text.slice(0, range[0] - offset) + this.#to + text.slice(range[1] - offset);
    return text;
  }

  /** Where the apiVersion stands, if nothing else of the document has to change: v2beta2 is v2 under an older name. */
  #versionAlone(
    { map, document }: PlacedMap,
    policy: EffectivePolicy,
  ): readonly [number, number] | undefined {
    if (this.#to !== 'autoscaling/v2' || policy.kind !== 'HorizontalPodAutoscaler') return undefined;
    const range = betaVersion(map);
    const isAlone = range !== undefined && this.#mapsOf(document) === 1 && !hasReferences(map);
    return isAlone && !cleanMetadata(map) ? range : undefined;
  }

  #mapsOf(document: Document.Parsed): number {
    return [...this.#places.values()].filter((place) => place.document === document).length;
  }
}

/** Where `autoscaling/v2beta2` stands in a document of it. */
function betaVersion(map: YAMLMap): readonly [number, number] | undefined {
  const version = findPair(map, 'apiVersion')?.value;
  if (!isScalar(version) || version.value !== 'autoscaling/v2beta2') return undefined;
  const [start, end] = version.range ?? [];
  return start === undefined || end === undefined ? undefined : [start, end];
}

/** A document written anew, laid out and with line ends as it was. */
function written(document: Document.Parsed, slice: string): string {
  if (document.contents !== null) spellNulls(document.contents);
  const text = document.toString(layoutOf(slice));
  return slice.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

/** The items of a `List`, and of the Lists in it. */
function nestedItems(map: YAMLMap): readonly YAMLMap[] {
  return findItems(map, 'items').flatMap((item) => [item, ...nestedItems(item)]);
}

/** Writes a document's fields out where others stand for them. */
function expand(map: YAMLMap, value: unknown): void {
  const json = plainJson(value);
  const node = isJsonObject(json) ? toNode(json) : undefined;
  if (isMap(node)) map.items = node.items;
}
