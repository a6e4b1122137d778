import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const textOf = (file: string): string => readFileSync(join(docs, file), 'utf8');

interface AlertRules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

const known = new Set([...textOf('spec/metrics.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name));

describe.each(['runbook.md', 'spec/metrics.md'])('the alerts of docs/%s', (file) => {
  const blocks = [...textOf(file).matchAll(/^```yaml\n(groups:\n[^]*?)^```/gm)].map(
    ([, block = '']) => block,
  );
  const rules = blocks.flatMap((block) =>
    (parse(block) as AlertRules).groups.flatMap((group) => group.rules),
  );

  it('are of metrics that there are', () => {
    expect(rules.length).toBeGreaterThan(3);
    for (const { alert, expr } of rules) {
      const metrics = [...expr.matchAll(/plimsoll_\w+/g)].map(([name]) => name);
      expect([alert, metrics.length > 0]).toEqual([alert, true]);
      expect([alert, metrics.filter((name) => !known.has(name))]).toEqual([alert, []]);
    }
  });
});
