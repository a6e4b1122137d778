import { describe, expect, it } from '@jest/globals';
import type { RepositoryOptions } from '#repository';
import type { FakeChanges } from '../ports/git.fake.ts';
import { MemoryBench } from './memory-bench.ts';
import { own } from './policy-yaml.ts';

/** A commit, or anything else that happens. */
export type Step = FakeChanges | ((bench: MemoryBench) => unknown);

/** One bad commit or change, and what stays in force after it; the section of the rules it is from. */
export interface Row {
  readonly section: string;
  readonly name: string;
  readonly options?: Partial<RepositoryOptions>;
  readonly replicas?: Readonly<Record<string, number>>;
  readonly steps: readonly Step[];
  readonly want: {
    readonly result?: string;
    readonly bounds: readonly string[];
    /** Codes of errors and causes of holds, sorted. */
    readonly codes: readonly string[];
  };
}

export const tenants: RepositoryOptions['tenants'] = [
  { name: 'shop', path: 'teams/shop', namespaces: ['shop'], namespace: 'shop' },
  { name: 'pay', path: 'teams/pay', namespaces: ['pay'], namespace: 'pay' },
];

/** Two tenants that share a namespace, so that names and targets can move and conflict. */
export const neighbours: RepositoryOptions['tenants'] = [
  { name: 'shop', path: 'teams/shop', namespace: 'one' },
  { name: 'pay', path: 'teams/pay', namespace: 'one' },
];

export const on = (name: string, target: string, max = 10): string =>
  own(name, max).replace(`Deployment, name: ${name}`, `Deployment, name: ${target}`);
export const annotated = (text: string, annotation: string): string =>
  text.replace('metadata:\n', `metadata:\n  annotations: { ${annotation}: "true" }\n`);

export const support = (kind: string, name: string, spec: string): string =>
  `apiVersion: plimsoll.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
export const defaults = (name: string, values: string): string =>
  support('PolicyDefaults', name, `{ values: { ${values} } }`);
export const guardrail = (expression: string): string =>
  support('PolicyGuardrail', 'g', `{ rules: [{ name: r, expression: '${expression}', message: refused }] }`);

export const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, namespace: shop }\n`;
export const broken = 'kind: HorizontalPodAutoscaler\nx: [';

/** Runs the rows of a table. */
export function describeRows(name: string, rows: readonly Row[]): void {
  describe(`what stays in force: ${name}`, () => {
    it.each(rows)('$section: $name', async ({ options = {}, replicas = {}, steps, want }) => {
      const bench = new MemoryBench(options);
      for (const [policy, present] of Object.entries(replicas)) bench.replicas.set(policy, present);
      for (const step of steps) await (typeof step === 'function' ? step(bench) : bench.commit(step));
      expect({
        ...(want.result === undefined ? {} : { result: bench.last?.result }),
        bounds: bench.bounds(),
        codes: bench.codes(),
      }).toEqual(want);
    });
  });
}
