import { rename } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { policyYaml } from '#git-sync/testing';
import { SyncBench } from './support/sync-bench.ts';

describe('a source in sync', () => {
  let bench: SyncBench;

  beforeEach(async () => {
    bench = await SyncBench.create();
  });

  afterEach(() => bench.remove());

  it('puts a commit in force, with its author, file and line', async () => {
    const hash = await bench.origin.commit('Add checkout policy', {
      'shop/all.yaml': `# policies\n---\n${policyYaml('cart')}---\n${policyYaml('checkout', { max: 7 })}`,
      'shop/deployment.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: checkout}\n',
    });
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'active', diagnostics: [] });
    expect(bench.bounds()).toEqual(['shop/cart 1-10', 'shop/checkout 1-7']);
    const [, checkout] = bench.active.listActivePolicies();
    expect(checkout?.origin).toEqual({
      source: 'policies',
      commit: {
        hash,
        author: 'Ada Author <ada@example.com>',
        subject: 'Add checkout policy',
        time: '2026-01-01T00:00:04.000Z',
      },
      file: 'shop/all.yaml',
      line: 13,
    });
    expect(bench.journal.runs).toMatchObject([{ outcome: 'active', commit: { hash } }]);
    expect(bench.journal.changes.map(({ policy, before }) => [policy.name, before])).toEqual([
      ['cart', null],
      ['checkout', null],
    ]);
  });

  it('keeps what is in force on an error, and says file, line and column', async () => {
    await bench.origin.commit('Good', { 'a.yaml': policyYaml('a'), 'b.yaml': policyYaml('b') });
    await bench.sync.sync();
    await bench.origin.commit('Bad', {
      'a.yaml': policyYaml('a', { max: 0 }),
      'b.yaml': policyYaml('b').replace('maxReplicas', 'maxReplics'),
    });
    const outcome = await bench.sync.sync();
    expect(outcome.result).toBe('rejected');
    expect(outcome.diagnostics.map(({ file, line, column }) => `${file}:${line}:${column}`)).toEqual([
      'a.yaml:9:3',
      'b.yaml:6:1',
      'b.yaml:9:3',
    ]);
    expect(bench.bounds()).toEqual(['shop/a 1-10', 'shop/b 1-10']);
    bench.replicas.set('shop/a', 2);
    await bench.origin.commit('Better', { 'a.yaml': policyYaml('a', { max: 3 }), 'b.yaml': policyYaml('b') });
    await bench.sync.sync();
    expect(bench.bounds()).toEqual(['shop/a 1-3', 'shop/b 1-10']);
  });

  it('prunes what is deleted, and keeps the commit of what did not change', async () => {
    const first = await bench.origin.commit('One', { 'a.yaml': policyYaml('a'), 'b.yaml': policyYaml('b') });
    await bench.sync.sync();
    const second = await bench.origin.commit('Two', { 'a.yaml': null, 'c.yaml': policyYaml('c') });
    await bench.sync.sync();
    expect(
      bench.active.listActivePolicies().map(({ policy, origin }) => [policy.name, origin.commit.hash]),
    ).toEqual([
      ['b', first],
      ['c', second],
    ]);
    expect(bench.journal.changes.at(-1)).toMatchObject({ policy: { name: 'a' }, after: null });
  });

  it('records the same outcome once', async () => {
    await bench.origin.commit('One', { 'a.yaml': policyYaml('a', { max: 0 }) });
    await bench.sync.sync();
    const message = expect.stringMatching(/^still rejected: 1 error: a\.yaml:\d+:\d+: /);
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'unchanged', message });
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'unchanged', message });
    expect(bench.journal.runs).toHaveLength(1);
  });

  it('restarts with what was in force while Git is down', async () => {
    await bench.origin.commit('One', { 'a.yaml': policyYaml('a', { max: 4 }) });
    await bench.sync.sync();
    const { folder } = bench.origin;
    await rename(folder, `${folder}-away`);
    await bench.restart();
    expect(bench.bounds()).toEqual(['shop/a 1-4']);
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'failed' });
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'failed' });
    expect(bench.journal.runs.map(({ outcome }) => outcome)).toEqual(['active', 'failed']);
    expect(bench.bounds()).toEqual(['shop/a 1-4']);
    await rename(`${folder}-away`, folder);
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'unchanged' });
  });
});
