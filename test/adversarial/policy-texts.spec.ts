import { describe, expect, it } from '@jest/globals';
import { type Diagnostic, readPolicyDocument, readPolicyFile } from '#policy';

const size = 512 * 1024;

const repeated = (text: string): string => text.repeat(size / text.length);

function numbered(line: (index: number) => string): string {
  let text = '';
  for (let index = 0; text.length < size; index += 1) text += line(index);
  return text;
}

const kind = 'apiVersion: plimsoll.dev/v1alpha1\nkind: AutoscalingPolicy\n';
const head = `${kind}metadata: { name: a, namespace: b }\n`;

/** Each took a time that grew with the square of its size, or memory without end: minutes, of 512 KiB. */
const texts = [
  {
    name: 'blanks that JSON does not have, before no brace',
    text: `${repeated('\u00a0')}${' '.repeat(size)}\n# AutoscalingPolicy\n`,
    want: [],
  },
  {
    name: 'a name of placeholders that never end',
    text: `${kind}metadata: { name: "${repeated('${')}", namespace: b }\nspec: {}\n`,
    want: ['error InvalidValue', 'error Required', 'error Required'],
  },
  {
    name: 'fields that are unknown and ambiguous',
    text: `${head}spec:\n${numbered((index) => `  k${index}: yes\n`)}`,
    want: ['error TooMany'],
  },
  {
    name: 'items with a field that is unknown and ambiguous',
    text: `${head}spec:\n  metrics:\n${repeated('  - {x: yes}\n')}`,
    want: ['error TooMany'],
  },
  {
    name: 'an apiVersion and a kind that stand there thousands of times',
    text: `# AutoscalingPolicy\n${numbered((index) => `apiVersion: v${index}\nkind: K${index}\n`)}`,
    want: [],
  },
  {
    name: 'escapes that do not exist',
    text: `${head}spec: "${repeated('\\z')}"\n`,
    want: ['error Syntax'],
  },
  {
    name: 'text on lines that cannot go on',
    text: `${head}spec:\n  a: '${repeated('x\n')}'\n`,
    want: ['error Syntax'],
  },
] as const;

describe('a hostile text of a policy', () => {
  it.each(texts)('is read in time proportional to its size: $name', ({ text, want }) => {
    const { documents, diagnostics } = readPolicyFile({
      file: 'a.yaml',
      bytes: new TextEncoder().encode(text),
    });
    const found = [...diagnostics, ...documents.flatMap((each) => readPolicyDocument(each).diagnostics)];
    expect(codes(found)).toEqual(expect.arrayContaining([...want]));
    expect(found.length).toBeLessThanOrEqual(2002);
  });
});

function codes(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(({ severity, code }) => `${severity} ${code}`);
}
