import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { policySchemas } from '#policy';
import { readValidationTables } from './support/validation-table.ts';

const byKind = new Map<unknown, ReturnType<Ajv['compile']>>(
  Object.values(policySchemas).map((schema) => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    return [schema['title'], ajv.compile(schema)];
  }),
);

describe('JSON Schemas', () => {
  it.each(Object.entries(policySchemas))('%s is generated as committed', (name, schema) => {
    const file = new URL(`../../schemas/${name}.json`, import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema);
  });

  // An editor must never mark a valid document; that it misses some invalid ones is what the validator is for.
  it.each(readValidationTables().filter(({ file }) => !/v1|v2beta|metadata/.test(file)))(
    'accept every valid document of $file, but for nulls',
    ({ rows }) => {
      const marked = rows
        .filter(
          ({ errorAt, document }) => errorAt === undefined && !JSON.stringify(document).includes('null'),
        )
        .flatMap(({ title, document }) => {
          const validate = byKind.get(document['kind']);
          return validate?.(document) === true ? [] : [`${title}: ${JSON.stringify(validate?.errors?.[0])}`];
        });
      expect(marked).toEqual([]);
    },
  );

  it('mark more than half of the invalid documents', () => {
    const rows = readValidationTables()
      .filter(({ file }) => /hpa-v2.yaml|autoscaling-policy|wpa/.test(file))
      .flatMap((table) => table.rows)
      .filter(({ errorAt }) => errorAt !== undefined);
    const marked = rows.filter(({ document }) => byKind.get(document['kind'])?.(document) !== true);
    expect(marked.length / rows.length).toBeGreaterThan(0.5);
  });
});
