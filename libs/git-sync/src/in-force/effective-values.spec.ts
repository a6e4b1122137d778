import { describe, expect, it } from '@jest/globals';
import type { StoredDocument } from '../ports/revision-store.port.ts';
import { MemoryBench } from '../testing/memory-bench.ts';
import { native } from '../testing/policy-yaml.ts';
import { effectiveValues } from './effective-values.ts';

const defaults = (...values: readonly string[]): string =>
  `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyDefaults
metadata: { name: slow }
spec:
  values:
${values.map((value) => `    ${value}\n`).join('')}`;

async function documentsInForce({ store }: MemoryBench): Promise<readonly StoredDocument[]> {
  return [...(await store.loadInForce('policies')).values()].filter((document) => document !== null);
}

async function inForce(bench: MemoryBench): Promise<readonly string[]> {
  const documents = await documentsInForce(bench);
  return valuesOf(
    documents.find(({ name }) => name === 'a'),
    documents,
  );
}

/** `path value, kind file:line path` of what is asked about here. */
function valuesOf(
  policy: StoredDocument | undefined,
  documents: readonly StoredDocument[],
): readonly string[] {
  if (policy === undefined) throw new Error('no policy');
  const beside = documents.filter(({ role }) => role === 'Defaults');
  return effectiveValues(policy, beside)
    .filter(({ path }) => /interval|dryRun|maxReplicas|minReplicas|scaleUp\.stabil/.test(path))
    .map(({ path, value, origin: { kind, file, line, path: at } }) =>
      [`${path} ${JSON.stringify(value)},`, kind, ...(file === null ? [] : [`${file}:${line} ${at}`])].join(
        ' ',
      ),
    );
}

describe('where the values of a stored policy come from', () => {
  it('names file and line of its document and of the defaults that fill it in, nearest first', async () => {
    const bench = new MemoryBench();
    await bench.commit({
      'defaults.yaml': defaults(
        'interval: 60s',
        'dryRun: true',
        'behavior:',
        '  scaleUp:',
        '    stabilizationWindowSeconds: 30',
      ),
      'shop/defaults.yaml': `# ours\n${defaults('interval: 30s')}`,
      'shop/a.yaml': native('a', '  # at most\n  maxReplicas: 10\n'),
    });
    expect(await inForce(bench)).toEqual([
      'spec.dryRun true, PolicyDefaults defaults.yaml:7 spec.values.dryRun',
      'spec.minReplicas 1, UpstreamDefault',
      'spec.maxReplicas 10, Document shop/a.yaml:7 spec.maxReplicas',
      'spec.interval "30s", PolicyDefaults shop/defaults.yaml:7 spec.values.interval',
      'spec.behavior.scaleUp.stabilizationWindowSeconds 30, PolicyDefaults defaults.yaml:10 spec.values.behavior.scaleUp.stabilizationWindowSeconds',
    ]);
  });

  it('keeps the commit and the line of what did not change', async () => {
    const bench = new MemoryBench();
    const first = await bench.commit({ 'a.yaml': native('a') });
    await bench.commit({ 'a.yaml': native('a').replace('spec:', '# a comment\nspec:') });
    const [document] = await documentsInForce(bench);
    const found = effectiveValues(document!, []).find(({ path }) => path === 'spec.maxReplicas');
    expect(found?.origin).toMatchObject({ commit: { hash: first }, line: 6 });
  });

  it('takes the defaults of the root and of its own tenant, and of no other', async () => {
    const bench = new MemoryBench({
      tenants: [
        { name: 'shop', path: 'teams/shop', namespace: 'shop' },
        { name: 'pay', path: 'teams/pay', namespace: 'pay' },
      ],
    });
    const policy = (name: string): string => native(name).replace(', namespace: shop', '');
    await bench.commit({
      'defaults.yaml': defaults('interval: 60s'),
      'teams/pay/defaults.yaml': defaults('dryRun: true'),
      'teams/pay/b.yaml': policy('b'),
      'teams/shop/a.yaml': policy('a'),
    });
    expect(await inForce(bench)).toEqual([
      'spec.dryRun false, PlimsollDefault',
      'spec.minReplicas 1, UpstreamDefault',
      'spec.maxReplicas 10, Document teams/shop/a.yaml:6 spec.maxReplicas',
      'spec.interval "1m", PolicyDefaults defaults.yaml:6 spec.values.interval',
    ]);
  });

  it('has no line of what a release stored that kept none, and its file and commit all the same', async () => {
    const bench = new MemoryBench();
    await bench.commit({ 'a.yaml': native('a') });
    const [{ lines, ...document } = { lines: undefined }] = await documentsInForce(bench);
    expect(lines).toContain(6);
    expect(valuesOf(document as StoredDocument, [])).toContain(
      'spec.maxReplicas 10, Document a.yaml:null spec.maxReplicas',
    );
  });
});
