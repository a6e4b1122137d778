import { CST } from 'yaml';
import type { ReaderDifference } from './text-differences.ts';

const anchorName = /^[&*][\w-]+$/;
const escapes = /\\(?:u[dD][89a-fA-F][\da-fA-F]{2}|\r?\n[ \t]*\r?\n|[^])/g;
/** A block scalar that has a tab before its first text. */
const tabbedBlock = /^[ \r\n]*\t/;
/** Marks that end an entry of a flow collection, or begin a collection in it. */
const flowMarks: ReadonlySet<string> = new Set(['comma', '{', '}', '[', ']', ',']);

/** Differences that are kept; the parser is never more than a document ahead. */
const differencesMaximum = 1_000;

const tabHint = 'indent with spaces';
const flowMessage = 'kubectl reads this mark otherwise, or not at all';
const quoteHint = 'quote the text, and write a space behind a tag and the colon of a key';

/**
 * Finds where kubectl, a reader of YAML 1.1, reads a text otherwise or not at all, though YAML 1.2 takes it. It sees
 * the lexemes of a file on their way to the parser, each once and in order.
 *
 * @see docs/spec/yaml.md
 */
export class LexemeDifferences {
  #found: ReaderDifference[] = [];
  #offset = 0;
  #flowDepth = 0;
  /** Whether kubectl would take a key here: there, outside flow collections, it takes no tab. */
  #isKeyAllowed = true;
  #isIndented = false;
  #scalar: 'none' | 'plain' | 'block' = 'none';
  #isBlockNext = false;
  #lastWasPlain = false;
  #lineStart = 0;
  /** Whether the last mark was an anchor or a tag in a flow collection: a key begins with them. */
  #hasProperties = false;
  /** Whether a line has ended since the last key could have begun: kubectl wants it and its colon on one. */
  #isKeyBroken = false;
  /** Columns of `?`: only there a colon may begin a line. */
  readonly #explicitKeys = new Set<number>();
  /** Where a tag has just ended, and where a tag or a colon behind a plain scalar has. */
  #tagEnd = -1;
  #tightEnd = -1;
  readonly #checks: Readonly<Record<string, (lexeme: string) => void>> = {
    '{': () => this.#flowDepth++,
    '[': () => this.#flowDepth++,
    '}': () => (this.#flowDepth = Math.max(0, this.#flowDepth - 1)),
    ']': () => (this.#flowDepth = Math.max(0, this.#flowDepth - 1)),
    '%': () => this.#report('kubectl reads no directives', 'leave the line out'),
    '&': (lexeme) => this.#seeAnchor(lexeme),
    '*': (lexeme) => this.#seeAnchor(lexeme),
    '"': (lexeme) => this.#seeEscapes(lexeme),
    '?': () => this.#explicitKeys.add(this.#column),
    ':': () => this.#seeColon(),
  };

  see(lexeme: string): void {
    if (this.#scalar !== 'none') {
      this.#seeScalar(lexeme);
    } else if (lexeme === CST.SCALAR) {
      this.#scalar = this.#isBlockNext ? 'block' : 'plain';
      this.#isBlockNext = false;
      return;
    } else if (lexeme === CST.DOCUMENT) {
      return;
    } else if (lexeme === CST.FLOW_END) {
      this.#flowDepth = 0;
      return;
    } else {
      this.#seeToken(lexeme);
    }
    this.#offset += lexeme.length;
  }

  /** What was found before an offset since the last call. */
  take(end: number): readonly ReaderDifference[] {
    const taken = this.#found.filter(({ offset }) => offset < end);
    this.#found = this.#found.filter(({ offset }) => offset >= end);
    return taken;
  }

  #seeScalar(lexeme: string): void {
    const isBlock = this.#scalar === 'block';
    if (!isBlock) this.#endMaps();
    this.#scalar = 'none';
    if (isBlock && tabbedBlock.test(lexeme)) {
      this.#report(
        'kubectl takes no tab at the beginning of a block scalar',
        'write a text in double quotes',
      );
    }
    const isMisread = (this.#flowDepth > 0 && /^:|\?/.test(lexeme)) || this.#offset === this.#tagEnd;
    if (!isBlock && isMisread) this.#report(flowMessage, quoteHint);
    this.#isKeyAllowed = isBlock;
    this.#isIndented = false;
    this.#lastWasPlain = !isBlock;
    this.#seeBreaks(lexeme);
  }

  #seeBreaks(lexeme: string): void {
    const at = lexeme.lastIndexOf('\n');
    this.#isKeyBroken = at >= 0 || (this.#isKeyBroken && this.#hasProperties);
    this.#hasProperties = false;
    if (at >= 0) this.#lineStart = this.#offset + at + 1;
  }

  #seeToken(lexeme: string): void {
    const first = lexeme[0] ?? '';
    if (first === ' ' || first === '\t') {
      this.#seeSpace(lexeme);
    } else if (first === '\n' || first === '\r') {
      this.#isKeyAllowed = true;
      this.#isIndented = false;
      this.#isKeyBroken = true;
      this.#lineStart = this.#offset + lexeme.length;
    } else if (first !== '#') {
      this.#seeMark(lexeme, first);
    }
  }

  /** A tab before a key. Behind a plain scalar, which may go on, kubectl takes one that spaces precede. */
  #seeSpace(lexeme: string): void {
    const isTaken = !this.#isKeyAllowed || this.#flowDepth > 0 || (this.#lastWasPlain && this.#isIndented);
    if (!isTaken && lexeme.includes('\t')) this.#report('kubectl takes no tab here', tabHint);
    this.#isIndented = lexeme.startsWith(' ');
  }

  #seeMark(lexeme: string, first: string): void {
    this.#endMaps();
    const isFlowMark = this.#flowDepth > 0 && flowMarks.has(first);
    if (this.#offset === (isFlowMark ? this.#tightEnd : this.#tagEnd)) this.#report(flowMessage, quoteHint);
    this.#checks[first]?.(lexeme);
    this.#noteEnd(lexeme, first);
    this.#isBlockNext = first === '|' || first === '>';
    this.#isKeyAllowed = this.#keyAllowedAfter(lexeme);
    this.#isIndented = false;
    this.#lastWasPlain = false;
    this.#seeBreaks(first === '"' || first === "'" ? lexeme : '');
    this.#hasProperties = this.#flowDepth > 0 && (first === '!' || first === '&');
  }

  /** Behind a tag kubectl wants a space, and behind the colon of a plain key. */
  #noteEnd(lexeme: string, first: string): void {
    const end = this.#offset + lexeme.length;
    this.#tagEnd = first === '!' ? end : -1;
    this.#tightEnd = first === '!' || (first === ':' && this.#lastWasPlain) ? end : -1;
  }

  #seeColon(): void {
    if (!this.#isKeyBroken) return;
    const isExplicit = this.#flowDepth === 0 && this.#explicitKeys.delete(this.#column);
    if (!isExplicit) this.#report('kubectl wants a key and its colon on one line', 'write them so');
  }

  get #column(): number {
    return this.#offset - this.#lineStart;
  }

  /** Maps that have ended take their keys with them. */
  #endMaps(): void {
    if (!this.#isKeyAllowed || this.#flowDepth > 0) return;
    for (const column of this.#explicitKeys) if (column > this.#column) this.#explicitKeys.delete(column);
  }

  /** Behind `-` and `?`, and behind a `:` whose key was no simple one. */
  #keyAllowedAfter(lexeme: string): boolean {
    return lexeme === '-' || lexeme === '?' || (lexeme === ':' && this.#isKeyAllowed);
  }

  #seeAnchor(lexeme: string): void {
    if (anchorName.test(lexeme)) return;
    this.#report(
      'kubectl takes only letters, digits, - and _ of ASCII in the name of an anchor',
      'rename it, and write a space behind it',
    );
  }

  /** `\/`, the halves of a character beyond U+FFFF, and blank lines behind an escaped line break. */
  #seeEscapes(lexeme: string): void {
    for (const { 0: escape, index } of lexeme.matchAll(escapes)) {
      if (escape !== '\\/' && escape.length === 2) continue;
      if (escape.endsWith('\n'))
        this.#report('kubectl reads a blank line behind an escaped line break otherwise', 'write \\n', index);
      else this.#report(`kubectl refuses the escape ${escape}`, 'write the character itself', index);
    }
  }

  #report(message: string, hint: string, at = 0): void {
    if (this.#found.length < differencesMaximum)
      this.#found.push({ offset: this.#offset + at, message, hint });
  }
}
