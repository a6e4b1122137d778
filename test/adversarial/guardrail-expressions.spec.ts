import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ParserPool } from '#adapter-parser';
import { MemoryBench } from '#git-sync/testing';
import { Progress } from '../../apps/cli/src/validate/progress.ts';
import { validatePaths } from '../../apps/cli/src/validate/validate-paths.ts';

const numbers = `[${Array.from({ length: 200 }, (_, index) => index).join(',')}]`;
const letters = 'a'.repeat(200);

/**
 * Expressions that ran for hours, or would. `denied`: the message to a person; absent: the expression is evaluated, in
 * time proportional to the text, and holds.
 */
const expressions: readonly {
  readonly name: string;
  readonly expression: string;
  readonly denied?: string;
}[] = [
  {
    name: 'counted repetitions beside each other',
    expression: `'${letters}'.matches('${'a{0,50}'.repeat(8)}b')`,
    denied: 'a pattern comes to over 10000 characters with its repetitions',
  },
  {
    name: 'optional letters, and as many that are not',
    expression: `'${'a'.repeat(60)}'.matches('${'a?'.repeat(60)}${'a'.repeat(60)}')`,
  },
  { name: 'nested repetition', expression: `!'${letters}!'.matches('(a+)+$')` },
  {
    name: 'a pattern that is put together while it runs',
    expression: `!'${letters}!'.matches('(a+' + ')+$')`,
  },
  {
    name: 'macros nested over literal lists',
    expression: `[${numbers}].all(l, l.all(a, l.all(b, l.all(c, l.all(d, a + b + c + d >= 0)))))`,
    denied: 'it takes more than 100000 steps',
  },
  {
    name: 'an exceeded budget that an operator would forgive',
    expression: `[${numbers}].all(l, l.all(a, l.all(b, l.all(c, l.all(d, a < 0 || b >= 0))))) || true`,
    denied: 'it takes more than 100000 steps',
  },
];

const policy = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: web, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 9
`;

const guardrail = (expression: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyGuardrail
metadata: { name: hostile }
spec:
  rules:
    - name: slow
      severity: warn
      message: not so
      expression: ${JSON.stringify(expression)}
`;

describe('a guardrail expression that would run for ever', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-adversarial-'));
    writeFileSync(join(folder, 'web.yaml'), policy);
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each(expressions)('ends in plimsoll validate: $name', async ({ expression, denied }) => {
    writeFileSync(join(folder, 'guardrail.yaml'), guardrail(expression));
    const parser = new ParserPool();
    const surroundings = { progress: new Progress(), environment: {}, parser };
    const { diagnostics } = await validatePaths([folder], {}, surroundings);
    await parser.close();
    expect(diagnostics).toEqual(denied === undefined ? [] : [anError(denied)]);
  });

  it.each(expressions)('ends in the controller, which keeps what is active: $name', async (given) => {
    const bench = new MemoryBench();
    await bench.commit({ 'web.yaml': policy });
    await bench.commit({
      'web.yaml': policy.replace('9', '12'),
      'guardrail.yaml': guardrail(given.expression),
    });
    expect(bench.bounds()).toEqual([`shop/web 1-${given.denied === undefined ? 12 : 9}`]);
    expect(bench.last?.diagnostics ?? []).toEqual(given.denied === undefined ? [] : [anError(given.denied)]);
  });
});

function anError(message: string): unknown {
  return expect.objectContaining({ severity: 'error', message: expect.stringContaining(message) });
}
