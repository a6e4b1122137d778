import { expect, it } from '@jest/globals';
import { aBench } from '../testing/held-bench.ts';
import { a, b } from '../testing/policy-yaml.ts';

/** It warns of more than ten replicas of either. */
const guardrail = `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyGuardrail
metadata: { name: bounds }
spec:
  rules:
    - { name: limit, expression: object.spec.maxReplicas < 10, message: ten are many, severity: warn }
`;

it('tells warnings of what comes into force, and goes on telling them while nothing is new', async () => {
  const bench = await aBench({ 'a.yaml': a });
  expect(bench.last?.message).toBe('1 document changed, 0 left');
  await bench.commit({ 'b.yaml': b, 'g.yaml': guardrail });
  const warnings = /; 2 warnings: \w+\.yaml:\d+:\d+: .*ten are many.* \(and 1 more\)$/;
  expect(bench.last).toMatchObject({ result: 'active', message: expect.stringMatching(warnings) });
  expect(bench.last?.message).toMatch(/^2 documents changed, 0 left; /);
  expect((await bench.look()).message).toMatch(/^nothing is new; 2 warnings: /);
});
