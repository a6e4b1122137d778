import { longTime, nullItem, unsupportedWord, wrongType } from './field-findings.ts';
import { isMap } from './is-map.ts';
import { type Finding, Place, type ProblemSink, schemaOnly } from './place.ts';
import { setOwn } from './set-own.ts';
import { showValue } from './show-value.ts';
import { suggest } from './suggest.ts';
import { suggested } from './suggested.ts';

/** Inclusive bounds of a whole number, as JSON Schema names them. */
export interface Range {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Items of a list that says nothing else: a document that one commit brings must not occupy everyone. */
export const maximumListItems = 1000;

export const maximumInt32 = 2_147_483_647;
const minimumInt32 = -2_147_483_648;
/** A day: who writes so many seconds means milliseconds, as likely as not. */
const unlikelySeconds = 86_400;
const maximumInt64 = 2n ** 63n - 1n;
const minimumInt64 = -(2n ** 63n);

/**
 * What an entry of a map of texts is that is null: the empty text in Kubernetes' own kinds, nothing in a custom
 * resource, as servers read them.
 */
export type NullEntries = 'Empty' | 'Absent';

/** What to do about fields of another version or kind, by their names. */
export type FieldHints = Readonly<Record<string, string>>;

type Source = Readonly<Record<string, unknown>>;

/** Names the fields that a map may have. */
export function fieldSet(...names: string[]): ReadonlySet<string> {
  return new Set(names);
}

/** One hint for several fields. */
export function fieldHints(hint: string, names: readonly string[]): FieldHints {
  return Object.fromEntries(names.map((name) => [name, hint]));
}

/** A field that is there: its value, and where it stands. */
export interface Item {
  readonly value: unknown;
  readonly place: Place;
}

/**
 * Reads the fields of one map. Every method returns `undefined` both for an absent (or null) field and for one that is
 * wrong, which it has then reported: so a reader goes on and reports all problems at once, and nothing is said about
 * the inside of a value whose type is wrong. Nothing converts.
 */
export class Fields {
  readonly place: Place;
  readonly #source: Source;

  constructor(source: Source, place: Place) {
    this.place = place;
    this.#source = source;
  }

  /** Whether the field is there; null is absent. */
  has(name: string): boolean {
    return this.#source[name] !== undefined && this.#source[name] !== null;
  }

  /** The field's value as it stands. */
  raw(name: string): unknown {
    return this.#source[name] ?? undefined;
  }

  /** The field as something to read on its own. */
  item(name: string): Item | undefined {
    return this.has(name) ? { value: this.#source[name], place: this.place.child(name) } : undefined;
  }

  /** Says something about a field, there or not. */
  report(name: string, finding: Finding): void {
    this.place.child(name).report(finding);
  }

  /** Reports the field as missing. */
  missing(name: string, hint?: string): void {
    const finding = { code: 'Required', message: `${name} is required` } as const;
    this.report(name, hint === undefined ? finding : { ...finding, hint });
  }

  /** Whether the field is there; it is reported where it is not. */
  requires(name: string, hint?: string): boolean {
    if (!this.has(name)) this.missing(name, hint);
    return this.has(name);
  }

  /** The same fields, of which only what their schema finds is reported. */
  schemaOnly(): Fields {
    return new Fields(this.#source, this.place.reportingTo(schemaOnly(this.place.sink)));
  }

  /** Reports fields that the map may not have, in their order in the document; `hints` are for some of them. */
  refuseUnknown(known: ReadonlySet<string>, hints: FieldHints = {}): void {
    let above: string | undefined;
    for (const key of Object.keys(this.#source)) {
      const hint = Object.hasOwn(hints, key) ? hints[key] : undefined;
      if (known.has(key)) above = key;
      else this.#reportUnknown(key, hint === undefined ? this.#suggested(key, known, above) : { hint });
    }
  }

  string(name: string): string | undefined {
    const value = this.#source[name];
    if (typeof value === 'string') return value;
    this.#wrongType(name, 'a string');
    return undefined;
  }

  /** A string that is not empty. */
  requiredString(name: string): string | undefined {
    const text = this.string(name);
    if (text !== '' && this.has(name)) return text;
    this.missing(name);
    return undefined;
  }

  boolean(name: string): boolean | undefined {
    const value = this.#source[name];
    if (typeof value === 'boolean') return value;
    this.#wrongType(name, 'true or false');
    return undefined;
  }

  /** A whole number of 32 bits, within the bounds. */
  int32(name: string, range: Range = {}): number | undefined {
    const value = this.#source[name];
    if (typeof value !== 'bigint' && !Number.isInteger(value)) {
      this.#wrongType(name, 'a whole number');
      return undefined;
    }
    const { minimum = minimumInt32, maximum = maximumInt32 } = range;
    const whole = Number(value);
    if (whole >= minimum && whole <= maximum) {
      this.#warnOfSeconds(name, whole);
      return whole;
    }
    const is32Bits = whole >= minimumInt32 && whole <= maximumInt32;
    const bounds = is32Bits ? rangeText(range) : 'a whole number of 32 bits';
    this.report(name, { code: 'OutOfRange', message: `${name} must be ${bounds}, is ${showValue(value)}` });
    return undefined;
  }

  /** A whole number of 64 bits; `minimum` is a bound below it. */
  int64(name: string, minimum = minimumInt64): bigint | undefined {
    const value = this.#source[name];
    if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isInteger(value))) {
      this.#wrongType(name, 'a whole number');
      return undefined;
    }
    const whole = BigInt(value);
    if (whole >= minimum && whole <= maximumInt64) return whole;
    const range = minimum === minimumInt64 ? 'must fit 64 bits' : `must be at least ${minimum}`;
    this.report(name, { code: 'OutOfRange', message: `${name} ${range}, is ${showValue(value)}` });
    return undefined;
  }

  /** One of a few words. */
  word<const T extends string>(name: string, words: readonly T[]): T | undefined {
    const text = this.string(name);
    if (text === undefined) return undefined;
    const word = words.find((each) => each === text);
    if (word === undefined) this.report(name, unsupportedWord(name, text, words));
    return word;
  }

  /** A map, and the fields that it may have; others are reported. */
  map(name: string, known: ReadonlySet<string>, hints?: FieldHints): Fields | undefined {
    const item = this.item(name);
    return item === undefined ? undefined : readMap(item, known, hints);
  }

  /** The items of a list; those that are null are reported and left out, as all of too many are. */
  list(name: string, maximum: number = maximumListItems): readonly Item[] | undefined {
    const value = this.#source[name];
    if (!Array.isArray(value)) {
      this.#wrongType(name, 'a list');
      return undefined;
    }
    if (value.length > maximum) {
      const message = `${name} must have at most ${maximum} items, has ${value.length}`;
      this.report(name, { code: 'TooMany', message });
      return [];
    }
    const place = this.place.child(name);
    const items: Item[] = [];
    for (const [index, each] of (value as readonly unknown[]).entries()) {
      const item = { value: each, place: place.child(index) };
      if (each === null || each === undefined) item.place.report(nullItem(name));
      else items.push(item);
    }
    return items;
  }

  /** A map of texts. */
  stringMap(name: string, nulls: NullEntries = 'Empty'): Record<string, string> | undefined {
    const item = this.item(name);
    const source = item === undefined ? undefined : mapOf(item);
    if (item === undefined || source === undefined) return undefined;
    const map: Record<string, string> = {};
    for (const [key, value] of Object.entries(source)) {
      const text = value ?? (nulls === 'Empty' ? '' : undefined);
      if (typeof text === 'string') setOwn(map, key, text);
      else if (text !== undefined) item.place.child(key).report(wrongType(key, value, 'a string'));
    }
    return map;
  }

  #reportUnknown(key: string, hint: Pick<Finding, 'hint' | 'meant'>): void {
    const message = `${showValue(key)} is not a field of ${this.#title()}`;
    this.report(key, { code: 'UnknownField', message, ...hint });
  }

  /** What was meant: another name, or, where the known field above it is empty, a deeper indentation. */
  #suggested(
    key: string,
    known: ReadonlySet<string>,
    above: string | undefined,
  ): Pick<Finding, 'hint' | 'meant'> {
    const meant = this.place.sink.isLong ? undefined : suggest(key, known);
    const otherwise =
      above === undefined || this.has(above)
        ? `its fields are ${[...known].join(', ')}`
        : `${above} above it is empty: indent it deeper, if it is a field of ${above}`;
    return suggested(meant, otherwise);
  }

  #title(): string {
    const key = this.place.key;
    if (key === '') return 'the document';
    return typeof key === 'number' ? `an item of ${String(this.place.parent?.key)}` : key;
  }

  #warnOfSeconds(name: string, seconds: number): void {
    if (name.endsWith('Seconds') && seconds >= unlikelySeconds) this.report(name, longTime(name, seconds));
  }

  #wrongType(name: string, wanted: string): void {
    if (this.has(name)) this.report(name, wrongType(name, this.#source[name], wanted));
  }
}

/** Reads an item as a map with the given fields; anything else is reported. */
export function readMap(item: Item, known: ReadonlySet<string>, hints?: FieldHints): Fields | undefined {
  const source = mapOf(item);
  if (source === undefined) return undefined;
  const fields = new Fields(source, item.place);
  fields.refuseUnknown(known, hints);
  return fields;
}

/** Reads a whole document as a map. */
export function readDocument(value: unknown, sink: ProblemSink): Fields | undefined {
  const place = new Place(sink);
  const source = mapOf({ value, place });
  return source === undefined ? undefined : new Fields(source, place);
}

function mapOf(item: Item): Source | undefined {
  if (isMap(item.value)) return item.value;
  item.place.report(wrongType(titleOf(item.place), item.value, 'a map'));
  return undefined;
}

function titleOf({ key, parent }: Place): string {
  return typeof key === 'number' ? `an item of ${String(parent?.key)}` : key;
}

/** `at least 1`, `1 to 1800`, `at most 100`. */
function rangeText({ minimum, maximum = maximumInt32 }: Range): string {
  if (minimum === undefined) return `at most ${maximum}`;
  return maximum === maximumInt32 ? `at least ${minimum}` : `${minimum} to ${maximum}`;
}
