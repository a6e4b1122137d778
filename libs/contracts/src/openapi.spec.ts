import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { buildOpenApi } from './openapi.ts';

const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8');

it('is the document that is committed', () => {
  expect(buildOpenApi()).toEqual(JSON.parse(text));
});

it('is without a fault to a linter', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
  expect(
    problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
  ).toEqual([]);
});
