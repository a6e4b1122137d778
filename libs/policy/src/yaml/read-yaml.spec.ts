import { describe, expect, it } from '@jest/globals';
import { readYaml } from './read-yaml.ts';

const rules = { skip: new Set<string>(), aliasExpansions: 100 };
const encoder = new TextEncoder();

/** What a file says: its documents' values, and its errors as `line:column code`. */
function read(text: string): { readonly values: readonly unknown[]; readonly errors: readonly string[] } {
  const file = readYaml({ file: 'f.yaml', bytes: encoder.encode(text) });
  const documents = file.documents.map((document) => ({ document, read: document.read(rules) }));
  const findings = documents.flatMap(({ document, read: { findings: found } }) =>
    found
      .filter(({ finding }) => (finding.severity ?? 'error') === 'error')
      .map(({ finding, node }) => ({ ...document.positionOf(node), code: finding.code })),
  );
  return {
    values: documents.map(({ read: { value } }) => value),
    errors: [...file.diagnostics, ...findings].map(({ line, column, code }) => `${line}:${column} ${code}`),
  };
}

/** One document, with the name of a kind that makes it ours. */
function ours(text: string): string {
  return `# HorizontalPodAutoscaler\n${text}`;
}

describe('what kubectl and YAML 1.2 read alike', () => {
  it.each<{ readonly text: string; readonly want: unknown }>([
    ...['', '~', 'null', 'Null', 'NULL', '!!null ""'].map((text) => ({ text, want: null })),
    ...['true', 'True', 'TRUE', '!!bool "true"'].map((text) => ({ text, want: true })),
    ...['false', 'False', 'FALSE'].map((text) => ({ text, want: false })),
    ...['6', '6.0', '+6', '0x6', '0o6', '6e0', '!!int "6"'].map((text) => ({ text, want: 6 })),
    { text: '1e3', want: 1000 },
    { text: '.5', want: 0.5 },
    { text: '-0', want: 0 },
    { text: '9007199254740993', want: 9_007_199_254_740_993n },
    { text: '18446744073709551615', want: 18_446_744_073_709_551_615n },
    { text: '18446744073709551616', want: 2 ** 64 },
    ...['2026-11-20', '12:30', '1:2:3', '1.5.5', 'nULL', 'tRUE', '.', '0x', '1e', '1_x'].map((text) => ({
      text,
      want: text,
    })),
    { text: '!!str 5', want: '5' },
    { text: '!!str yes', want: 'yes' },
    { text: '! 5', want: '5' },
    { text: '"yes"', want: 'yes' },
    { text: "'010'", want: '010' },
    { text: '"\\x41\\u00e9\\U0001F600\\t\\N"', want: 'Aé😀\t\u0085' },
    { text: '"a\n  b\n\n  c"', want: 'a b\nc' },
    { text: '"a \\\n  b"', want: 'a b' },
    { text: '|\n  a\n   b\n\n  c\n', want: 'a\n b\n\nc\n' },
    { text: '>-\n  a\n  b\n\n  c\n', want: 'a b\nc' },
    { text: '!!omap [b: c]', want: [{ b: 'c' }] },
    { text: '{1: a, true: b, 0x1F: c, 1.5: d}', want: { '1': 'a', true: 'b', '31': 'c', '1.5': 'd' } },
    { text: '{"a":b, c :d}', want: { a: 'b', 'c :d': null } },
    { text: '[\n]', want: [] },
    { text: 'b\t# c', want: 'b' },
    { text: '[\n \tb,\n  c]', want: ['b', 'c'] },
    { text: 'http://a?b', want: 'http://a?b' },
  ])('$text', ({ text, want }) => {
    expect(read(ours(`x: ${text}`))).toEqual({ values: [{ x: want }], errors: [] });
  });

  it.each<{ readonly name: string; readonly text: string; readonly want: readonly unknown[] }>([
    { name: 'nothing but comments', text: '# HorizontalPodAutoscaler\n#\n', want: [] },
    {
      name: 'documents, one of them empty',
      text: '---\na: 1\n---\n---\nb: 2\n',
      want: [{ a: 1 }, null, { b: 2 }],
    },
    { name: 'a comment behind ---', text: ours('--- # c\na: 1\n'), want: [{ a: 1 }] },
    { name: 'an end, and a new beginning', text: ours('a: 1\n...\n---\nb: 2\n'), want: [{ a: 1 }, { b: 2 }] },
    {
      name: 'Windows line ends',
      text: ours('a: |\r\n  b\r\n  c\r\nd: "e\r\n  f"\r\n').replace('\n', '\r\n'),
      want: [{ a: 'b\nc\n', d: 'e f' }],
    },
    {
      name: 'JSON',
      text: '{\n\t"kind": "HorizontalPodAutoscaler", "a": "\\/\\ud83d\\ude00\u2028"\n}',
      want: [{ kind: 'HorizontalPodAutoscaler', a: '/😀\u2028' }],
    },
    { name: 'an explicit key', text: ours('? a\n: 1\n? b\n'), want: [{ a: 1, b: null }] },
    { name: 'a tab behind a value', text: ours('a: b\t\nc:\td\n'), want: [{ a: 'b', c: 'd' }] },
    {
      name: 'text that is not ours, with anything',
      text: 'kind: ConfigMap\na: "\u2028\\/"\nb: &é 1\n',
      want: [{ kind: 'ConfigMap', a: '\u2028/', b: 1 }],
    },
  ])('$name', ({ text, want }) => {
    expect(read(text)).toEqual({ values: want, errors: [] });
  });
});

describe('where kubectl and YAML 1.2 differ, or kubectl refuses', () => {
  it.each<{ readonly text: string; readonly want: string }>([
    ...['y', 'Y', 'n', 'N', 'yes', 'Yes', 'YES', 'no', 'No', 'NO', 'on', 'On', 'ON', 'off', 'Off', 'OFF'].map(
      (text) => ({ text, want: '2:4 AmbiguousScalar' }),
    ),
    ...['1_000', '.1_0', '010', '-010', '08', '0b11', '-0x1F', '+0x1F', '0X1F', '0O17', '1e400', '1e100'].map(
      (text) => ({ text, want: '2:4 AmbiguousScalar' }),
    ),
    { text: '9'.repeat(310), want: '2:4 AmbiguousScalar' },
    ...['.inf', '-.Inf', '+.INF', '.nan', '.NaN'].map((text) => ({ text, want: '2:4 InvalidScalar' })),
    ...['!!int 5.0', '!!int yes', '!!bool x', '!!float x', '!!null x', '!!binary aGk=', '!!timestamp x'].map(
      (text) => ({
        text,
        want: `2:${5 + text.indexOf(' ')} ${text.includes('yes') ? 'AmbiguousScalar' : 'InvalidScalar'}`,
      }),
    ),
    { text: '!!int 18446744073709551616', want: '2:10 InvalidScalar' },
    { text: '!!float 18446744073709551615', want: '2:12 InvalidScalar' },
    { text: '{~: a}', want: '2:5 InvalidKey' },
    { text: '{[a]: b}', want: '2:5 InvalidKey' },
    { text: '{yes: a}', want: '2:5 AmbiguousScalar' },
    { text: '{1e20: a}', want: '2:5 AmbiguousScalar' },
    { text: '{9223372036854775808: a}', want: '2:5 AmbiguousScalar' },
    { text: '{a: 1, a: 2}', want: '2:11 DuplicateKey' },
    { text: '{1: 1, "1": 2}', want: '2:11 DuplicateKey' },
    { text: '{a: 1, <<: {a: 2}}', want: '2:11 MergeConflict' },
    { text: '{!!str <<: {a: 2}}', want: '2:11 InvalidKey' },
    { text: '"\\/"', want: '2:5 Syntax' },
    { text: '"\\ud83d\\ude00"', want: '2:5 Syntax' },
    { text: '"a \\\n\n  b"', want: '2:7 Syntax' },
    { text: '&é a', want: '2:4 Syntax' },
    { text: '[a:,b]', want: '2:7 Syntax' },
    { text: '[a,:b]', want: '2:7 Syntax' },
    { text: '[?a]', want: '2:5 Syntax' },
    { text: '{a: b?c}', want: '2:8 Syntax' },
    { text: '{a, !!str}', want: '2:13 Syntax' },
    { text: '{a\n b: c}', want: '3:3 Syntax' },
    { text: '|\n  \ta\n', want: '3:1 Syntax' },
    { text: 'a\nb:\n\t- c', want: '4:1 Syntax' },
    { text: '[a]\n\t\nb: c', want: '3:1 Syntax' },
    { text: 'a\rb: c', want: '2:5 Syntax' },
    { text: 'a\u0085b: c', want: '2:5 Syntax' },
    { text: 'a # c\u2028b: c', want: '2:9 Syntax' },
    { text: '"a\u2029b"', want: '2:6 Syntax' },
    { text: 'a\ufeff', want: '2:5 Syntax' },
    { text: 'a\n---  {b: c}', want: '3:1 Syntax' },
    { text: 'a\n---b: c', want: '3:1 Syntax' },
  ])('$text', ({ text, want }) => {
    const { errors } = read(ours(`x: ${text} # HorizontalPodAutoscaler`));
    expect(errors).toContain(want);
  });

  it.each<{ readonly name: string; readonly text: string; readonly want: readonly string[] }>([
    { name: 'a directive', text: '%YAML 1.1\n---\nkind: HorizontalPodAutoscaler\n', want: ['1:1 Syntax'] },
    {
      name: 'a fault behind a byte order mark, which no editor counts as a column',
      text: '\ufeff{"kind": "HorizontalPodAutoscaler", "a": "\\ud83d"}',
      want: ['1:43 Syntax'],
    },
    {
      name: 'a space before JSON that only kubectl skips',
      text: '\u00a0{"kind": "HorizontalPodAutoscaler"}',
      want: ['1:1 Syntax', '1:36 Syntax'],
    },
    {
      name: 'half a character in JSON',
      text: '{"kind": "HorizontalPodAutoscaler", "a": "\\ud83d"}',
      want: ['1:43 Syntax'],
    },
    {
      name: 'a carriage return between JSON tokens',
      text: '{"kind": "HorizontalPodAutoscaler",\r"a": 1}',
      want: ['1:36 Syntax'],
    },
    {
      name: 'a tab at the end of a file',
      text: 'kind: HorizontalPodAutoscaler\nb: {}\n\t',
      want: ['3:1 Syntax'],
    },
    {
      name: 'text behind the end',
      text: 'kind: HorizontalPodAutoscaler\n...\nb: c\n',
      want: ['3:1 TextAfterDocumentEnd'],
    },
    {
      name: 'only the document that is ours',
      text: 'a: b\u2028\n---\nkind: HorizontalPodAutoscaler\na: b\u2028\n---\na: b\u2028\n',
      want: ['4:5 Syntax'],
    },
  ])('$name', ({ text, want }) => {
    expect(read(text).errors).toEqual(want);
  });

  it('says why, and what to do', () => {
    const bytes = encoder.encode('kind: HorizontalPodAutoscaler\ra: b');
    expect(readYaml({ file: 'f.yaml', bytes }).diagnostics[0]).toMatchObject({
      message: 'a carriage return without a line feed is a line break to kubectl, and text here',
      hint: 'end lines with a line feed',
    });
  });
});

describe('syntax errors', () => {
  const found = (text: string): readonly string[] =>
    readYaml({ file: 'f.yaml', bytes: encoder.encode(text) }).diagnostics.map(
      ({ line, hint = '-' }) => `${line}: ${hint}`,
    );

  it('are one per document, the first', () => {
    expect(found('a: 1\n%x y\nb: 2\n%z\n')).toEqual([
      '2: write it as key: value, with a space after the colon',
    ]);
    expect(found('a: ]\nb: ]\n---\nc: 1\n---\nd: ]\n')).toEqual([
      '1: take it out, or put the whole value in quotes',
      '6: take it out, or put the whole value in quotes',
    ]);
  });

  it.each([
    { name: 'tokens', text: `a:\n${'b: ]\n'.repeat(2000)}` },
    { name: 'escapes', text: `a: "${'\\z'.repeat(2000)}"\n` },
  ])('end the file where they are too many: $name', ({ text }) => {
    const { diagnostics } = readYaml({ file: 'f.yaml', bytes: encoder.encode(text) });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'the file cannot be read: it has more than 1000 syntax errors',
    ]);
  });

  it('say what to do with a template', () => {
    const hint =
      'this looks like a template: commit the rendered manifest, or leave it out (exclude, --exclude, .plimsollignore)';
    expect(found('a: 1\n{% if x %}\nb: 2\n')).toEqual([`2: ${hint}`]);
    expect(found('a: {{ x }} b\n')).toEqual([`1: ${hint}`]);
  });
});
