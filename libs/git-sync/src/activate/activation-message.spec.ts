import { expect, it } from '@jest/globals';
import { toldErrors } from '../ports/sync-outcome.ts';
import { aBench, many, teams } from '../testing/held-bench.ts';
import { a, b, own } from '../testing/policy-yaml.ts';

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

it('tells of a kustomization that cannot be read, and no consequence before it', async () => {
  const bench = await aBench({ 'k/kustomization.yaml': 'resources: [a.yaml]\n', 'k/a.yaml': a });
  await bench.commit({ 'k/kustomization.yaml': 'resource: [a.yaml]\n', 'b.yaml': b });
  expect(bench.last?.message).toBe(
    '1 error: k/a.yaml:1:1: policy shop/a is in force, and it is no longer taken from k/a.yaml (NeedsRendering: k/kustomization.yaml cannot be read); ' +
      '2 warnings: k/kustomization.yaml:1:1: the kustomization cannot be read: "resource" is no field; did you mean resources?; nothing it reaches is taken (and 1 more)',
  );
});

it('tells a misspelt field, and what was meant, before the field that is missing by it', async () => {
  const bench = await aBench({ 'a.yaml': a });
  await bench.commit({ 'a.yaml': a.replace('maxReplicas', 'maxReplica') });
  expect(bench.last?.message).toBe(
    '2 errors: a.yaml:9:3: "maxReplica" is not a field of spec; did you mean maxReplicas? (and 1 more)',
  );
  expect(bench.last === undefined ? [] : toldErrors(bench.last).map(({ code }) => code)).toEqual([
    'UnknownField',
    'Required',
  ]);
  await bench.commit({ 'a.yaml': a.replace('maxReplicas: 10', 'other: 10') });
  expect(bench.last?.message).toMatch(/^2 errors: a\.yaml:6:1: maxReplicas is required \(and 1 more\)$/);
});

it('names what left, five of it at most', async () => {
  const bench = await aBench({ ...many('x', 8), 'a.yaml': a, 'b.yaml': b, 'g.yaml': guardrail });
  await bench.commit({ 'a.yaml': '', 'g.yaml': null });
  expect(bench.last?.message).toBe('0 documents changed, 2 left: PolicyGuardrail bounds, shop/a');
  await bench.commit(Object.fromEntries(Object.keys(many('x', 7)).map((file) => [file, null])));
  expect(bench.last?.message).toMatch(/^0 documents changed, 7 left: one\/x0, .*, one\/x4 and 2 more$/);
});

it('names the tenants for which a commit is not in force, and why, also while nothing is new', async () => {
  const bench = await aBench({ ...many('teams/shop', 11), ...many('teams/pay', 11) }, { tenants: teams });
  await bench.commit({ ...many('teams/shop', 11, 20), ...many('teams/pay', 11, 20) });
  const [held] = bench.sync.holds().filter(({ scope }) => scope.kind === 'Tenant' && scope.tenant === 'shop');
  const approved = await bench.sync.approve(held?.digest ?? '', { by: 'olga', reason: 'checked' });
  expect(approved).toMatchObject({
    result: 'partial',
    message: expect.stringMatching(/; not in force for tenant pay \(held\)$/),
  });
  expect(await bench.look()).toMatchObject({
    result: 'unchanged',
    message: expect.stringMatching(/^still partial: .*; not in force for tenant pay \(held\)$/),
  });
  const small = await aBench({ ...many('teams/shop', 1), ...many('teams/pay', 1) }, { tenants: teams });
  const wrong = `${own('teams-pay0', 10)}  minReplicas: many\n`;
  await small.commit({ 'teams/pay/0.yaml': wrong, 'teams/shop/new.yaml': own('new', 10) });
  expect(small.last?.message).toMatch(/; not in force for tenant pay \(errors\)$/);
});
