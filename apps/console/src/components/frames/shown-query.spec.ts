import { expect, it } from '@jest/globals';
import { curlOf, shownQueries } from './shown-query.ts';

it('a request is a command that a shell reads as it was meant, whatever is in it', () => {
  const body = { names: ["it's", '$HOME', '`id`'] };
  expect(curlOf({ path: '/api/v1/ledger/exports', body }, 'http://127.0.0.1:8080')).toBe(
    [
      "curl -sS 'http://127.0.0.1:8080/api/v1/ledger/exports' \\",
      '  -H "authorization: Bearer $PLIMSOLL_TOKEN" \\',
      "  -H 'content-type: application/json' \\",
      `  -d '{"names":["it'\\''s","$HOME","\`id\`"]}'`,
    ].join('\n'),
  );
});

it('a panel has one query, several, or a request', () => {
  const query = { document: { text: 'query A { a }' }, variables: {} };
  expect(shownQueries(query)).toEqual([query]);
  expect(shownQueries([query, query])).toHaveLength(2);
  expect(shownQueries({ path: '/api/v1/exports', body: {} })).toBeUndefined();
});
