import { describe, expect, it } from '@jest/globals';
import { configurationSchema } from './configuration.schema.ts';
import { sourceConfiguration } from './source-configuration.ts';

describe('sourceConfiguration', () => {
  it.each([
    { name: 'all', given: { namespaces: ['*'] }, want: undefined },
    { name: 'all, beside named ones', given: { namespaces: ['shop', '*'] }, want: undefined },
    {
      name: 'named ones, whatever their order',
      given: { namespaces: ['shop', 'billing'] },
      want: { namespaces: ['billing', 'shop'], outside: 'warning' },
    },
    {
      name: 'named ones, strictly',
      given: { namespaces: ['shop'], strictNamespaces: true },
      want: { namespaces: ['shop'], outside: 'error' },
    },
  ])('gives a source the namespaces of the controller: $name', ({ given, want }) => {
    const configuration = configurationSchema.parse({
      cluster: { name: 'prod' },
      mode: 'Observe',
      sources: [{ name: 'policies', url: 'https://git.example.com/policies.git' }],
      ...given,
    });
    const [source] = configuration.sources;
    expect(source && sourceConfiguration(source, configuration).repository.managed).toEqual(want);
  });
});
