import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { queryErrorStatus } from '../../apps/controller/src/refusals/query-error-status.ts';

const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'rest.md'), 'utf8');

/** What only a GraphQL document can get wrong. */
const ofGraphql = ['BadQuery', 'QueryTooCostly', 'UnknownQuery'];

/** The rows of the table of refusals, by their status. */
const rows = new Map(
  [...text.matchAll(/^\| (\d{3}) \| (.*) \|$/gm)].map(([, status = '', codes = '']) => [
    Number(status),
    [...codes.matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, code = '']) => code),
  ]),
);

it('has every expected failure of the REST API at its status', () => {
  const failures = Object.entries(queryErrorStatus).filter(([code]) => !ofGraphql.includes(code));
  expect(failures.length).toBeGreaterThan(30);
  const missing = failures.filter(([code, status]) => rows.get(status)?.includes(code) !== true);
  expect(missing).toEqual([]);
});
