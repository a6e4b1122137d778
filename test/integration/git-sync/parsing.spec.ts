import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ParserPool, type ParserPoolSettings } from '#adapter-parser';
import { misbehavingParser } from '#adapter-parser/testing';
import { policyYaml } from '#git-sync/testing';
import { SyncBench } from './support/sync-bench.ts';

describe('a source whose files are parsed in threads', () => {
  let bench: SyncBench;
  const pools: ParserPool[] = [];

  beforeEach(async () => {
    bench = await SyncBench.create();
    parseIn({});
  });

  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.close();
    await bench.remove();
  });

  it('comes in force, and says where an error is, as without them', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`p${index}.yaml`, policyYaml(`p${index}`)]),
    );
    await bench.origin.commit('Many', { ...files, 'other.yaml': '# autoscaling/v2\na: b: c\n' });
    const first = await bench.sync.sync();
    expect(first.result).toBe('active');
    expect(first.diagnostics).toMatchObject([{ severity: 'warning', file: 'other.yaml', line: 2 }]);
    expect(bench.names()).toHaveLength(150);
    await bench.origin.commit('Bad', { 'p7.yaml': policyYaml('p7', { max: 0 }) });
    const second = await bench.sync.sync();
    expect(second.result).toBe('rejected');
    expect(second.diagnostics).toMatchObject([
      { severity: 'warning' },
      { file: 'p7.yaml', line: 9, column: 3 },
    ]);
    expect(bench.names()).toHaveLength(150);
  });

  it('keeps a policy whose file kills every thread, names the file, and tries again', async () => {
    await bench.origin.commit('Good', { 'a.yaml': policyYaml('a'), 'die.yaml': policyYaml('die') });
    await bench.sync.sync();
    parseIn({ module: misbehavingParser });
    // Nothing in it names a policy any more: it is the policy in force that makes it an error.
    await bench.origin.commit('Change', { 'a.yaml': policyYaml('a', { max: 12 }), 'die.yaml': 'a: 1\n' });
    const outcome = await bench.sync.sync();
    expect(outcome.result).toBe('rejected');
    expect(outcome.diagnostics.map(({ severity, code, file }) => `${severity} ${code} ${file}`)).toContain(
      'error ParsingFailed die.yaml',
    );
    expect(bench.bounds()).toEqual(['shop/a 1-10', 'shop/die 1-10']);
    await bench.origin.commit('Back', { 'die.yaml': policyYaml('die', { max: 12 }) });
    await bench.sync.sync();
    expect(bench.bounds()).toEqual(['shop/a 1-10', 'shop/die 1-10']);
    parseIn({});
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'active', diagnostics: [] });
    expect(bench.bounds()).toEqual(['shop/a 1-12', 'shop/die 1-12']);
  });

  it.each([
    {
      what: 'kustomization',
      file: 'die/kustomization.yaml',
      text: 'resources: [a.yaml]\n',
      at: 'die/a.yaml',
    },
    {
      what: 'patch',
      file: 'die.yaml',
      text: 'kind: Deployment\nmetadata: {name: a}\n',
      at: 'a.yaml',
      beside: { 'kustomization.yaml': 'resources: [a.yaml]\npatches: [{path: die.yaml}]\n' },
    },
  ])('keeps a policy whose $what kills every thread, and tries again', async ({ file, text, at, beside }) => {
    await bench.origin.commit('Good', { [at]: policyYaml('a'), [file]: text, ...beside });
    expect((await bench.sync.sync()).result).toBe('active');
    parseIn({ module: misbehavingParser });
    await bench.origin.commit('Change', { [at]: policyYaml('a', { max: 12 }), [file]: `${text}# changed\n` });
    const outcome = await bench.sync.sync();
    expect(outcome.result).toBe('rejected');
    expect(bench.bounds()).toEqual(['shop/a 1-10']);
    parseIn({});
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'active', diagnostics: [] });
    expect(bench.bounds()).toEqual(['shop/a 1-12']);
  });

  it('says of which objects of Flux it is not known what they deploy', async () => {
    parseIn({ module: misbehavingParser });
    const object = 'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n';
    await bench.origin.commit('Both', { 'a.yaml': policyYaml('a'), 'die/flux.yaml': object });
    const { diagnostics } = await bench.sync.sync();
    expect(diagnostics).toMatchObject([
      { severity: 'warning', code: 'ParsingFailed', file: 'die/flux.yaml' },
    ]);
  });

  it('comes in force beside a file of others that kills every thread, with a warning', async () => {
    parseIn({ module: misbehavingParser });
    await bench.origin.commit('Both', {
      'a.yaml': policyYaml('a'),
      'die.yaml': '# see autoscaling/v2\na: 1\n',
    });
    const { result, diagnostics } = await bench.sync.sync();
    expect(result).toBe('active');
    expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'ParsingFailed', file: 'die.yaml' }]);
    expect(bench.names()).toEqual(['shop/a']);
  });

  function parseIn(settings: Partial<ParserPoolSettings>): void {
    const pool = new ParserPool({ size: 2, smallBytes: -1, ...settings });
    pools.push(pool);
    bench.parser = pool;
  }
});
