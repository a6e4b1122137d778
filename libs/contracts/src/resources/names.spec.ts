import { expect, it } from '@jest/globals';
import { namespaceText, policyNameSchema } from './policy.ts';
import { sourceNameText } from './source.ts';
import { tokenRequestSchema } from './token.ts';

it.each([
  { what: 'the name of a namespace', schema: namespaceText, longest: 63 },
  { what: 'the name of a policy', schema: policyNameSchema.shape.name, longest: 253 },
  { what: 'the name of a source', schema: sourceNameText, longest: 63 },
  { what: 'a name', schema: tokenRequestSchema.shape.name, longest: 63 },
])('$what that is longer than $longest is refused with the bound', ({ what, schema, longest }) => {
  expect(schema.safeParse('a'.repeat(longest)).success).toBe(true);
  expect(schema.safeParse('a'.repeat(longest + 1)).error?.issues).toEqual([
    expect.objectContaining({
      message: expect.stringContaining(`${what}: 1 to ${longest} lower-case letters`),
    }),
  ]);
});
