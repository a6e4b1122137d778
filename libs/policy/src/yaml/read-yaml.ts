import { Composer, type Document, Lexer, type Node, Parser } from 'yaml';
import { messageOf } from '#kernel';
import type { Diagnostic, Severity } from '../diagnostic.ts';
import type { DiagnosticCode } from '../diagnostic-code.ts';
import { decodeText } from './decode-text.ts';
import { defaultYamlLimits, type YamlLimits } from './limits.ts';
import { LineIndex } from './line-index.ts';
import { mentionsPolicyKind } from './mentions.ts';
import { ReaderDifferences } from './reader-differences.ts';
import type { ReaderDifference } from './text-differences.ts';
import { YamlDocument } from './yaml-document.ts';
import { type Position, YamlTree } from './yaml-tree.ts';

/** Bytes to read, and where they come from. */
export interface YamlSource {
  /** As it stands in diagnostics. */
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly limits?: YamlLimits;
}

/** A file as documents. */
export interface YamlFile {
  readonly documents: readonly YamlDocument[];
  /** Why it could not be read, as errors; the documents are then what could still be told apart. */
  readonly diagnostics: readonly Diagnostic[];
}

/** One mistake in the syntax brings others with it; more than these help nobody. */
const syntaxDiagnosticsMaximum = 20;

const templateHint = 'a template is left out by exclude, --exclude or a .plimsollignore';

/** Splits a file into documents. Never throws, whatever the bytes; positions are inside the file. */
export function readYaml(source: YamlSource): YamlFile {
  const documents: YamlDocument[] = [];
  const diagnostics = visitYaml(source, (document) => documents.push(document));
  return { documents, diagnostics };
}

/**
 * As {@link readYaml}, one document at a time: a syntax tree is thirty times as large as its text, and is let go before
 * the next is made. Says why the file could not be read.
 */
export function visitYaml(
  source: YamlSource,
  visit: (document: YamlDocument) => void,
): readonly Diagnostic[] {
  const limits = source.limits ?? defaultYamlLimits;
  const text = decodeText(source.bytes, limits);
  if (text.ok) return new YamlFileReader({ file: source.file, text: text.value, limits }, visit).read();
  const { code, message, hint, offset, text: decoded } = text.error;
  const position = new LineIndex(decoded).at(offset);
  return [{ severity: 'error', code, message, path: [], hint, file: source.file, ...position }];
}

interface YamlText {
  readonly file: string;
  readonly text: string;
  readonly limits: YamlLimits;
}

class YamlFileReader {
  readonly #file: string;
  readonly #text: string;
  readonly #limits: YamlLimits;
  readonly #lines: LineIndex;
  readonly #visit: (document: YamlDocument) => void;
  readonly #diagnostics: Diagnostic[] = [];
  readonly #anchors: 'anchors' | 'no anchors';
  readonly #differences: ReaderDifferences | undefined;

  constructor({ file, text, limits }: YamlText, visit: (document: YamlDocument) => void) {
    this.#file = file;
    this.#text = text;
    this.#lines = new LineIndex(text);
    this.#limits = limits;
    this.#visit = visit;
    this.#anchors = text.includes('&') ? 'anchors' : 'no anchors';
    this.#differences = mentionsPolicyKind(text) ? new ReaderDifferences(text) : undefined;
  }

  read(): readonly Diagnostic[] {
    try {
      this.#readDocuments();
    } catch (error) {
      // Nothing but a stack overflow is known to come here.
      const message = messageOf(error);
      this.#report({ offset: 0, code: 'Syntax', message: `the file cannot be read: ${message}` });
    }
    return this.#diagnostics;
  }

  #readDocuments(): void {
    // Scalars get their meaning from us (`failsafe`), and so do keys that stand there twice.
    const composer = new Composer({
      schema: 'failsafe',
      // `!!omap` would make pairs of a list's items.
      resolveKnownTags: false,
      uniqueKeys: false,
      logLevel: 'silent',
      prettyErrors: false,
    });
    let count = 0;
    for (const document of composer.compose(this.#tokens(), true, this.#text.length)) {
      if (++count > this.#limits.documents) {
        const message = `the file has more than ${this.#limits.documents} documents`;
        this.#report({ offset: document.range[0], code: 'TooManyDocuments', message, hint: 'split it' });
        return;
      }
      this.#add(document);
    }
    this.#reportAll(this.#differences?.takeRest() ?? []);
  }

  /** Passes the parser's tokens on, and finds text that begins behind `...` without a `---`. */
  *#tokens(): ReturnType<Parser['parse']> {
    let isEnded = false;
    for (const token of this.#parse()) {
      if (token.type === 'document') {
        const begins = token.start.some((each) => each.type === 'doc-start');
        if (isEnded && !begins) {
          const message = 'text follows the end of the document (...)';
          this.#report({
            offset: token.offset,
            code: 'TextAfterDocumentEnd',
            message,
            hint: 'begin it with ---',
          });
        }
        isEnded = false;
      }
      if (token.type === 'doc-end') isEnded = true;
      yield token;
    }
  }

  /** As the parser's own `parse`, but that the differences see each lexeme on its way. */
  *#parse(): ReturnType<Parser['parse']> {
    const parser = new Parser();
    for (const lexeme of new Lexer().lex(this.#text)) {
      this.#differences?.see(lexeme);
      yield* parser.next(lexeme);
    }
    yield* parser.end();
  }

  #add(document: Document.Parsed): void {
    const syntax = document.errors.length > 0 ? 'broken' : 'whole';
    const differences = this.#differences?.take(document.range[2], syntax) ?? [];
    this.#reportAll(differences);
    this.#reportErrors(document);
    const { contents } = document;
    if (contents === null) return;
    const tree = new YamlTree(contents, this.#anchors);
    const root = tree.resolve(contents);
    const isBroken = document.errors.length + differences.length > 0;
    const positionOf = (node: Node): Position => this.#positionOf(node);
    if (root !== undefined) this.#visit(new YamlDocument(tree, root, { positionOf, isBroken }));
  }

  #reportErrors({ errors }: Document.Parsed): void {
    const told = new Set<number>();
    for (const error of errors) {
      if (this.#diagnostics.length >= syntaxDiagnosticsMaximum) break;
      const message = error.code === 'RESOURCE_EXHAUSTION' ? 'nested too deep' : error.message;
      const offset = error.pos[0];
      // What else a line has is what the parser made of its first mistake.
      const { line } = this.#lines.at(offset);
      if (told.has(line)) continue;
      told.add(line);
      this.#report({ offset, code: 'Syntax', message, ...this.#templateHint(offset) });
    }
  }

  /** Most files that do not parse are templates, which nobody meant to be read. */
  #templateHint(offset: number): { hint?: string } {
    const start = this.#text.lastIndexOf('\n', offset - 1) + 1;
    const end = this.#text.indexOf('\n', offset);
    const line = this.#text.slice(start, end < 0 ? undefined : end);
    return /\{\{|\{%/.test(line) ? { hint: templateHint } : {};
  }

  #reportAll(differences: readonly ReaderDifference[]): void {
    for (const difference of differences) {
      if (this.#diagnostics.length < syntaxDiagnosticsMaximum)
        this.#report({ ...difference, code: 'Syntax' });
    }
  }

  #positionOf(node: Node): Position {
    return this.#lines.at(node.range?.[0] ?? 0);
  }

  #report(finding: {
    offset: number;
    code: DiagnosticCode;
    message: string;
    hint?: string;
    severity?: Severity;
  }): void {
    const { offset, severity = 'error', ...rest } = finding;
    this.#diagnostics.push({ severity, ...rest, path: [], file: this.#file, ...this.#lines.at(offset) });
  }
}
