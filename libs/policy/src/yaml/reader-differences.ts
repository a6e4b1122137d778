import { LexemeDifferences } from './lexeme-differences.ts';
import { mentionsPolicyKind } from './mentions.ts';
import { type ReaderDifference, textDifferences } from './text-differences.ts';

/** What kubectl takes for JSON, which it reads by JSON's rules: the first document of a file that begins so. */
const jsonStart = /^\s*\{/;
const surrogatePair = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g;
const surrogate = /\\u[dD][89a-fA-F]/;

/**
 * Finds, document by document, where kubectl reads a file in another way than YAML 1.2 does, or not at all. Documents
 * that name none of our kinds are not looked at.
 */
export class ReaderDifferences {
  readonly #text: string;
  readonly #lexemes = new LexemeDifferences();
  #from = 0;
  /** Whether the last document was one that concerns us. */
  #isOurs = false;
  #isJson = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Looks at the next lexeme of the file. */
  see(lexeme: string): void {
    this.#lexemes.see(lexeme);
  }

  /** What was found since the last call, up to a document's end. Lexemes of a broken document say nothing. */
  take(end: number, syntax: 'whole' | 'broken'): readonly ReaderDifference[] {
    const text = this.#text.slice(this.#from, end);
    this.#isOurs = mentionsPolicyKind(text);
    this.#isJson = this.#from === 0 && isJson(text);
    return this.#take(text, syntax);
  }

  /** What was found behind the last document. */
  takeRest(): readonly ReaderDifference[] {
    return this.#take(this.#text.slice(this.#from), 'whole');
  }

  #take(text: string, syntax: 'whole' | 'broken'): readonly ReaderDifference[] {
    const from = this.#from;
    this.#from += text.length;
    const seen = this.#lexemes.take(this.#from);
    if (!this.#isOurs) return [];
    const found = textDifferences(text, this.#isJson ? 'JSON' : 'YAML').map((each) => ({
      ...each,
      offset: each.offset + from,
    }));
    if (this.#isJson || syntax === 'broken') return found;
    return [...found, ...seen].sort((a, b) => a.offset - b.offset);
  }
}

function isJson(text: string): boolean {
  if (!jsonStart.test(text) || surrogate.test(text.replaceAll(surrogatePair, ''))) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
