import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { decide, type DecideOutput, parseDecideInput } from '#decision';
import { expandVector, merge, withTimesOf } from './support/expand-vector.ts';
import type { VectorFile, VectorGiven, VectorWant } from './support/vector.ts';

const folder = join(import.meta.dirname, 'vectors');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));

describe.each(files.sort())('%s', (file) => {
  const { given: base, cases } = parse(readFileSync(join(folder, file), 'utf8')) as VectorFile;

  it.each(cases.map((row) => [row.name, row] as const))('%s', (_, row) => {
    const input = parseDecideInput(expandVector(merge(base ?? {}, row.given) as VectorGiven));
    if (!input.ok) {
      expect(input.error).toMatchObject(row.want.error ?? { code: 'none: the row wants a decision' });
      return;
    }
    expect(row.want.error).toBeUndefined();
    compare(decide(input.value), row.want);
  });
});

function compare({ decision, memory }: DecideOutput, want: VectorWant): void {
  const found: Record<string, unknown> = {};
  const wanted: Record<string, unknown> = {};
  const note = (key: string, value: unknown, expected: unknown): void => {
    if (expected === undefined) return;
    found[key] = value;
    wanted[key] = expected;
  };
  const rules = decision.steps.map(({ rule }) => rule);
  note('desired', decision.desiredReplicas, want.desired);
  note('action', decision.action, want.action);
  note('reason', decision.reason, want.reason);
  note('rules', rules.filter((rule) => want.rules?.includes(rule)), want.rules);
  note('noRules', rules.filter((rule) => want.noRules?.includes(rule)), want.noRules && []);
  for (const [type, expected] of Object.entries(want.conditions ?? {})) {
    const condition = decision.conditions.find((candidate) => candidate.type === type);
    note(`condition ${type}`, condition ? `${condition.status} ${condition.reason}` : null, expected);
  }
  note('selection', decision.selection, want.selection);
  note('metrics', decision.metrics, want.metrics ?? (want.metric && [want.metric]));
  note('memory', memory, want.memory && withTimesOf(want.memory));
  expect(found).toMatchObject(wanted);
  expect(decision.steps.at(-1)?.after ?? decision.desiredReplicas).toBe(decision.desiredReplicas);
}
