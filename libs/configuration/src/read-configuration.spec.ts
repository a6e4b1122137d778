import { describe, expect, it } from '@jest/globals';
import type { Result } from '#kernel';
import type { Configuration } from './configuration.schema.ts';
import { type ConfigurationErrors, configurationErrorText } from './configuration-errors.ts';
import { readConfiguration, readSharedConfiguration } from './read-configuration.ts';
import { listServiceLinks, listSettings } from './read-environment.ts';

const minimal = `cluster: {name: prod}
mode: Observe
namespaces: [shop]
sources:
  - {name: policies, url: "https://git.example.com/policies.git"}
`;

function load(
  text: string,
  environment: Record<string, string> = {},
): Result<Configuration, ConfigurationErrors> {
  return readConfiguration({ file: { name: 'plimsoll.yaml', text }, environment });
}

function textsOf(result: Result<Configuration, ConfigurationErrors>): readonly string[] {
  return result.ok ? [] : result.error.map(configurationErrorText);
}

/** As the kubelet sets them for the Services `plimsoll` and `plimsoll-listen`. */
const serviceLinks = {
  PLIMSOLL_SERVICE_HOST: '10.0.0.1',
  PLIMSOLL_SERVICE_PORT: '8080',
  PLIMSOLL_SERVICE_PORT_HTTP: '8080',
  PLIMSOLL_PORT: 'tcp://10.0.0.1:8080',
  PLIMSOLL_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
  PLIMSOLL_PORT_8080_TCP_PROTO: 'tcp',
  PLIMSOLL_PORT_8080_TCP_PORT: '8080',
  PLIMSOLL_PORT_8080_TCP_ADDR: '10.0.0.1',
  PLIMSOLL_LISTEN_SERVICE_HOST: '10.0.0.2',
  PLIMSOLL_LISTEN_PORT: 'tcp://10.0.0.2:9090',
};

describe('readConfiguration', () => {
  it('passes over what Kubernetes sets for a Service', () => {
    expect(load(minimal, serviceLinks)).toMatchObject({ ok: true, value: { listen: { port: 8080 } } });
    expect(
      listServiceLinks({ ...serviceLinks, PLIMSOLL_MODE: 'Act', SHOP_PORT: 'tcp://10.0.0.3:80' }),
    ).toEqual(Object.keys(serviceLinks));
    expect(load(minimal, { PLIMSOLL_PORT: '8080' })).toEqual({
      ok: false,
      error: [{ sentence: 'PLIMSOLL_PORT: no such setting' }],
    });
  });

  it('takes no setting for the variable of a Service', () => {
    const variables = listSettings().map(({ variable }) => variable);
    expect(listServiceLinks(Object.fromEntries(variables.map((variable) => [variable, '8080'])))).toEqual([]);
  });

  it('takes no token whose actions would be taken for those of the controller', () => {
    const tokens = `auth: {tokens: [{name: fleet-brake, sha256: ${'ab'.repeat(32)}}]}\n`;
    expect(load(minimal + tokens)).toMatchObject({
      ok: false,
      error: [
        { sentence: expect.stringContaining("fleet-brake is the name of the controller's own actions") },
      ],
    });
  });

  it.each([
    { name: 'zeros', hash: '0'.repeat(64) },
    { name: 'another digit', hash: 'f'.repeat(64) },
    {
      name: 'an empty token',
      hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
  ])('takes no hash that is a placeholder: $name', ({ hash }) => {
    expect(load(`${minimal}auth: {tokens: [{name: platform, sha256: '${hash}'}]}\n`)).toMatchObject({
      ok: false,
      error: [
        {
          sentence: expect.stringMatching(/auth\.tokens\.0\.sha256.*a placeholder, and the hash of no token/),
        },
      ],
    });
  });

  it('fills every default in', () => {
    expect(load(minimal)).toMatchObject({
      ok: true,
      value: {
        mode: 'Observe',
        listen: { address: '127.0.0.1', port: 8080, metricsAddress: '127.0.0.1', metricsPort: 9090 },
        database: { url: 'sqlite:.plimsoll/ledger.db' },
        settings: { tolerance: 0.1, maximumSampleAgeSeconds: 180, featureGates: { ScaleToZero: true } },
        sources: [{ ref: 'refs/heads/main', interval: 60 }],
      },
    });
  });

  it('lays the environment over the file', () => {
    const environment = {
      PLIMSOLL_MODE: 'Act',
      PLIMSOLL_LISTEN_PORT: '0',
      PLIMSOLL_NAMESPACES: '[shop, billing]',
      PLIMSOLL_SETTINGS_FEATURE_GATES_SCALE_TO_ZERO: 'false',
    };
    expect(load(minimal, environment)).toMatchObject({
      ok: true,
      value: {
        mode: 'Act',
        listen: { port: 0 },
        namespaces: ['shop', 'billing'],
        settings: { featureGates: { ScaleToZero: false, SelectionStrategy: true } },
      },
    });
  });

  it.each([
    {
      name: 'tenants whose folders overlap',
      text: minimal.replace('git"}', 'git", tenants: [{name: a, path: teams/a}, {name: b, path: "*/a"}]}'),
      want: /^plimsoll.yaml:5:\d+: sources.0.tenants.1.path: overlaps with teams\/a of tenant a: a folder could belong to both$/,
    },
    {
      name: 'two tenants of one name',
      text: minimal.replace('git"}', 'git", tenants: [{name: a, path: b}, {name: a, path: c}]}'),
      want: /^plimsoll.yaml:5:\d+: sources.0.tenants.1.name: is the name of another tenant too$/,
    },
    {
      name: 'a glob that says nothing',
      text: minimal.replace('git"}', 'git", exclude: [a, "b["]}'),
      want: /^plimsoll.yaml:5:\d+: sources.0.exclude.1: has "\[" in "b\[", which is no mark \(is "b\["\)$/,
    },
    {
      name: 'GraphiQL where only known queries are answered',
      text: `${minimal}graphql: {queries: Known, graphiql: true}\n`,
      want: /^plimsoll.yaml:6:\d+: graphql.graphiql: GraphiQL asks what a person writes, which graphql.queries: Known refuses$/,
    },
    {
      name: 'an unknown setting',
      text: `${minimal}lisen: {port: 1}\n`,
      want: 'plimsoll.yaml:6:8: lisen: no such setting; did you mean listen\\?$',
    },
    {
      name: 'an unknown setting of a section',
      text: `${minimal}listen: {prot: 1}\n`,
      want: 'plimsoll.yaml:6:16: listen.prot: no such setting; did you mean port\\?$',
    },
    {
      name: 'an unknown setting of an item',
      text: minimal.replace('git"}', 'git", refs: main}'),
      want: 'sources.0.refs: no such setting; did you mean ref\\?$',
    },
    {
      name: 'an unknown setting that is like none',
      text: `${minimal}telemetry: true\n`,
      want: 'plimsoll.yaml:6:12: telemetry: no such setting$',
    },
    {
      name: 'a value out of bounds',
      text: `${minimal}listen: {port: 70000}\n`,
      want: /^plimsoll.yaml:6:16: listen.port: it wants at most 65535 \(is 70000\)$/,
    },
    ...[
      {
        what: 'a policy without its namespace',
        given: 'policies: [checkout]',
        want: /schedules\.0\.policies\.0: .*NAMESPACE\/NAME, such as shop\/checkout.* "checkout"/,
      },
      {
        what: 'a team of two lines',
        given: 'teams: ["a\\nb"]',
        want: /schedules\.0\.teams\.0: .*a text without control characters/,
      },
      {
        what: 'a label that is none',
        given: 'teamLabel: "the team"',
        want: /schedules\.0\.teamLabel: .*the key of a label, such as example\.com\/team.* "the team"/,
      },
    ].map(({ what, given, want }) => ({
      name: `a scheduled report of ${what}`,
      text: `${minimal}reports: {schedules: [{name: weekly, folder: /reports, ${given}}]}\n`,
      want,
    })),
    ...['0.0.0.0/0', '::/0', 'proxy.example', '10.0.0.0/33'].map((proxy) => ({
      name: `a trusted proxy that is ${proxy}`,
      text: `${minimal}listen: {trustedProxies: ["${proxy}"]}\n`,
      want: `plimsoll.yaml:6:27: listen.trustedProxies.0: .*is "${proxy}"`,
    })),
    {
      name: 'a wrong mode',
      text: minimal.replace('Observe', 'act'),
      want: /^plimsoll.yaml:2:7: mode: it wants one of Observe, Act \(is "act"\)$/,
    },
    {
      name: 'no namespace',
      text: minimal.replace(/^namespaces: .*$/m, 'namespaces: []'),
      want: /^plimsoll.yaml:\d+:\d+: namespaces: it wants at least 1 item$/,
    },
    {
      name: 'a missing mode',
      text: minimal.replace('mode: Observe\n', ''),
      want: /^plimsoll.yaml:1:1: mode: it wants one of Observe, Act \(is missing\)$/,
    },
    {
      name: 'a duration without unit',
      text: minimal.replace('git"}', 'git", interval: "15"}'),
      want: 'sources.0.interval: a duration is',
    },
    {
      name: 'a duration that is a number',
      text: minimal.replace('git"}', 'git", interval: 15}'),
      want: 'sources.0.interval: a duration is a whole number of s, m or h, such as 15s \\(is 15\\)',
    },
    {
      name: 'two sources of one name',
      text: `${minimal}  - {name: policies, url: "https://git.example.com/other.git"}\n`,
      want: 'plimsoll.yaml:6:12: sources.1.name: is the name of another one, too .is "policies".',
    },
    {
      name: 'aliases that never end',
      text: `${minimal}log: {a: &a0 [x, x], ${Array.from({ length: 9 }, (_, at) => `a${at}: &a${at + 1} [*a${at}, *a${at}]`).join(', ')}}`,
      want: '^plimsoll.yaml:1:1: Excessive alias count',
    },
    { name: 'text that is no YAML', text: 'cluster: [', want: 'plimsoll.yaml:1:11: ' },
  ])('names the place of $name', ({ text, want }) => {
    const result = load(text);
    expect(textsOf(result)).toEqual([expect.stringMatching(want)]);
  });

  it('names the variable of a wrong or unknown setting, all at once', () => {
    const result = load(minimal, { PLIMSOLL_LISTEN_PORT: 'many', PLIMSOLL_LISEN_PORT: '1' });
    expect(textsOf(result)).toEqual([
      'PLIMSOLL_LISEN_PORT: no such setting; did you mean PLIMSOLL_LISTEN_PORT?',
      expect.stringMatching('^PLIMSOLL_LISTEN_PORT: listen.port: .*is "many"'),
    ]);
  });

  it('lets replicas share the policies, with the durations of client-go', () => {
    const text = `${minimal}database: {url: "postgres://db/ledger"}
coordination: {namespace: plimsoll-system}
`;
    expect(load(text, { PLIMSOLL_COORDINATION_ADVERTISED_URL: 'http://10.0.0.7:8080' })).toMatchObject({
      ok: true,
      value: {
        coordination: {
          namespace: 'plimsoll-system',
          name: 'plimsoll',
          leaseDurationSeconds: 15,
          renewDeadlineSeconds: 10,
          retryPeriodSeconds: 2,
          advertisedUrl: 'http://10.0.0.7:8080',
        },
      },
    });
  });

  it('asks no one but a replica how the others reach it', () => {
    const text = `${minimal}database: {url: "postgres://db/ledger"}\ncoordination: {namespace: plimsoll-system}\n`;
    const file = { name: 'plimsoll.yaml', text };
    expect(readSharedConfiguration({ file, environment: {} })).toMatchObject({
      ok: true,
      value: { coordination: { namespace: 'plimsoll-system' } },
    });
    expect(textsOf(load(text))).toEqual([
      'plimsoll.yaml:7:15: coordination.advertisedUrl: how other replicas reach this one, in a pod ' +
        'PLIMSOLL_COORDINATION_ADVERTISED_URL with http://$(POD_IP):8080 (is missing)',
    ]);
  });

  it('takes placeholders for hashes of tokens only from who knows no callers', () => {
    const auth = `auth: {tokens: [{name: a, sha256: '${'0'.repeat(64)}'}, {name: b, sha256: none}]}`;
    const file = { name: 'plimsoll.yaml', text: `${minimal}${auth}\n` };
    const ofNone = expect.stringMatching(/auth\.tokens\.1\.sha256: 64 hex digits/);
    expect(textsOf(readSharedConfiguration({ file, environment: {} }))).toEqual([ofNone]);
    expect(textsOf(load(file.text))).toEqual([
      expect.stringMatching(/tokens\.0\.sha256: a placeholder/),
      ofNone,
    ]);
  });

  it('refuses an address whose variable Kubernetes did not replace', () => {
    const text = `${minimal}database: {url: "postgres://db/ledger"}\ncoordination: {namespace: plimsoll-system}\n`;
    const result = load(text, { PLIMSOLL_COORDINATION_ADVERTISED_URL: 'http://$(POD_IP):8080' });
    expect(textsOf(result)).toEqual([expect.stringContaining('before this one in env')]);
  });

  it.each([
    ['postgres://db/ledger', 'renewDeadlineSeconds: 15', 'is less than leaseDurationSeconds, 15'],
    ['postgres://db/ledger', 'retryPeriodSeconds: 9', 'is less than renewDeadlineSeconds, 10'],
    ['sqlite:ledger.db', 'name: plimsoll', 'takes a database that replicas share: PostgreSQL'],
  ])('refuses replicas on %s with %s', (url, setting, want) => {
    const coordination = `{namespace: a, advertisedUrl: "http://10.0.0.7:8080", ${setting}}`;
    const result = load(`${minimal}database: {url: "${url}"}\ncoordination: ${coordination}\n`);
    expect(textsOf(result)).toEqual([expect.stringContaining(want)]);
  });

  it.each([
    'url: "postgres://plimsoll:hunter2@one.example.com,other.example.com/ledger"',
    'url: "postgresql://one:5432,other:5433/ledger?sslmode=require"',
    'retentionUrl: "postgres://plimsoll_retention@one,other/ledger"',
  ])('refuses several hosts in %s, and repeats no password', (setting) => {
    const result = load(`${minimal}database: {${setting}}\n`);
    expect(textsOf(result)).toEqual([expect.stringContaining('leads to the primary')]);
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it('repeats no password of a URL', () => {
    const result = load(`${minimal}database: {url: "mysql://plimsoll:hunter2@db/x"}\n`);
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it.each([
    ['a password', 'https://bot:s3cret@git.example.com/a.git', 'it holds a password'],
    ['a password with a slash', 'https://bot:s3/cret@git.example.com/a.git', 'it is no URL'],
    ['a token as its user', 'https://s3cret@git.example.com/a.git', 'it holds a user'],
    ['a token in its query', 'https://git.example.com/a.git?private_token=s3cret', 'it holds a query'],
    ['a password of SSH', 'ssh://git:s3cret@git.example.com/a.git', 'it holds a password'],
    ['a helper', 'ext::sh -c s3cret', 'it is not file://'],
    ['plain HTTP', 'http://git.example.com/a.git', 'http:// is for loopback only'],
    ['a host of a file', 'file://git.example.com/a.git', 'file:// names no host'],
    ['the short form of SSH', 'git@git.example.com:a.git', 'written ssh://'],
  ])('refuses a source with %s, and repeats no secret', (_name, url, want) => {
    const result = load(minimal.replace('https://git.example.com/policies.git', url));
    expect(textsOf(result)).toEqual([expect.stringContaining(want)]);
    const text = JSON.stringify(result);
    expect(text).toContain('plimsoll.yaml:5:27: sources.0.url: ');
    if (!url.startsWith('ext')) expect(text).not.toMatch(/s3|cret/);
  });
});

describe('listSettings', () => {
  it('gives every setting a variable of its own', () => {
    const variables = listSettings().map(({ variable }) => variable);
    expect(new Set(variables).size).toBe(variables.length);
    expect(variables).toContain('PLIMSOLL_SETTINGS_DOWNSCALE_STABILIZATION_SECONDS');
  });
});
