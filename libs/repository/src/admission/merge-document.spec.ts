import { describe, expect, it } from '@jest/globals';
import { PolicyFileCache } from '../documents/policy-file-cache.ts';
import { readRepository } from '../documents/read-repository.ts';
import { defaultRepositoryLimits, rootTenant } from '../files/repository-options.ts';
import type { FileContent, TreeFile } from '../files/tree-file.ts';
import { readOverlays } from '../kustomize/read-overlays.ts';
import { resolveDocuments } from './resolve-documents.ts';

const encoder = new TextEncoder();

const policy = (spec: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: a, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
${spec}`;

const defaults = (values: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyDefaults
metadata: { name: d }
spec: { values: { ${values} } }
`;

/** The errors of a tree of one tenant, as `file:line: message`. */
function errorsOf(files: Readonly<Record<string, string>>): readonly string[] {
  const tree = Object.keys(files).map((path): TreeFile => ({ path, id: path, type: 'File' }));
  const options = { path: '', include: [], exclude: [], tenants: [], limits: defaultRepositoryLimits };
  const content = ({ path }: TreeFile): FileContent => ({
    kind: 'Bytes',
    bytes: encoder.encode(files[path] ?? ''),
  });
  const { documents } = readRepository({
    tree,
    content,
    ignoreFiles: [],
    overlays: readOverlays({ tree, content, options, ignoreFiles: [] }),
    options,
    readFile: new PolicyFileCache().begin(),
    filesInForce: new Set(),
  });
  const tenant = { name: rootTenant, path: '', limits: { minIntervalSeconds: 15 } };
  const { diagnostics } = resolveDocuments(documents, [], { read: {}, tenant: () => tenant });
  return diagnostics.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

describe('an error about what defaults fill in', () => {
  it('names the line of a value, beside the place in the document', () => {
    expect(
      errorsOf({ 'a.yaml': policy('  minReplicas: 5\n'), 'd.yaml': defaults('maxReplicas: 4') }),
    ).toEqual([
      'a.yaml:4: maxReplicas must be at least minReplicas (5), is 4 (by the defaults at d.yaml:4:19)',
    ]);
  });

  it('names the line of the value that one of the document does not go together with', () => {
    expect(
      errorsOf({
        'a.yaml': policy('  maxReplicas: 4\n'),
        'd.yaml': defaults('interval: 15s, minReplicas: 5'),
      }),
    ).toEqual([
      'a.yaml:6: maxReplicas must be at least minReplicas (5), is 4 (minReplicas by the defaults at d.yaml:4:34)',
    ]);
  });

  it('names both where neither value is the document’s', () => {
    const files = {
      'a.yaml': policy(''),
      'd.yaml': defaults('maxReplicas: 4'),
      'e.yaml': defaults('minReplicas: 5'),
    };
    expect(errorsOf(files)).toEqual([
      'a.yaml:4: maxReplicas must be at least minReplicas (5), is 4 (by the defaults at d.yaml:4:19) (minReplicas by the defaults at e.yaml:4:19)',
    ]);
  });

  it('names no defaults where the document is wrong by itself', () => {
    expect(errorsOf({ 'a.yaml': policy('  maxReplicas: 0\n'), 'd.yaml': defaults('interval: 30s') })).toEqual(
      ['a.yaml:6: maxReplicas must be at least 1, is 0'],
    );
  });

  it('names the line of a value that is outside the limits of the tenant', () => {
    expect(errorsOf({ 'a.yaml': policy('  maxReplicas: 4\n'), 'd.yaml': defaults('interval: 5s') })).toEqual([
      'a.yaml:4: tenant  may evaluate every 15 s at most, not every 5 s (by the defaults at d.yaml:4:19)',
    ]);
  });

  it('tells a warning about a value of defaults there, and not at the policies', () => {
    const tolerant = defaults("behavior: { scaleUp: { tolerance: '10' } }");
    const message = 'tolerance 10 is read as 1000 %';
    expect(errorsOf({ 'd.yaml': tolerant, 'a.yaml': policy('  maxReplicas: 5\n') })).toEqual([
      `d.yaml:4: ${message}`,
    ]);
  });
});
