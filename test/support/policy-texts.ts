import { readFileSync } from 'node:fs';
import { Random } from './random.ts';

/** Short valid documents of every kind that is read, in every style that YAML has. */
const bases = [
  ...readFileSync(new URL('./policy-texts.txt', import.meta.url), 'utf8').split('=====\n'),
  '{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"a","namespace":"b"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"x"},"maxReplicas":9}}',
  '{\n\t"apiVersion": "autoscaling/v2",\n\t"kind": "HorizontalPodAutoscaler",\n\t"metadata": {"name": "a", "namespace": "b"},\n\t"spec": {\n\t\t"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"},\n\t\t"maxReplicas": 9\n\t}\n}\n',
];
const baseLines = bases.flatMap((text) => text.split('\n').map((line) => `${line}\n`));

/** Marks, words and documents that mean something to a YAML reader, or break it. */
const fragments = [
  ...'\t|\n|  | |- |: |:|#| #|"|\'|{|}|[|]|,|&a |*a|*t|!!str |? |?|%|@|`|>|-|!|\\|~|/|=|<|.|_'.split('|'),
  '|',
  '|-\n',
  '>+\n',
  '|2\n',
  '---\n',
  '--- ',
  '...\n',
  '\r',
  '\r\n',
  '\u0085',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\0',
  '\u0007',
  '\u007f',
  '\u00a0',
  '😀',
  'é',
  '\ud800',
  '<<: *t\n',
  '<<: {a: b}\n',
  '<<: [{a: b}, {a: c}]\n',
  'null: x\n',
  '? [a]\n: b\n',
  '${X}',
  '{{ .x }}',
  '__proto__: x\n',
  'constructor: 1\n',
  '9'.repeat(400),
  '['.repeat(50),
  '{a: '.repeat(30),
  '- '.repeat(30),
  '%YAML 1.1\n---\n',
  '%TAG ! tag:x,2026:\n---\n',
  '"\\/\\x41\\u00e9\\n\\\n  b"',
  '# c\n',
];

/** Values, each read in its own way. */
const scalars = [
  ...'y|n|yes|No|ON|off|true|False|TRUE|null|Null|~|.inf|-.Inf|.nan|0|-0|+5|6.0|1e3|1E3|1e400|1e-400|.5|5.|1_000|010|08|0b11|0x1F|-0x1F|0X1F|0o17|0O17'.split(
    '|',
  ),
  ...'9223372036854775807|9223372036854775808|18446744073709551616|-9223372036854775809|1e21|1e20|0.1|1.5e3|2026-11-20|12:30|1:2:3|=|<<|a#b|a: b|a :b|-a|?a|:a|a,b|@a|%a|&b c|*a|!x y|!!str 5|!!int "5"|!!int 0x1F|!!float 5|!!float "1.5"|!!bool "true"|!!bool yes|!!null ""|!!null null|!!binary aGk=|!!timestamp 2026-11-20|!!int 5.0|!!str true|!!str|! 5|!<tag:yaml.org,2002:int> 5|!!map {}|!!seq []|!!set {a}|!!omap []'.split(
    '|',
  ),
  '"a"',
  "'a'",
  '"5"',
  "'it''s'",
  '"a\\tb\\x41\\u263a\\U0001F600\\e\\_\\N\\L\\P\\0\\a\\ "',
  '"\\/"',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"\\q"',
  '"a\n  b\n\n  c"',
  "'a\n  b'",
  '"a\nb"',
  'a\n    b',
  '|\n    a\n    b\n',
  '>\n    a\n    b\n\n      c\n',
  '|-\n    a\n',
  '>+\n    a\n\n',
  '|2\n      a\n',
  '|\n  \ta\n',
  '|\n    a\n  # c\n',
  '[a, b: c, {d: e}]',
  '{a, b: , "c":d, ? e}',
  '[a,\n b]',
  '[\na\n]',
  '{a: b,\n}',
  '[a,:b]',
  '[?a]',
  '[? a]',
  '[a:,b]',
  '{#c\n}',
  '{a:{b: c}}',
  '[]# c',
  '[,]',
  '[a,]',
  '&x-_1 a',
  '&é a',
  '&a.b c',
  '&a !!str b',
  '!!str &a b',
  '',
];

/** Values that a field may have. */
const plausible =
  '0|1|2|5|15|101|1801|3601|2147483647|2147483648|-1|0.5|500m|1Ki|"500m"|-5m|Pods|Percent|Max|Disabled|cpu|Resource|External|Object|ContainerResource|Value|AverageValue|Utilization|Watermark|a/b|v1|apps/v1|UTC|Europe/Berlin|5h|90s|0s|true|null|[]|{}|{a: b}|[a]|"0 17 * * 8"|a.b-c|A_b|${X}'.split(
    '|',
  );

const points = [0x00, 0x09, 0x0b, 0x1b, 0x7f, 0x80, 0x85, 0xa0, 0xad, 0x200b, 0x2028, 0xd7ff, 0xe000, 0xfeff];
const wide = [0xfffd, 0xfffe, 0x1_f600, 0x10_ffff];

type Edit = (text: string, random: Random) => string;

/** How many changes a text gets: mostly few, which leave it a policy, or nearly. */
const editCounts = [0, 1, 1, 1, 2, 2, 3, 5];

/** What can happen to a text; those that keep its structure come more than once. */
const edits: readonly Edit[] = [
  insertFragment,
  insertFragment,
  insertPoint,
  remove,
  replaceValue,
  replaceValue,
  replaceValue,
  changeValue,
  changeValue,
  markValue,
  insertLines,
  insertLines,
  moveLines,
  shiftLines,
  joinDocument,
  breakLines,
];

/**
 * Makes texts that are nearly policy files: a valid document, or two, with up to five changes. The same number gives
 * the same text.
 */
export function policyText(number: number): string {
  const random = new Random(number);
  let text = random.pick(bases);
  for (let left = random.pick(editCounts); left > 0; left--) text = random.pick(edits)(text, random);
  return text.length > 8_000 ? text.slice(0, 8_000) : text;
}

/** A text as bytes: mostly UTF-8, sometimes damaged, sometimes UTF-16. */
export function policyBytes(number: number): Uint8Array {
  const text = policyText(number);
  const random = new Random(~number);
  if (random.chance(0.02)) return new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
  const bytes = new TextEncoder().encode(text);
  if (random.chance(0.05) && bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

function insertAt(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

function insertFragment(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  return insertAt(text, random.chance(0.5) ? at : wordEnd(text, at), random.pick(fragments));
}

/** The end of the word at an offset: most marks mean something only there. */
function wordEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\w/.test(text[at] ?? '')) at++;
  return at;
}

function insertPoint(text: string, random: Random): string {
  const point = random.pick(random.chance(0.7) ? points : wide);
  return insertAt(text, random.below(text.length + 1), String.fromCodePoint(point));
}

function remove(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + text.slice(at + 1 + random.below(random.chance(0.7) ? 4 : 40));
}

const valuePattern = /(?<=: |- |, |\[)[^\s,[\]{}&*!|>][^\n,[\]{}]*/g;

function valueOf(text: string, random: Random): { readonly at: number; readonly length: number } | undefined {
  const found = [...text.matchAll(valuePattern)];
  if (found.length === 0) return undefined;
  const match = random.pick(found);
  return { at: match.index, length: match[0].length };
}

function replaceValue(text: string, random: Random): string {
  return withValue(text, random, scalars);
}

function changeValue(text: string, random: Random): string {
  return withValue(text, random, plausible);
}

function withValue(text: string, random: Random, values: readonly string[]): string {
  const value = valueOf(text, random);
  if (value === undefined) return text;
  return text.slice(0, value.at) + random.pick(values) + text.slice(value.at + value.length);
}

function markValue(text: string, random: Random): string {
  const value = valueOf(text, random);
  if (value === undefined) return text;
  return insertAt(
    text,
    value.at,
    random.pick(['&a ', '&t ', '!!str ', '!!int ', '!x ', '! ', '*a ', '|\n', '"']),
  );
}

/** Lines of other documents, at their own indentation or at that of the place. */
function insertLines(text: string, random: Random): string {
  const lines = text.split('\n');
  const from = random.below(baseLines.length);
  const taken = baseLines.slice(from, from + 1 + random.below(4));
  const at = random.below(lines.length + 1);
  const indent = /^[ -]*/.exec(lines[Math.max(0, at - 1)] ?? '')?.[0].replaceAll('-', ' ') ?? '';
  const placed = random.chance(0.5) ? taken : taken.map((line) => indent + line.trimStart());
  return [...lines.slice(0, at), ...placed.map((line) => line.trimEnd()), ...lines.slice(at)].join('\n');
}

/** Takes some lines out, and sets them elsewhere, or twice. */
function moveLines(text: string, random: Random): string {
  const lines = text.split('\n');
  const from = random.below(lines.length);
  const count = 1 + random.below(3);
  const taken = lines.slice(from, from + count);
  if (random.chance(0.5)) lines.splice(from, count);
  lines.splice(random.below(lines.length + 1), 0, ...taken);
  return lines.join('\n');
}

function shiftLines(text: string, random: Random): string {
  const lines = text.split('\n');
  const from = random.below(lines.length);
  const to = from + 1 + random.below(5);
  const shift = random.pick([' ', '  ', '\t', '', '    ']);
  const shifted = lines.map((line, index) => {
    if (index < from || index >= to) return line;
    return shift === '' ? line.replace(/^ {1,2}/, '') : shift + line;
  });
  return shifted.join('\n');
}

function joinDocument(text: string, random: Random): string {
  const between = random.pick([
    '---\n',
    '--- # c\n',
    '...\n---\n',
    '\n---\n',
    '',
    '---\r\n',
    '...\n',
    '--- ',
  ]);
  return text + between + random.pick(bases);
}

function breakLines(text: string, random: Random): string {
  const mark = random.pick([
    '\r\n',
    '\r\n',
    '\n\n',
    '\r',
    '\u0085',
    '\u2028',
    '\n# c\n',
    ' # c\n',
    ' \n',
    '\t\n',
  ]);
  if (random.chance(0.4)) return text.replaceAll('\n', mark);
  const at = text.indexOf('\n', random.below(text.length + 1));
  return at < 0 ? text : text.slice(0, at) + mark + text.slice(at + 1);
}
