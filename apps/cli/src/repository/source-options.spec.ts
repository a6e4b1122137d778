import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { configurationErrorText, readConfiguration } from '#configuration';
import { UnusableError } from '../unusable-error.ts';
import { readSourceOptions } from './source-options.ts';

const valid = `cluster: {name: prod}
mode: Observe
namespaces: [shop]
prometheusServers: [{name: main, url: "http://prometheus:9090"}]
recommenderHosts: ["recommender:8080"]
sources:
  - name: policies
    url: https://git.example.com/policies.git
    path: policies
    namespace: shop
    limits: {files: 10}
    tenants: [{name: shop, path: teams/shop, limits: {maxReplicas: 10, minInterval: 1m}}]
`;

describe('readSourceOptions', () => {
  let folder: string;
  let config: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-config-'));
    config = join(folder, 'plimsoll.yaml');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('reads a source as the controller does, the command line winning', () => {
    writeFileSync(config, valid);
    expect(readSourceOptions({ config, exclude: ['old'] }, {})).toEqual({
      repository: {
        path: 'policies',
        include: [],
        exclude: ['old'],
        namespace: 'shop',
        tenants: [{ name: 'shop', path: 'teams/shop', limits: { maxReplicas: 10, minIntervalSeconds: 60 } }],
        limits: { fileBytes: 5_242_880, files: 10, documentsPerFile: 1_000, aliasExpansions: 10_000 },
        managed: { namespaces: ['shop'], outside: 'warning' },
      },
      read: { prometheusServers: new Set(['main']), recommenderHosts: new Set(['recommender:8080']) },
    });
  });

  it.each([
    {
      name: 'a bound in quotes',
      from: 'maxReplicas: 10',
      to: 'maxReplicas: "10"',
      want: '12:68: sources.0.tenants.0.limits.maxReplicas',
    },
    {
      name: 'an unknown key',
      from: 'mode:',
      to: 'recomenders: []\nmode:',
      want: '2:14: recomenders: no such setting',
    },
    {
      name: 'an unknown key of a tenant',
      from: 'path: teams/shop',
      to: 'path: teams/shop, namespce: x',
      want: 'sources.0.tenants.0.namespce: no such setting',
    },
    {
      name: 'an interval that is a number',
      from: 'minInterval: 1m',
      to: 'minInterval: 60',
      want: 'minInterval',
    },
    { name: 'an interval over a day', from: 'minInterval: 1m', to: 'minInterval: 48h', want: 'at most 24h' },
    { name: 'a missing mode', from: 'mode: Observe\n', to: '', want: 'mode: .*is missing' },
    { name: 'no namespaces', from: '[shop]', to: '[]', want: 'namespaces' },
    {
      name: 'a namespace that is none',
      from: 'namespace: shop',
      to: 'namespace: Shop',
      want: 'sources.0.namespace: a DNS label',
    },
    {
      name: 'a URL with a password',
      from: 'https://git',
      to: 'https://a:b@git',
      want: 'it holds a password',
    },
    {
      name: 'servers that are names',
      from: '{name: main, url: "http://prometheus:9090"}',
      to: 'main',
      want: 'prometheusServers.0',
    },
    {
      name: 'a key twice',
      from: 'mode: Observe',
      to: 'mode: Observe\nmode: Act',
      want: '3:1: Map keys must be unique',
    },
    {
      name: 'tenants that overlap',
      from: 'tenants: [',
      to: 'tenants: [{name: all, path: "teams/*"}, ',
      want: 'overlaps with teams/\\* of tenant all',
    },
    {
      name: 'a glob that says nothing',
      from: 'path: policies',
      to: 'exclude: ["a["]',
      want: 'sources.0.exclude.0: has',
    },
    { name: 'a list', from: valid, to: '[]', want: '1:1: a configuration is a mapping' },
  ])('refuses what the controller refuses to start with: $name', ({ from, to, want }) => {
    const text = valid.replace(from, to);
    writeFileSync(config, text);
    const controller = readConfiguration({ file: { name: config, text }, environment: {} });
    const sentences = controller.ok ? [] : controller.error.map(configurationErrorText);
    expect(sentences).toContainEqual(expect.stringMatching(want));
    expect(() => readSourceOptions({ config }, {})).toThrow(new UnusableError(sentences.join('\n')));
  });

  it('lays the environment over the file, as the controller does', () => {
    writeFileSync(config, valid.replace('mode: Observe\n', ''));
    expect(() => readSourceOptions({ config }, {})).toThrow('mode');
    expect(readSourceOptions({ config }, { PLIMSOLL_MODE: 'Act' })).toMatchObject({
      repository: { path: 'policies' },
    });
    expect(() => readSourceOptions({ config }, { PLIMSOLL_MODE: 'Act', PLIMSOLL_NAMESPCES: 'a' })).toThrow(
      'PLIMSOLL_NAMESPCES: no such setting',
    );
  });

  it('judges the options of the command line by the same rules, all at once', () => {
    const tenants = '[{name: a, path: teams/a, limits: {maxReplicas: "10"}, color: red}]';
    const refused = (): unknown => readSourceOptions({ namespace: 'Shop', include: ['{a'], tenants }, {});
    expect(refused).toThrow(/^--include: include\.0: has a \{/m);
    expect(refused).toThrow(/^--namespace: namespace: a DNS label.*\(is "Shop"\)$/m);
    expect(refused).toThrow(/^--tenants:1:49: tenants\.0\.limits\.maxReplicas: /m);
    expect(refused).toThrow(/^--tenants:1:63: tenants\.0\.color: no such setting$/m);
  });
});
