import { AdapterError } from '../outcomes/adapter-error.ts';

/** Which list is split, and how large its parts may be. */
export interface JsonItemsOptions {
  /** The keys that lead to the list: `['items']`, `['data', 'result']`. */
  readonly path: readonly [string, ...string[]];
  /** Takes the items in, in their order. */
  readonly each: (item: unknown) => void;
  /** The largest item, which is parsed at once. */
  readonly maximumItemBytes: number;
  /** What the items may hold in all, keys not counted: small values take ten times the memory of their text. */
  readonly maximumValues: number;
}

/** What stands around the list is a few fields. */
const maximumEnvelopeBytes = 256 * 1024;

/** A key of the path, written with escapes if need be. */
const maximumKeyBytes = 256;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Parses the items of one list of a JSON text as its bytes arrive, so that a text of a hundred megabytes neither holds
 * the thread nor is held in memory. What comes out is what `JSON.parse` makes of the whole, but for a list that stands
 * twice under its key, which is refused.
 */
export class JsonItemSplitter {
  readonly #options: JsonItemsOptions;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #envelope = new Pieces(maximumEnvelopeBytes);
  readonly #item: Pieces;
  /** The key under which a value stands, at each depth outside the list. */
  readonly #keys: (string | undefined)[] = [];
  readonly #lastString: number[] = [];
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #where: 'Before' | 'Inside' | 'After' = 'Before';
  #items = 0;
  #values = 0;

  constructor(options: JsonItemsOptions) {
    this.#options = options;
    this.#item = new Pieces(options.maximumItemBytes);
  }

  /** @throws AdapterError `Malformed` where an item is no JSON, `TooLarge` beyond a bound. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length)
      at = this.#where === 'Inside' ? this.#pushItems(chunk, at) : this.#pushEnvelope(chunk, at);
  }

  /** The whole text's value, but with an empty list. @throws AdapterError `Malformed` where it is no JSON. */
  end(): unknown {
    if (this.#where === 'Inside') throw malformed();
    return this.#parse(this.#envelope);
  }

  /** Takes bytes in up to the list's begin or the chunk's end. */
  #pushEnvelope(chunk: Uint8Array, start: number): number {
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#isInString) {
        this.#continueKey(byte);
      } else if (this.#isListAt(byte)) {
        if (this.#where === 'After') throw malformed();
        this.#envelope.add(chunk.subarray(start, at + 1));
        this.#where = 'Inside';
        this.#depth = 0;
        return at + 1;
      } else {
        this.#structure(byte);
      }
    }
    this.#envelope.add(chunk.subarray(start));
    return chunk.length;
  }

  #isListAt(byte: number): boolean {
    const { path } = this.#options;
    if (byte !== openBracket || this.#depth !== path.length) return false;
    return path.every((key, index) => this.#keys[index + 1] === key);
  }

  #structure(byte: number): void {
    if (byte === quote) {
      this.#isInString = true;
      this.#lastString.length = 0;
    } else if (byte === openBrace || byte === openBracket) {
      this.#depth += 1;
      this.#setKey(undefined);
    } else if (byte === closeBrace || byte === closeBracket) {
      this.#depth -= 1;
    } else if (byte === colon) {
      this.#setKey(this.#lastString);
    }
  }

  /** Keys deeper than the path are of no interest. */
  #setKey(bytes: readonly number[] | undefined): void {
    if (this.#depth < 1 || this.#depth > this.#options.path.length) return;
    this.#keys[this.#depth] = bytes === undefined ? undefined : this.#keyOf(bytes);
  }

  #keyOf(bytes: readonly number[]): string {
    const key = parseJson(`"${this.#decoder.decode(Uint8Array.from(bytes))}"`);
    return typeof key === 'string' ? key : '';
  }

  #continueKey(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isInString = false;
    if (this.#isInString && this.#lastString.length < maximumKeyBytes) this.#lastString.push(byte);
  }

  /** Takes items in up to the list's end or the chunk's. */
  #pushItems(chunk: Uint8Array, start: number): number {
    let from = start;
    let at = start;
    while (at < chunk.length) {
      if (this.#isInString) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      const isEnd = this.#depth === 0 && (byte === closeBracket || byte === closeBrace);
      if (isEnd || (this.#depth === 0 && byte === comma)) {
        this.#item.add(chunk.subarray(from, at));
        if (isEnd) {
          this.#endList();
          return at;
        }
        this.#endItem();
        from = at + 1;
      } else {
        this.#structureOfItem(byte);
      }
      at += 1;
    }
    this.#item.add(chunk.subarray(from));
    return chunk.length;
  }

  #structureOfItem(byte: number): void {
    if (byte === quote) {
      this.#isInString = true;
    } else if (byte === comma) {
      this.#countValue();
    } else if (byte === openBrace || byte === openBracket) {
      this.#depth += 1;
      this.#countValue();
    } else if (byte === closeBrace || byte === closeBracket) {
      this.#depth -= 1;
    }
  }

  /** The index after the string's end, or the chunk's. */
  #skipString(chunk: Uint8Array, start: number): number {
    let at = start;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at += 1;
    }
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === quote) {
        this.#isInString = false;
        return at + 1;
      }
      if (byte !== backslash) continue;
      at += 1;
      this.#isEscaped = at >= chunk.length;
    }
    return chunk.length;
  }

  #countValue(): void {
    this.#values += 1;
    if (this.#values > this.#options.maximumValues)
      throw tooLarge(`more than ${this.#options.maximumValues} values`);
  }

  #endItem(): void {
    this.#countValue();
    this.#items += 1;
    this.#options.each(this.#parse(this.#item));
  }

  /** The bracket itself belongs to what stands around the list, which is where a wrong one is noticed. */
  #endList(): void {
    if (this.#items > 0 || !this.#item.isBlank()) this.#endItem();
    this.#where = 'After';
    this.#depth = this.#options.path.length + 1;
    this.#item.take();
  }

  #parse(pieces: Pieces): unknown {
    const value = parseJson(this.#decoder.decode(pieces.take()));
    if (value === undefined) throw malformed();
    return value;
  }
}

/** Bytes that arrive in pieces, bounded. They are copied: a chunk is the sender's to use again. */
class Pieces {
  readonly #maximumBytes: number;
  #bytes: Uint8Array = new Uint8Array(0);
  #length = 0;

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#maximumBytes) throw tooLarge(`a part of more than ${this.#maximumBytes} bytes`);
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(this.#maximumBytes, Math.max(1_024, length * 2)));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  isBlank(): boolean {
    return this.#bytes.subarray(0, this.#length).every((byte) => byte <= 0x20);
  }

  /** All of it, to be used before the next piece is added. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}

/** Undefined for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function malformed(): AdapterError {
  return new AdapterError({ code: 'Malformed', message: 'the answer is no JSON', retryable: true });
}

function tooLarge(what: string): AdapterError {
  return new AdapterError({ code: 'TooLarge', message: `the answer has ${what}`, retryable: false });
}
