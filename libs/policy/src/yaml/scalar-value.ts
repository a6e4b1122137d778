import type { Scalar } from 'yaml';
import type { Finding } from '../reading/place.ts';
import { showValue } from '../reading/show-value.ts';
import { type PlainScalar, resolvePlain } from './plain-scalar.ts';
import { scalarText } from './yaml-tree.ts';

/** A scalar's value, and what is wrong with it. */
export interface ScalarValue {
  readonly value: string | number | bigint | boolean | null;
  readonly finding?: Finding;
}

const corePrefix = 'tag:yaml.org,2002:';

/** What a scalar means: a plain one by its form, a quoted one is text, a tag converts. */
export function scalarValue(node: Scalar): ScalarValue {
  const text = scalarText(node);
  const { tag } = node;
  if (tag !== undefined && tag !== '!') return taggedValue(text, tag);
  return tag === '!' || (node.type !== undefined && node.type !== 'PLAIN')
    ? { value: text }
    : plainValue(text);
}

/** As {@link scalarValue}, for a key: numbers become text, and not all of them the same to both readers. */
export function keyValue(node: Scalar): ScalarValue {
  const read = scalarValue(node);
  const text = scalarText(node);
  const form = wholeOrBased.test(text) && node.tag !== `${corePrefix}float` ? 'whole' : 'fraction';
  if (read.finding !== undefined || isSameKey(read.value, { text, form })) return read;
  return { value: text, finding: ambiguousScalar(text) };
}

const minimumInt64 = -(2n ** 63n);
const maximumInt64 = 2n ** 63n - 1n;
const maximumUint64 = 2n ** 64n - 1n;
/** Digits that a number of 32 bits keeps: kubectl makes text of a fraction through one. */
const keptDigits = 6;

/** Whole numbers of 64 bits, and fractions that kubectl writes without an exponent and without loss. */
function isSameKey(
  value: ScalarValue['value'],
  { text, form }: { readonly text: string; readonly form: 'whole' | 'fraction' },
): boolean {
  if (typeof value !== 'number' && typeof value !== 'bigint') return true;
  if (form === 'whole') return value <= maximumInt64 && value >= minimumInt64;
  const size = Math.abs(Number(value));
  if (size === 0) return !text.startsWith('-');
  return size >= 1e-4 && size < 1e6 && String(size).replace('.', '').length <= keptDigits;
}

function plainValue(text: string): ScalarValue {
  return valueOf(text, resolvePlain(text));
}

function valueOf(text: string, scalar: PlainScalar): ScalarValue {
  switch (scalar.kind) {
    case 'value':
      return { value: scalar.value };
    case 'ambiguous':
      return { value: text, finding: ambiguousScalar(text) };
    case 'notFinite':
      return {
        value: text,
        finding: { code: 'InvalidScalar', message: `${showValue(text)} is no number here` },
      };
  }
}

function ambiguousScalar(text: string): Finding {
  return {
    code: 'AmbiguousScalar',
    message: `kubectl and YAML 1.2 read ${showValue(text)} differently`,
    hint: `quote it if it is text, or write the number or boolean that is meant`,
  };
}

function taggedValue(text: string, tag: string): ScalarValue {
  const name = tag.startsWith(corePrefix) ? tag.slice(corePrefix.length) : '';
  if (name === 'binary') return { value: text, finding: binaryTag };
  if (name === 'str' || (name === 'timestamp' && mayBeTime.test(text))) return { value: text };
  if (name === 'timestamp') return { value: text, finding: noTag(text, name) };
  const fits = checks.get(name);
  if (fits === undefined) return { value: text, finding: unknownTag(tag) };
  const read = plainValue(text);
  if (read.finding !== undefined || fits(read.value, text)) return read;
  return { value: text, finding: noTag(text, name) };
}

function noTag(text: string, name: string): Finding {
  return { code: 'InvalidScalar', message: `${showValue(text)} is no !!${name}` };
}

const binaryTag: Finding = {
  code: 'InvalidScalar',
  message: 'kubectl decodes !!binary, and nothing else here does',
  hint: 'write the text itself',
};

const wholeOrBased = /^[-+]?(?:\d+|0x[\da-f]+|0o[0-7]+)$/i;

/** kubectl reads a time as text, and refuses what is none. */
const mayBeTime = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ][\d:. TZ+-]*)?$/;

type Check = (value: ScalarValue['value'], text: string) => boolean;

function isNumber(value: ScalarValue['value']): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

const isInt: Check = (value, text) =>
  isNumber(value) && wholeOrBased.test(text) && value >= minimumInt64 && value <= maximumUint64;
/** kubectl makes no float of a whole number that needs all 64 bits. */
const isFloat: Check = (value, text) => isNumber(value) && !(isInt(value, text) && value > maximumInt64);

/** What the tags of the core take, to kubectl; a float is no `!!int`, also where it is whole. */
const checks: ReadonlyMap<string, Check> = new Map([
  ['int', isInt],
  ['float', isFloat],
  ['bool', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
]);

function unknownTag(tag: string): Finding {
  const message = `the tag ${showValue(tag)} means nothing here: the value is text`;
  return { severity: 'warning', code: 'UnknownTag', message };
}
