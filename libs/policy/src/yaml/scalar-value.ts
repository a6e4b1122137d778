import type { Scalar } from 'yaml';
import type { Finding } from '../reading/place.ts';
import { showValue } from '../reading/show-value.ts';
import { resolvePlain, type PlainScalar } from './plain-scalar.ts';
import { scalarText } from './yaml-tree.ts';

/** A scalar's value, and what is to be said about it. */
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

function plainValue(text: string): ScalarValue {
  return valueOf(text, resolvePlain(text));
}

function valueOf(text: string, scalar: PlainScalar): ScalarValue {
  switch (scalar.is) {
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
  if (name === 'str' || name === 'timestamp') return { value: text };
  const fits = checks.get(name);
  if (fits === undefined) return { value: text, finding: unknownTag(tag) };
  const read = plainValue(text);
  if (read.finding !== undefined || fits(read.value, text)) return read;
  return { value: text, finding: { code: 'InvalidScalar', message: `${showValue(text)} is no !!${name}` } };
}

type Check = (value: ScalarValue['value'], text: string) => boolean;

const isNumber: Check = (value) => typeof value === 'number' || typeof value === 'bigint';
/** What the tags of the core take; a float is no `!!int`, also where it is whole. */
const checks: ReadonlyMap<string, Check> = new Map([
  ['int', (value, text) => isNumber(value, text) && /^[-+]?(?:\d+|0x[\da-f]+|0o[0-7]+)$/i.test(text)],
  ['float', isNumber],
  ['bool', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
]);

function unknownTag(tag: string): Finding {
  const message = `the tag ${showValue(tag)} means nothing here: the value is text`;
  return { severity: 'warning', code: 'UnknownTag', message };
}
