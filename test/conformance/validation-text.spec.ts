import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readPolicyDocument, readPolicyFile } from '#policy';

interface Table {
  readonly head: string;
  readonly cases: readonly {
    readonly name: string;
    readonly text: string;
    readonly want?: readonly string[];
  }[];
}

const table = parse(readFileSync(new URL('./validation/text.yaml', import.meta.url), 'utf8')) as Table;

describe('how the text of a policy document is read', () => {
  it.each(table.cases)('$name', ({ text, want = [] }) => {
    expect(errorsOf(table.head + text)).toEqual(want);
  });

  it('reads a byte order mark', () => {
    expect(errorsOf(`\ufeff${table.head}  maxReplicas: 5\n`)).toEqual([]);
  });

  it('refuses what is no UTF-8, at its place', () => {
    const bytes = new TextEncoder().encode(`${table.head}  maxReplicas: 5 # x`);
    bytes[bytes.length - 1] = 0xff;
    const { diagnostics } = readPolicyFile({ file: 'f.yaml', bytes });
    expect(diagnostics).toMatchObject([{ code: 'NotUtf8', severity: 'error', line: 6, column: 20 }]);
  });

  it.each(['utf16le', 'utf16be', 'utf16le without mark', 'utf16be without mark', 'utf32le', 'utf32be'])(
    'refuses what is %s, and does not take it for the file of another',
    (encoding) => {
      const bytes = encoded(`${table.head}  maxReplicas: 5\n`, encoding);
      const { diagnostics } = readPolicyFile({ file: 'f.yaml', bytes });
      expect(diagnostics).toMatchObject([{ code: 'NotUtf8', severity: 'error', line: 1, column: 1 }]);
      expect(diagnostics[0]?.message).toContain(encoding.includes('32') ? 'UTF-32' : 'UTF-16');
    },
  );

  it('says nothing of a UTF-16 file of others', () => {
    const bytes = encoded('kind: ConfigMap\n', 'utf16le');
    expect(readPolicyFile({ file: 'f.yaml', bytes })).toMatchObject({ documents: [], diagnostics: [] });
    const forced = readPolicyFile({ file: 'f.yaml', bytes, isInForce: true });
    expect(forced.diagnostics).toMatchObject([{ code: 'NotUtf8', severity: 'error' }]);
  });

  it('reads no file above the limit', () => {
    const bytes = new TextEncoder().encode(`${table.head}#${'x'.repeat(100)}`);
    const limits = { fileBytes: 100, documents: 10, aliasExpansions: 10 };
    const { documents, diagnostics } = readPolicyFile({ file: 'f.yaml', bytes, limits });
    expect(documents).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: 'TooLarge', severity: 'error' }]);
  });

  it('stops at the limit of documents, the items of a List included', () => {
    const limits = { fileBytes: 10_000, documents: 2, aliasExpansions: 10 };
    const item = '- {apiVersion: v1, kind: A}\n';
    const text = `apiVersion: v1\nkind: List\nitems:\n${item.repeat(3)}# HorizontalPodAutoscaler\n`;
    const { diagnostics } = readPolicyFile({ file: 'f.yaml', bytes: new TextEncoder().encode(text), limits });
    expect(diagnostics).toMatchObject([{ code: 'TooManyDocuments', line: 6 }]);
  });

  const policy =
    '{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a, namespace: b}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}, maxReplicas: 3}}';

  const json = policy.replaceAll(/\w[\w./]*/g, '"$&"').replaceAll(' ', '');

  it.each([
    {
      name: 'an apiVersion that is another, behind a tag that means nothing',
      text: 'apiVersion: !x y\nkind: PolicyGuardrail\nmetadata: {name: g}\n',
      want: ['1:1 UnknownVersion'],
    },
    {
      name: 'a List whose own apiVersion is no number',
      text: `apiVersion: !!int v1\nkind: List\nitems:\n- ${policy}\n`,
      want: ['1:1 InvalidScalar'],
    },
    {
      name: 'a List whose kind two readers take for two things',
      text: `apiVersion: v1\nkind: !!bool List\nitems:\n- ${policy}\n`,
      want: ['2:1 InvalidScalar'],
    },
    {
      name: 'a policy behind a character that looks like a blank',
      text: `  \u00a0${json}\n`,
      want: ['1:1 Syntax'],
    },
    { name: 'a policy in quotes', text: `'${json}'\n`, want: ['1:1 Syntax'] },
    { name: 'a policy behind a text', text: `first\nsecond\n\n${json}\n`, want: ['1:1 Syntax'] },
  ])('drops nothing in silence: $name', ({ text, want }) => {
    expect(errorsOf(text)).toEqual(want);
  });

  it('says nothing of a text that only names a kind', () => {
    expect(errorsOf('HorizontalPodAutoscaler is what this chart makes\n')).toEqual([]);
  });

  it('refuses a bomb of aliases at once', () => {
    const lines = ['a0: &a0 [x, x]'];
    for (let level = 1; level < 30; level++)
      lines.push(`a${level}: &a${level} [${`*a${level - 1}, `.repeat(10)}]`);
    const text = `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n${lines.join('\n')}\n`;
    expect(errorsOf(text).filter((each) => each.includes('TooManyAliases'))).toHaveLength(1);
  });

  it.each([
    {
      name: 'few aliases of something large',
      text: `a: &a [${'x, '.repeat(2000)}]\nb: [${'*a, '.repeat(99)}]`,
    },
    {
      name: 'many maps that merge something large in',
      text: `a: &a {${Array.from({ length: 1000 }, (_, key) => `k${key}: x`).join(', ')}}\nb: [${'{<<: *a}, '.repeat(200)}]`,
    },
  ])('refuses another bomb at once: $name', ({ text }) => {
    const head = 'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n';
    expect(errorsOf(`${head}${text}\n`)).toEqual([expect.stringMatching(/^4:\d+ TooManyAliases$/)]);
  });

  it('finds what a document is in a diamond of merges at once', () => {
    const lines = Array.from({ length: 60 }, (_, level) => {
      const below = Array.from({ length: 9 }, () => `*x${level - 1}`).join(', ');
      return level === 0 ? 'x0: &x0 {a: x}' : `x${level}: &x${level} {<<: [${below}]}`;
    });
    const text = `${lines.join('\n')}\n<<: *x59\nkind: HorizontalPodAutoscaler\n`;
    expect(errorsOf(text)).toContain('1:1 Required');
  });

  it.each([
    {
      name: 'what is unknown beside an ambiguous scalar, and nothing about its type',
      spec: ['maxReplicas: 010', 'minReplica: 1'],
      want: ['6:16 AmbiguousScalar', '7:3 UnknownField'],
    },
    {
      name: 'what is wrong beside a key that stands twice',
      spec: ['maxReplicas: 5', 'maxReplicas: 0'],
      want: ['7:3 DuplicateKey', '7:3 OutOfRange'],
    },
    {
      name: 'what is wrong inside and outside a map that holds an ambiguous key',
      spec: ['maxReplicas: 0', 'behavior: {on: 1, scaleUp: 5}'],
      want: ['6:3 OutOfRange', '7:14 AmbiguousScalar', '7:21 InvalidType'],
    },
    {
      name: 'what is required beside an ambiguous key',
      spec: ['on: 5'],
      want: ['4:1 Required', '6:3 AmbiguousScalar'],
    },
    {
      name: 'nothing that is required beside a collection as a key',
      spec: ['? [a]', ': 5'],
      want: ['6:5 InvalidKey'],
    },
    {
      name: 'a misspelt field with something ambiguous inside',
      spec: ['maxReplicas: 5', 'behaviour: {scaleUp: {selectPolicy: yes}}'],
      want: ['7:3 UnknownField', '7:39 AmbiguousScalar'],
    },
    {
      name: 'an unknown field with an ambiguous value',
      spec: ['maxReplicas: 5', 'paused: yes'],
      want: ['7:3 UnknownField', '7:11 AmbiguousScalar'],
    },
    {
      name: 'a wrong type around something ambiguous',
      spec: ['maxReplicas: [yes]'],
      want: ['6:3 InvalidType', '6:17 AmbiguousScalar'],
    },
    {
      name: 'two values that exclude each other, whatever they are',
      spec: [
        'maxReplicas: 5',
        'metrics: [{type: External, external: {metric: {name: q}, target: {type: Value, value: 010, averageValue: 1}}}]',
      ],
      want: ['7:82 Forbidden', '7:89 AmbiguousScalar'],
    },
    {
      name: 'nothing that may follow from an ambiguous value',
      spec: [
        'maxReplicas: 5',
        'minReplicas: 0',
        'metrics: [{type: on, external: {metric: {name: q}, target: {type: Value, value: 1}}}]',
      ],
      want: ['8:20 AmbiguousScalar'],
    },
    {
      name: 'nothing more where an alias stands for nothing',
      spec: ['maxReplicas: *none', 'minReplica: 1'],
      want: ['6:16 Syntax'],
    },
  ])('reports all errors of a document at once: $name', ({ spec, want }) => {
    const target = 'scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}';
    const head = `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: shop}\nspec:\n`;
    expect(errorsOf(`${head}${[target, ...spec].map((line) => `  ${line}\n`).join('')}`)).toEqual(want);
  });

  it('takes a List as its items, each at its line', () => {
    const text = `apiVersion: v1\nkind: List\nitems:\n- apiVersion: autoscaling/v2\n  kind: HorizontalPodAutoscaler\n  spec: {}\n`;
    expect(errorsOf(text)[0]).toBe('4:3 Required');
  });

  it.each(['kind: ConfigMap', 'apiVersion: v2', 'items: []'])(
    'refuses a List with %s a second time',
    (line) => {
      const item = '- {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}';
      const text = `apiVersion: v1\nkind: List\nitems:\n${item}\n${line}\n`;
      expect(errorsOf(text)).toContain('1:1 DuplicateKey');
    },
  );

  it.each([
    {
      name: 'of a document',
      text: `kind: HorizontalPodAutoscaler\napiVersion: autoscaling/v2\n# a\nkind: HorizontalPodAutoscaler\n`,
      want: 'the key "kind" stands on line 1 and again on line 4',
    },
    {
      name: 'of a map on one line',
      text: `kind: HorizontalPodAutoscaler\napiVersion: autoscaling/v2\nspec: {maxReplicas: 1, maxReplicas: 2}\n`,
      want: 'the key "maxReplicas" stands twice on line 3',
    },
    {
      name: 'of a List',
      text: `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}\nkind: List\n`,
      want: 'the key "kind" stands on line 2 and again on line 5',
    },
  ])('names a key that stands twice, and both of its lines: $name', ({ text, want }) => {
    const { documents, diagnostics } = readPolicyFile({
      file: 'f.yaml',
      bytes: new TextEncoder().encode(text),
    });
    const all = [...diagnostics, ...documents.flatMap((document) => document.diagnostics)];
    expect(all.filter(({ code }) => code === 'DuplicateKey').map(({ message }) => message)).toEqual([want]);
  });

  it.each([
    { name: 'a map', items: ' {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}' },
    { name: 'a text', items: ' HorizontalPodAutoscaler' },
  ])('refuses a List whose items are $name, and does not pass over them', ({ items }) => {
    expect(errorsOf(`apiVersion: v1\nkind: List\nitems:${items}\n`)).toEqual(['3:1 InvalidType']);
  });

  it('reads Lists in Lists, and refuses those that nest too deep', () => {
    const nested = (depth: number): string => {
      const list = (inner: unknown): unknown => ({ apiVersion: 'v1', kind: 'List', items: [inner] });
      let value: unknown = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };
      for (let count = 0; count < depth; count++) value = list(value);
      return JSON.stringify(value);
    };
    expect(errorsOf(nested(5))).toEqual([
      expect.stringContaining('Required'),
      expect.stringContaining('Required'),
    ]);
    expect(errorsOf(nested(6))).toEqual([expect.stringContaining('Syntax')]);
  });

  it.each(['', ' null', ' []'])('takes a List without items: %j', (items) => {
    expect(errorsOf(`apiVersion: v1\nkind: List\nitems:${items}\n# HorizontalPodAutoscaler\n`)).toEqual([]);
  });

  it('does not parse a file that names nothing of ours', () => {
    const bytes = new TextEncoder().encode('a: [');
    expect(readPolicyFile({ file: 'f.yaml', bytes })).toMatchObject({ documents: [], diagnostics: [] });
  });

  it('warns of a file that cannot be read and names none of our kinds', () => {
    const bytes = new TextEncoder().encode('a: [ # Kustomization');
    const { diagnostics } = readPolicyFile({ file: 'f.yaml', bytes });
    expect(diagnostics.map(({ severity }) => severity)).toContain('warning');
    expect(diagnostics.map(({ severity }) => severity)).not.toContain('error');
  });
});

/** A text in UTF-16 or UTF-32, with a byte order mark unless its name says without. */
function encoded(text: string, encoding: string): Uint8Array {
  const marked = encoding.includes('without') ? text : `\ufeff${text}`;
  const size = encoding.includes('32') ? 4 : 2;
  const bytes = new Uint8Array(marked.length * size);
  const view = new DataView(bytes.buffer);
  for (const [index, char] of Array.from(marked).entries()) {
    const code = char.charCodeAt(0);
    if (size === 4) view.setUint32(index * size, code, encoding.includes('le'));
    else view.setUint16(index * size, code, encoding.includes('le'));
  }
  return bytes;
}

function errorsOf(text: string): readonly string[] {
  const file = readPolicyFile({ file: 'f.yaml', bytes: new TextEncoder().encode(text) });
  const found = file.documents.flatMap((document) =>
    document.identity.kind === 'policy' ? readPolicyDocument(document).diagnostics : document.diagnostics,
  );
  return [...file.diagnostics, ...found]
    .filter(({ severity }) => severity === 'error')
    .map(({ line, column, code }) => `${line}:${column} ${code}`);
}
