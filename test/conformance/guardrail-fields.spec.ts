import { describe, expect, it } from '@jest/globals';
import { isJsonObject, type Json } from '#kernel';
import { readPolicy, readPolicyGuardrail, toNativeDocument } from '#policy';
import { readValidationTables } from './support/validation-table.ts';

/** Every field of a value, as an expression asks for it. */
function asked(value: Json | undefined, text: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each: Json, index) => asked(each, `${text}[${index}]`));
  if (!isJsonObject(value)) return [text];
  return Object.entries(value).flatMap(([key, each]) => asked(each, `${text}[${JSON.stringify(key)}]`));
}

describe('guardrails', () => {
  it('know every field that a policy in the native form has', () => {
    const documents = readValidationTables().flatMap(({ rows }) => rows.map(({ document }) => document));
    const policies = documents
      .map((document) => readPolicy(document).policy)
      .filter((each) => each !== undefined);
    const fields = new Set(policies.flatMap((policy) => asked(toNativeDocument(policy), 'object')));
    const strange = [...fields].flatMap((field) => {
      const rule = { name: 'r', message: 'm', expression: `${field} == 1` };
      return readPolicyGuardrail({
        apiVersion: 'plimsoll.dev/v1alpha1',
        kind: 'PolicyGuardrail',
        metadata: { name: 'g' },
        spec: { rules: [rule] },
      }).problems.filter(({ code }) => code === 'Guardrail');
    });
    expect(fields.size).toBeGreaterThan(100);
    expect(strange).toEqual([]);
  });
});
