import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import {
  type Condition,
  decide,
  type DecideInput,
  type DecideOutput,
  type Memory,
  memoryWithoutWrite,
  parseDecideInput,
  type RememberedCondition,
} from '#decision';
import { expandVector, merge, secondsAgo, withTimesOf } from './support/expand-vector.ts';
import { explain } from './support/explain.ts';
import type { VectorFile, VectorGiven, VectorWant } from './support/vector.ts';

const folder = join(import.meta.dirname, 'vectors');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.yaml'),
);

describe.each(files.sort())('%s', (file) => {
  const { given: base, cases } = parse(readFileSync(join(folder, file), 'utf8')) as VectorFile;

  it.each(cases.map((row) => [row.name, row] as const))('%s', (_, row) => {
    const input = parseDecideInput(expandVector(merge(base ?? {}, row.given) as VectorGiven));
    if (!input.ok) {
      expect(input.error).toMatchObject(row.want.error ?? { code: 'none: the row wants a decision' });
      return;
    }
    expect(row.want.error).toBeUndefined();
    compare(input.value, row.want);
  });
});

function compare(input: DecideInput, want: VectorWant): void {
  const output = decide(input);
  const { decision, memory } = output;
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
  note('rules', withoutRepeats(rules.filter((rule) => want.rules?.includes(rule))), want.rules);
  note(
    'noRules',
    rules.filter((rule) => want.noRules?.includes(rule)),
    want.noRules && [],
  );
  note('steps', decision.steps, want.steps);
  note('explained', explain(decision), want.explained);
  noteConditions(note, decision.conditions, want);
  for (const [type, expected] of Object.entries(want.remembered ?? {}))
    note(`remembered ${type}`, conditionText(memory.conditions, type), expected);
  note('selection', decision.selection, want.selection);
  note('metrics', decision.metrics, want.metrics ?? (want.metric && [want.metric]));
  if (want.memory) note('memory', partsOf(memory, want.memory), withTimesOf(want.memory));
  if (want.withoutWrite) {
    const kept = memoryWithoutWrite(input, output);
    note('without write', partsOf(kept, want.withoutWrite), withTimesOf(want.withoutWrite));
  }
  expect(found).toMatchObject(wanted);
  expectFold(output);
}

type Note = (key: string, value: unknown, expected: unknown) => void;

function noteConditions(note: Note, conditions: readonly Condition[], want: VectorWant): void {
  for (const [type, expected] of Object.entries(want.conditions ?? {}))
    note(`condition ${type}`, conditionText(conditions, type), expected);
  for (const [type, ago] of Object.entries(want.transitions ?? {})) {
    const condition = conditions.find((candidate) => candidate.type === type);
    note(`transition ${type}`, condition?.lastTransitionTime, secondsAgo(ago));
  }
}

function conditionText(
  conditions: readonly RememberedCondition[] | null | undefined,
  type: string,
): string | null {
  const condition = conditions?.find((candidate) => candidate.type === type);
  return condition === undefined ? null : `${condition.status} ${condition.reason}`;
}

/** The named parts of a memory; null is absent. */
function partsOf(memory: Memory, want: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(want).map((key) => [key, memory[key as keyof Memory] ?? null]));
}

/** Every row's steps are a fold: each begins where the one before it ended, the first at the present count. */
function expectFold({ decision }: DecideOutput): void {
  let count = decision.currentReplicas;
  for (const step of decision.steps) {
    expect(step).toMatchObject({ before: count });
    expect(step.because).not.toBe('');
    count = step.after;
  }
  expect(count).toBe(decision.desiredReplicas);
}

function withoutRepeats(rules: readonly string[]): readonly string[] {
  return rules.filter((rule, index) => rule !== rules[index - 1]);
}
