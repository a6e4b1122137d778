import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type Operation, operations } from '#contracts';
import { describeArgument } from './describe-argument.ts';

/** What each field of an operation may be given that is none of its values. */
const badValues: readonly unknown[] = [
  '\u0000 !',
  '',
  'x'.repeat(5_000),
  12.5,
  -1,
  null,
  {},
  [],
  [[]],
  undefined,
];

function sentencesOf(schema: z.ZodType, given: unknown): readonly string[] {
  const parsed = schema.safeParse(given);
  return parsed.success
    ? []
    : parsed.error.issues.map((issue) => describeArgument(issue, given, { where: 'the body' }));
}

const all = Object.values<Operation>(operations).map(({ id, ...operation }) => ({ id, operation }));

describe('a sentence about an argument', () => {
  it.each(all)(
    'of $id names the argument and what it wants, in no words of the schema library',
    ({ operation }) => {
      const { parameters, query, body } = operation;
      const shapes = [parameters, query, ...(body instanceof z.ZodObject ? [body] : [])];
      const sentences = shapes.flatMap((shape) => [
        ...sentencesOf(shape, null),
        ...sentencesOf(shape, { another: 1 }),
        ...Object.keys(shape.shape).flatMap((key) =>
          badValues.flatMap((value) => sentencesOf(shape, { [key]: value })),
        ),
      ]);
      expect(sentences.length).toBeGreaterThan(0);
      expect(
        sentences.filter((text) => /Invalid|pattern|expected|received|Too (?:big|small)|\n/.test(text)),
      ).toEqual([]);
      expect(sentences.filter((text) => !/it wants \S|does not take/.test(text))).toEqual([]);
    },
  );

  it.each([
    {
      schema: operations.rollBackSource.body,
      given: { commit: 'deadbeef' },
      want: '"commit" is "deadbeef"; it wants the full hash, 40 or 64 hexadecimal digits',
    },
    {
      schema: operations.revokeToken.parameters,
      given: { id: 'nope' },
      want: '"id" is "nope"; it wants a UUID',
    },
    {
      schema: operations.listPolicies.query,
      given: { state: 'Sad' },
      want: '"state" is "Sad"; it wants one of AtMaximum, Short, ',
    },
    {
      schema: operations.listPolicies.query,
      given: { first: '500' },
      want: '"first" is "500"; it wants at most 100',
    },
    {
      schema: operations.createToken.body,
      given: { name: 'a', grants: [], expires: '', reason: 'x' },
      want: '"grants" is a list of 0; it wants at least 1 item',
    },
    { schema: operations.syncSource.query, given: { force: '1' }, want: 'the body has "force", which' },
    {
      schema: operations.beginIntervention.body,
      given: { kind: 'Nap' },
      want: '"kind" is "Nap"; it wants one of Suspend, Override, DryRun',
    },
  ])('is $want', ({ schema, given, want }) => {
    expect(sentencesOf(schema, given)[0]).toContain(want);
  });

  it.each([
    {
      name: 'all at once, each with what was meant',
      given: { reson: 'x', digst: 'y', other: 1 },
      want: 'the body has "reson" (did you mean reason?) and "digst" (did you mean digest?) and "other", which this operation does not take',
    },
    {
      name: 'with the place where it belongs',
      given: { dryRun: true },
      want: 'the body has "dryRun" (it belongs into the query), which this operation does not take',
    },
  ])('names what is not known, $name', ({ given, want }) => {
    const schema = z.strictObject({ reason: z.string().optional(), digest: z.string().optional() });
    const [issue] = schema.safeParse(given).error?.issues ?? [];
    const place = {
      where: 'the body',
      known: ['reason', 'digest'],
      elsewhere: { where: 'the query', known: ['dryRun', 'confirm'] },
    };
    expect(issue === undefined ? '' : describeArgument(issue, given, place)).toBe(want);
  });
});
