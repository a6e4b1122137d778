import {
  type Document,
  isMap,
  LineCounter,
  parseAllDocuments,
  type ToStringOptions,
  type YAMLMap,
} from 'yaml';
import { isJsonObject } from '#kernel';
import { byPosition, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { comparePolicies } from '../diff/compare-policies.ts';
import { locateField, readPolicyDocument } from '../documents/policy-document.ts';
import { type PolicyFileDocument, readPolicyFile } from '../documents/policy-file.ts';
import type { ReadContext } from '../kinds/read-context.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { isMap as isMapValue } from '../reading/is-map.ts';
import { plainJson } from '../reading/plain-json.ts';
import { mayBeFilled } from '../schema/may-be-filled.ts';
import { cleanMetadata } from './clean-metadata.ts';
import { type ConversionTarget, convertAutoscaler } from './convert-autoscaler.ts';
import { convertWatermark } from './convert-watermark.ts';
import { lossesOf } from './find-losses.ts';
import { layoutOf } from './layout.ts';
import { MapEdits } from './map-edits.ts';
import { findDanglingAlias, isWrittenOut } from './references.ts';
import { applyEdits, SourceText, type TextEdit } from './source-text.ts';
import { findItems, hasComments, parsing, toNode } from './yaml-nodes.ts';

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
  /**
   * Errors: nothing is converted then. Warnings (`NotCarried`): what could not be carried. Notes (`OtherAutoscaler`): what
   * is no policy. In the file's order.
   */
  readonly diagnostics: readonly Diagnostic[];
}

/** A document's namespace may come from elsewhere, and is not needed to rewrite it. */
const context: ReadContext = { defaultNamespace: 'default' };

/**
 * Rewrites the HorizontalPodAutoscalers and WatermarkPodAutoscalers of a file, items of a `List` too. What does not
 * change stays byte for byte; comments stay with their fields. Policies that need no rewriting have to be valid, too.
 * What is written is read again and compared with what was there: every effective value that differs is a warning.
 */
export function convertFile(source: ConversionSource): ConvertedFile {
  const text = new TextDecoder().decode(source.bytes);
  const candidates = readCandidates(source);
  const errors = candidates.diagnostics.filter(isError);
  const { notes } = candidates;
  if (errors.length > 0 || candidates.found.length === 0)
    return { text, converted: 0, diagnostics: [...errors, ...notes].sort(byPosition) };
  const rewriter = new FileRewriter(text, source.to);
  for (const candidate of candidates.found) rewriter.rewrite(candidate);
  const written = rewriter.text();
  const problems = rewriter.errors();
  const verified = problems.length > 0 ? problems : verify(source, written, candidates.found);
  const diagnostics = [...rewriter.warnings, ...verified, ...notes].sort(byPosition);
  const failed = diagnostics.filter(isError);
  if (failed.length > 0) return { text, converted: 0, diagnostics: failed };
  return { text: written, converted: candidates.found.length, diagnostics };
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
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
  /** Of documents that are no policies, and may be taken for some. */
  readonly notes: readonly Diagnostic[];
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
    } else {
      diagnostics.push(...faultsOf(document));
    }
  }
  const notes = read.others.flatMap(({ note }) => note ?? []);
  return { found, diagnostics: diagnostics.sort(byPosition), notes };
}

/** What is wrong with a policy that stays as it is. What it leaves out may come from a PolicyDefaults, and is no error. */
function faultsOf(document: PolicyFileDocument): readonly Diagnostic[] {
  const { diagnostics } = readPolicyDocument(document, context);
  if (document.kind !== 'AutoscalingPolicy') return diagnostics;
  return diagnostics.filter(({ code, path }) => code !== 'Required' || !mayBeFilled(document.value, path));
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

function stillReferredTo(document: PolicyFileDocument, anchor: string): Diagnostic {
  return {
    severity: 'error',
    code: 'NotConvertible',
    message: `the document cannot be converted: an alias elsewhere stands for its anchor &${anchor}`,
    path: [],
    hint: 'write the values out in both places',
    file: document.file,
    ...document.start,
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
  /** Of the whole document. */
  readonly layout: ToStringOptions;
}

/** The documents of a file, of which only what conversion changes is written anew. */
class FileRewriter {
  readonly warnings: Diagnostic[] = [];
  readonly #source: SourceText;
  readonly #to: ConversionTarget;
  readonly #places = new Map<string, PlacedMap>();
  readonly #edits: TextEdit[] = [];
  /** The YAML documents of which a part was written out, and the first such part. */
  readonly #expanded = new Map<Document.Parsed, PolicyFileDocument>();

  constructor(text: string, to: ConversionTarget) {
    this.#source = new SourceText(text);
    this.#to = to;
    const lineCounter = new LineCounter();
    const parsed = parseAllDocuments(text, { ...parsing, lineCounter });
    for (const document of 'empty' in parsed ? [] : parsed) {
      if (!isMap(document.contents)) continue;
      const layout = layoutOf(text.slice(document.range[0], document.range[2]));
      for (const map of [document.contents, ...nestedItems(document.contents)]) {
        const { line, col } = lineCounter.linePos(map.range?.[0] ?? 0);
        this.#places.set(`${line}:${col}`, { map, document, layout });
      }
    }
  }

  rewrite({ document, policy }: Candidate): void {
    const { line, column } = document.start;
    const place = this.#places.get(`${line}:${column}`);
    if (place === undefined) return;
    const { map } = place;
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
    const hadComments = hasComments(map);
    const edits = new MapEdits(this.#source, map, place.layout);
    if (!isWrittenOut(map, policy)) {
      if (hadComments) warn([], 'comments are lost: the document has anchors, aliases or merge keys');
      expand(map, document.value);
      if (!this.#expanded.has(place.document)) this.#expanded.set(place.document, document);
    }
    cleanMetadata(map);
    if (policy.kind === 'WatermarkPodAutoscaler')
      for (const { path, message } of convertWatermark(map, policy)) warn(path, message);
    else convertAutoscaler(map, policy, this.#to);
    this.#edits.push(...edits.edits());
  }

  /** Documents that cannot be converted because something else refers to a part of them. */
  errors(): readonly Diagnostic[] {
    return [...this.#expanded].flatMap(([yaml, document]) => {
      const alias = findDanglingAlias(yaml);
      return alias === undefined ? [] : [stillReferredTo(document, alias.source)];
    });
  }

  /** The file: what did not change as it was, byte for byte. */
  text(): string {
    return applyEdits(this.#source.text, this.#edits);
  }
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
