import { describe, expect, it } from '@jest/globals';
import type { RepositoryDocument, TenantDiagnostic } from '../documents/repository-reading.ts';
import { resolveDocuments } from './resolve-documents.ts';

const document = (
  role: RepositoryDocument['role'],
  file: string,
  value: RepositoryDocument['value'],
): RepositoryDocument => ({
  role,
  tenant: 'shop',
  kind: 'AutoscalingPolicy',
  name: file,
  namespace: 'shop',
  file,
  blob: file,
  position: { line: 1, column: 1 },
  isListed: false,
  value,
  locate: (path) => ({ line: path.length, column: 1 }),
});

const policy = (name: string, spec: RepositoryDocument['value'] = {}): RepositoryDocument =>
  document('Policy', name, {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name, namespace: 'shop' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, maxReplicas: 9, ...spec },
  });

const guardrail = document('Guardrail', 'guard.yaml', {
  apiVersion: 'plimsoll.dev/v1alpha1',
  kind: 'PolicyGuardrail',
  metadata: { name: 'bounds' },
  spec: { rules: [{ name: 'rest', expression: 'object.spec.replicas > 1', message: 'more than one' }] },
});

const found = (...policies: readonly RepositoryDocument[]): readonly TenantDiagnostic[] =>
  resolveDocuments([guardrail, ...policies], [], { read: {}, tenant: () => undefined }).diagnostics;

describe('a rule that cannot be evaluated', () => {
  it('is one error at the rule where it fails for several policies, which names them', () => {
    const [problem, ...others] = found(policy('d'), policy('c'), policy('b'), policy('a'));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      code: 'Guardrail',
      file: 'guard.yaml',
      line: 4,
      path: ['spec', 'rules', 0, 'expression'],
      tenant: 'shop',
      message:
        'guardrail bounds, rule rest: object.spec.replicas > 1 cannot be evaluated for shop/a, shop/b, shop/c and 1 more: No such key: replicas',
      related: ['d', 'c', 'b', 'a'].map((file) => ({ file, line: 1, column: 1, path: ['spec'] })),
    });
  });

  it('is an error of the policy where it fails for that one, and the hint says where the rule is', () => {
    expect(found(policy('a'), policy('b', { replicas: 3 }))).toEqual([
      expect.objectContaining({
        file: 'a',
        path: ['spec'],
        message:
          'guardrail bounds, rule rest: object.spec.replicas > 1 cannot be evaluated: No such key: replicas',
        hint: 'the rule is at guard.yaml:4:1; where a policy may lack a field, ask has(…) first',
      }),
    ]);
  });
});

describe('a rule that does not hold', () => {
  it('is told with what it asks for and where, beside what its author says', () => {
    expect(found(policy('a', { replicas: 1 }), policy('b', { replicas: 3 }))).toEqual([
      expect.objectContaining({
        file: 'a',
        message: 'guardrail bounds, rule rest: more than one',
        hint: 'object.spec.replicas > 1 is to hold: the rule is at guard.yaml:4:1',
      }),
    ]);
  });
});
