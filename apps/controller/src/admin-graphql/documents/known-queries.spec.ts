import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { KnownQueries } from './known-queries.ts';

it.each([
  {
    name: 'is not there',
    file: join(import.meta.dirname, 'none.json'),
    want: 'cannot be read: no such file',
  },
  { name: 'is no JSON', file: import.meta.filename, want: 'cannot be read: ' },
])('names the setting and the file where the list $name', ({ file, want }) => {
  expect(() => new KnownQueries({ queries: 'Known', knownQueriesFile: file })).toThrow(
    expect.objectContaining({
      code: 'KnownQueriesUnusable',
      message: expect.stringContaining(`graphql.knownQueriesFile ${file} ${want}`),
    }),
  );
});
