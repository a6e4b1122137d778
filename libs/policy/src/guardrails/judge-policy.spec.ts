import { describe, expect, it } from '@jest/globals';
import { readPolicy } from '../documents/parse-policy.ts';
import { judgePolicy } from './judge-policy.ts';
import { readPolicyGuardrail } from './policy-guardrail.ts';

const { policy } = readPolicy({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'checkout', namespace: 'shop' },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas: 9 },
});

function guardrail(rule: Record<string, unknown>): ReturnType<typeof readPolicyGuardrail> {
  return readPolicyGuardrail({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'PolicyGuardrail',
    metadata: { name: 'g' },
    spec: { rules: [{ name: 'r', message: 'not so', ...rule }] },
  });
}

const all = 'object.metadata.labels.all(a, ';

describe('guardrails', () => {
  it.each([
    { name: 'passes what holds', rule: { expression: 'object.spec.maxReplicas <= 50' }, want: [] },
    { name: 'judges defaults too', rule: { expression: 'object.spec.minReplicas == 1' }, want: [] },
    {
      name: 'computes with whole numbers',
      rule: { expression: 'object.spec.maxReplicas / 2 == 4' },
      want: [],
    },
    {
      name: 'denies what does not hold',
      rule: { expression: 'object.spec.maxReplicas < 9' },
      want: ['deny not so'],
    },
    {
      name: 'only warns where it says so',
      rule: { expression: 'false', severity: 'warn' },
      want: ['warn not so'],
    },
    {
      name: 'denies what cannot be evaluated, whatever its severity',
      rule: { expression: 'object.spec.replicas > 1', severity: 'warn' },
      want: ['deny No such key: replicas'],
    },
    {
      name: 'denies a result that is no boolean',
      rule: { expression: 'object.spec.maxReplicas' },
      want: ['deny its result is no boolean'],
    },
    {
      name: 'evaluates nested repetitions in time proportional to the text',
      rule: { expression: 'object.metadata.name.matches("(c+h*)+eckout$")' },
      want: [],
    },
    {
      name: 'takes a plain pattern',
      rule: { expression: 'object.metadata.name.matches("^[a-z]+$")' },
      want: [],
    },
  ])('$name', ({ rule, want }) => {
    const { value, problems } = guardrail(rule);
    expect(problems).toEqual([]);
    expect(policy).toBeDefined();
    if (policy === undefined || value === undefined) return;
    const findings = judgePolicy(policy, [value]);
    expect(findings.map((each) => `${each.severity} ${each.fault ?? each.rule.message}`)).toEqual(want);
  });

  it('denies loops in loops over much', () => {
    const many = {
      ...policy,
      labels: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`l${index}`, ''])),
    };
    const { value } = guardrail({ expression: `${all.repeat(4)}true${')'.repeat(4)}` });
    const [finding] =
      policy === undefined || value === undefined ? [] : judgePolicy({ ...policy, ...many }, [value]);
    expect(finding?.fault).toContain('it takes more than 100000 steps');
  });

  it('bounds what all rules together take for one policy, and blames them together', () => {
    const rules = Array.from({ length: 100 }, (_, index) => ({
      name: `r${index}`,
      message: 'not so',
      expression: `[${Array.from({ length: 200 }, (_item, at) => at).join(',')}].all(a, a < 1000)`,
    }));
    const { value } = readPolicyGuardrail({
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'PolicyGuardrail',
      metadata: { name: 'g' },
      spec: { rules: [...rules, { ...rules[0], name: 'last' }].slice(1) },
    });
    const findings = policy === undefined || value === undefined ? [] : judgePolicy(policy, [value, value]);
    expect(findings.at(-1)?.fault).toContain('all rules for the policy take more than 200000 steps');
  });

  it.each([
    { expression: '1 +', want: 'Unexpected token' },
    { expression: 'objekt.spec.maxReplicas == 1', want: 'Unknown variable: objekt' },
    { expression: '1 + 1', want: 'it gives int, not a boolean' },
    { expression: `"${'x'.repeat(5000)}" == ""`, want: 'characters, more than 4096' },
  ])('refuses an expression that does not compile: $want', ({ expression, want }) => {
    const { value, problems } = guardrail({ expression });
    expect(value).toBeUndefined();
    expect(problems).toEqual([
      expect.objectContaining({ code: 'InvalidValue', message: expect.stringContaining(want) }),
    ]);
  });
});
