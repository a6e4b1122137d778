import { parseAllDocuments, type Document } from 'yaml';
import type { Diagnostic } from '../diagnostic.ts';
import type { ReadContext } from '../kinds/read-context.ts';
import { readPolicyDocument, readPolicyFile } from '../policy-file.ts';
import { convertDocument, type ConversionTarget } from './convert-document.ts';

/** A file to convert. */
export interface ConversionSource {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly to: ConversionTarget;
}

/** A file as converted. */
export interface ConvertedFile {
  readonly text: string;
  /** How many documents were rewritten. */
  readonly converted: number;
  /** What could not be carried, by document. */
  readonly notes: readonly { readonly document: string; readonly note: string }[];
  /** Errors: nothing is converted then. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A document's namespace may come from elsewhere, and is not needed to rewrite it. */
const context: ReadContext = { defaultNamespace: 'default' };

/**
 * Rewrites the HorizontalPodAutoscalers and WatermarkPodAutoscalers of a file; other documents stay as they are, and so
 * do comments where their field stays. A `List` is not converted.
 */
export function convertFile({ file, bytes, to }: ConversionSource): ConvertedFile {
  const read = readPolicyFile({ file, bytes, isInForce: true });
  const errors = read.diagnostics.filter(({ severity }) => severity === 'error');
  const text = new TextDecoder().decode(bytes);
  const unchanged = { text, converted: 0, notes: [] };
  if (errors.length > 0) return { ...unchanged, diagnostics: errors };
  const documents = parseAllDocuments(text, { keepSourceTokens: true, uniqueKeys: false });
  if (!Array.isArray(documents)) return { ...unchanged, diagnostics: [] };
  const notes: { document: string; note: string }[] = [];
  const diagnostics: Diagnostic[] = [];
  let converted = 0;
  for (const each of read.documents) {
    const { policy, diagnostics: found } = readPolicyDocument(each, context);
    diagnostics.push(...found.filter(({ severity }) => severity === 'error'));
    const document = documents.find((candidate) => isSame(candidate, each));
    if (policy === undefined || policy.kind === 'AutoscalingPolicy' || document === undefined) continue;
    const name = `${policy.kind} ${policy.name}`;
    notes.push(...convertDocument(document, { policy, to }).map((note) => ({ document: name, note })));
    converted += 1;
  }
  if (diagnostics.length > 0 || converted === 0) return { ...unchanged, diagnostics };
  return {
    text: documents.map((document) => document.toString({ lineWidth: 110 })).join(''),
    converted,
    notes,
    diagnostics,
  };
}

function isSame(
  document: Document,
  read: { readonly kind: unknown; readonly name: string | undefined },
): boolean {
  return document.get('kind') === read.kind && document.getIn(['metadata', 'name']) === read.name;
}
