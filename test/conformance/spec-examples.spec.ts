import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import {
  type PolicyFileDocument,
  policySchemas,
  readPolicyDefaults,
  readPolicyDocument,
  readPolicyFile,
  readPolicyGuardrail,
  readPolicyTest,
} from '#policy';

const folder = new URL('../../docs/spec/', import.meta.url);
const kindFiles = new Set(Object.keys(policySchemas).map((name) => `${name}.md`));
const examples = readdirSync(folder)
  .filter((file) => kindFiles.has(file))
  .map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    return { file, text: /```yaml\n(.*?)```/s.exec(text)?.[1] ?? '' };
  });

const supportReaders = {
  PolicyDefaults: readPolicyDefaults,
  PolicyGuardrail: readPolicyGuardrail,
  PolicyTest: readPolicyTest,
};

describe('documents of the kinds', () => {
  it('are one a kind', () => {
    expect(examples.map(({ file }) => file).sort()).toEqual([...kindFiles].sort());
  });

  it.each(examples)('$file has an example without a fault, as its schema says', ({ file, text }) => {
    const { documents, diagnostics } = readPolicyFile({ file, bytes: new TextEncoder().encode(text) });
    expect(diagnostics).toEqual([]);
    expect(documents).toHaveLength(1);
    const [document] = documents;
    expect(document === undefined ? ['none'] : problemsOf(document)).toEqual([]);
    const schema = policySchemas[file.replace(/\.md$/, '')] ?? {};
    const validate = new Ajv({ strict: false }).compile(schema);
    validate(document?.value);
    expect(validate.errors).toBeNull();
  });
});

function problemsOf(document: PolicyFileDocument): readonly unknown[] {
  if (document.identity.kind === 'policy') return readPolicyDocument(document).diagnostics;
  return document.identity.kind === 'support'
    ? supportReaders[document.identity.supportKind](document.value).problems
    : [document.identity];
}
