import { Composer, type Document, Lexer, type Node, Parser } from 'yaml';
import { messageOf } from '#kernel';
import type { Diagnostic, Severity } from '../diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../diagnostics/diagnostic-code.ts';
import { decodeText } from './decode-text.ts';
import { defaultYamlLimits, documentsHint, type YamlLimits } from './limits.ts';
import { LineIndex } from './line-index.ts';
import { mentionsPolicyKind } from './mentions.ts';
import { ReaderDifferences } from './reader-differences.ts';
import { syntaxSentence } from './syntax-sentence.ts';
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
  /** Why it could not be read, as errors; the documents are then those that could still be separated. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Places in a file where kubectl reads otherwise that are reported; more do not help. */
const maximumDifferences = 20;
/** Errors of the parser after which a file is given up: each costs it as much time and memory as a hundred lines. */
const maximumSyntaxErrors = 1000;

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
  readonly #syntaxErrors = new SyntaxErrorCount();
  #reportedDifferences = 0;

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
      // Beside too many errors, only a stack overflow is known to come here.
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
    countErrors(composer, this.#syntaxErrors);
    let count = 0;
    for (const document of composer.compose(this.#tokens(), true, this.#text.length)) {
      if (++count > this.#limits.documents) {
        const message = `the file has more than ${this.#limits.documents} documents`;
        this.#report({ offset: document.range[0], code: 'TooManyDocuments', message, hint: documentsHint });
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
      if (token.type === 'error') this.#syntaxErrors.add();
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
    this.#reportError(document);
    const { contents } = document;
    if (contents === null) return;
    const tree = new YamlTree(contents, this.#anchors);
    const root = tree.resolve(contents);
    const isBroken = document.errors.length + differences.length > 0;
    const positionOf = (node: Node): Position => this.#positionOf(node);
    if (root !== undefined) this.#visit(new YamlDocument(tree, root, { positionOf, isBroken }));
  }

  /** The first alone: what follows is mostly what the parser makes of it. */
  #reportError({ errors, range }: Document.Parsed): void {
    const [first] = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
    if (first === undefined) return;
    const { code, message } = first;
    const [from, , to] = range;
    const error = { code, message, offset: first.pos[0], text: this.#text };
    this.#report({ code: 'Syntax', ...syntaxSentence(error, [from, to]) });
  }

  #reportAll(differences: readonly ReaderDifference[]): void {
    for (const difference of differences) {
      if (this.#reportedDifferences < maximumDifferences) this.#report({ ...difference, code: 'Syntax' });
      this.#reportedDifferences += 1;
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

/** Ends the reading of a file at one syntax error too many. */
class SyntaxErrorCount {
  #errors = 0;

  add(): void {
    this.#errors += 1;
    if (this.#errors > maximumSyntaxErrors)
      throw new Error(`it has more than ${maximumSyntaxErrors} syntax errors`);
  }
}

/**
 * Counts the errors of a composer, which makes an object with a stack trace for each and has no limit of its own. Its
 * callback refers to nothing of the file: the composer outlives a collection of garbage, and would keep it all.
 */
function countErrors(composer: Composer, count: SyntaxErrorCount): void {
  const onError: unknown = Reflect.get(composer, 'onError');
  if (typeof onError !== 'function') throw new TypeError('the composer reports errors in another way');
  const counted = (...error: readonly unknown[]): void => {
    count.add();
    Reflect.apply(onError, composer, error);
  };
  Reflect.set(composer, 'onError', counted);
}
