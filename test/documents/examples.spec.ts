import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { configurationErrorText, configurationSchema, readSharedConfiguration } from '#configuration';
import { readPolicyDocument, readPolicyFile } from '#policy';

const root = join(import.meta.dirname, '..', '..');

/** The YAML in documents; `file:line` of its first line. */
const examples = globSync(['README.md', 'deploy/README.md', 'docs/**/*.md'], { cwd: root })
  .toSorted()
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(({ 1: yaml = '', index }) => ({
      place: `${file}:${text.slice(0, index).split('\n').length + 1}`,
      yaml,
    }));
  });

const settings = new Set(Object.keys(configurationSchema.shape));

function isOfConfiguration({ yaml }: { readonly yaml: string }): boolean {
  const [first, ...others] = parseAllDocuments(yaml).map((document) => document.toJS() as object);
  return first !== undefined && others.length === 0 && Object.keys(first).every((name) => settings.has(name));
}

const policies = examples.flatMap(({ place, yaml }) =>
  readPolicyFile({ file: place, bytes: new TextEncoder().encode(yaml) })
    .documents.filter(({ identity }) => identity.kind !== 'support')
    .map((document) => ({ place, document })),
);
const configurations = examples.filter(isOfConfiguration);

/** What every configuration has, in the place of what an example leaves out. */
const rest = {
  cluster: { name: 'prod' },
  mode: 'Observe',
  namespaces: ['*'],
  sources: [{ name: 'policies', url: 'https://git.example.com/policies.git' }],
};

it('finds the examples', () => {
  expect(policies.length).toBeGreaterThan(4);
  expect(configurations.length).toBeGreaterThan(6);
});

it.each(policies)('$place is a policy without a fault', ({ document }) => {
  expect(readPolicyDocument(document).diagnostics).toEqual([]);
});

it.each(configurations)('$place is of a configuration', ({ yaml }) => {
  const text = stringify({ ...rest, ...(parse(yaml) as object) });
  const read = readSharedConfiguration({ file: { name: 'plimsoll.yaml', text }, environment: {} });
  expect(read.ok ? [] : read.error.map(configurationErrorText)).toEqual([]);
});
