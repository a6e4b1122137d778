import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const textOf = (file: string): string => readFileSync(join(docs, file), 'utf8');

interface AlertRules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

/** The labels of each metric. */
const known = new Map(
  [...textOf('spec/metrics.md').matchAll(/^\| `(\w+)` \| \w+ \| ([^|]*)\|/gm)].map(
    ([, name = '', labels = '']) =>
      [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label)] as const,
  ),
);

/** Every series has the first; the second is of the scrape, where the replicas are pods. */
const everywhere = ['cluster', 'pod'];

describe.each(['runbook.md', 'spec/metrics.md'])('the alerts of docs/%s', (file) => {
  const blocks = [...textOf(file).matchAll(/^```yaml\n(groups:\n[^]*?)^```/gm)].map(
    ([, block = '']) => block,
  );
  const rules = blocks.flatMap((block) =>
    (parse(block) as AlertRules).groups.flatMap((group) => group.rules),
  );

  it('are expressions of metrics that there are, by labels that these have', () => {
    expect(rules.length).toBeGreaterThan(3);
    for (const { alert, expr } of rules) {
      const metrics = textsIn(expr, 'Identifier');
      const labels = new Set([...everywhere, ...metrics.flatMap((name) => known.get(name) ?? [])]);
      expect({
        alert,
        isExpression: textsIn(expr, '⚠').length === 0,
        isOfMetrics: metrics.length > 0,
        unknownMetrics: metrics.filter((name) => !known.has(name)),
        unknownLabels: textsIn(expr, 'LabelName').filter((label) => !labels.has(label)),
      }).toEqual({ alert, isExpression: true, isOfMetrics: true, unknownMetrics: [], unknownLabels: [] });
    }
  });
});

it.each(['runbook.md', 'spec/metrics.md'])('has a row of the runbook for every alert of docs/%s', (file) => {
  const alerts = [...textOf(file).matchAll(/^ +- alert: (\w+)/gm)].map(([, name = '']) => name);
  const rows = textOf('runbook.md').match(/^\| `\w+`[^|]*\|[^|]+\|[^|]+\|$/gm) ?? [];
  expect(alerts.length).toBeGreaterThan(3);
  expect(alerts.filter((name) => !rows.some((row) => row.startsWith(`| \`${name}\``)))).toEqual([]);
});

it.each(['sum by (cluster (plimsoll_policies)', 'countt(plimsoll_policies)', 'plimsoll_policies > 14 *'])(
  'sees that %s is none',
  (expr) => {
    expect(textsIn(expr, '⚠')).not.toEqual([]);
  },
);

/** Those of an expression's nodes of one kind, of which `⚠` is what cannot be parsed. */
function textsIn(expr: string, kind: string): readonly string[] {
  const texts: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ name, from, to }) => {
      if (name === kind) texts.push(expr.slice(from, to));
    },
  });
  return texts;
}
