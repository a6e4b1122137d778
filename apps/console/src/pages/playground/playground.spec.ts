import { describe, expect, it } from '@jest/globals';
import type { DecideInput } from '#decision';
import { runSteps } from '#kernel';
import { evaluate } from '../../evaluation/evaluate.ts';
import { formFor, observationOf } from './form-observation.ts';
import { loadAtOf, type LoadCurve } from './load-curve.ts';
import { readPolicyText } from './read-policy-text.ts';
import { type Run, runCurve } from './run-curve.ts';
import { exampleScenario } from './scenario.ts';
import { linkOf, scenarioOf } from './scenario-link.ts';
import { completionsAt } from './schema-completion.ts';
import { yamlPlaceAt } from './yaml-place.ts';

const time = '2026-11-20T12:00:00Z';

describe('a load over time', () => {
  const curve = {
    ...exampleScenario.curve,
    lowPercent: 100,
    highPercent: 300,
    atMinutes: 10,
    forMinutes: 20,
  };

  it.each<{ readonly kind: LoadCurve['kind']; readonly want: readonly number[] }>([
    { kind: 'Step', want: [100, 300, 300, 300] },
    { kind: 'Ramp', want: [100, 100, 200, 300] },
    { kind: 'Spike', want: [100, 300, 300, 100] },
  ])('goes as a $kind, at the start and after 10, 20 and 30 minutes', ({ kind, want }) => {
    const loadAt = valueOf(loadAtOf({ ...curve, kind }, 0));
    expect([0, 600, 1_200, 1_800].map(loadAt)).toEqual(want);
  });

  it('goes as a wave that is lowest at four in the morning and highest at four in the afternoon, in UTC', () => {
    const loadAt = valueOf(loadAtOf({ ...curve, kind: 'Daily' }, Date.parse('2026-11-20T04:00:00Z') / 1_000));
    expect([0, 6, 12, 24].map((hours) => Math.round(loadAt(hours * 3_600)))).toEqual([100, 200, 300, 100]);
  });

  it.each([
    { name: 'seconds', csv: 'time,load\n0,100\n\n60,250\r\n120,50' },
    { name: 'times', csv: '2026-11-20T12:00:00Z;100\n2026-11-20T12:01:00Z;250\n2026-11-20T12:02:00Z;50\n' },
  ])('goes as a CSV of $name says, each line until the next', ({ csv }) => {
    const loadAt = valueOf(loadAtOf({ ...curve, kind: 'Csv', csv }, 0));
    expect([0, 59, 60, 119, 120, 9_999].map(loadAt)).toEqual([100, 100, 250, 250, 50, 50]);
  });

  it.each([
    { csv: '0,100\nsoon,200', line: 2, field: 'time', message: '"soon" is no time' },
    { csv: '0,100\n60,much', line: 2, field: 'load', message: '"much" is no load' },
    { csv: '0,100\n60,-1', line: 2, field: 'load', message: '"-1" is no load' },
    { csv: '60,100\n0,200', line: 2, field: 'time', message: 'the time is before that of the line above' },
    {
      csv: `0,100\n${' '.repeat(1_048_576)}`,
      line: 1,
      field: 'lines',
      message: 'there are more than 1048576 characters',
    },
    { csv: 'time,load\n', line: 1, field: 'lines', message: 'there is no line with a time and a load' },
  ])('is refused with line, field and hint: $message', ({ csv, ...want }) => {
    const read = loadAtOf({ ...curve, kind: 'Csv', csv }, 0);
    expect(read).toEqual({ ok: false, error: { ...want, hint: expect.any(String) } });
  });
});

describe('a run of a policy under a load', () => {
  it('doubles under a spike once its new pods count, and shrinks after the stabilization window', () => {
    const run = runOf({ kind: 'Spike', highPercent: 400, atMinutes: 10, forMinutes: 10 }, 60);
    const counts = run.changes.map(({ index, decision }) => [index * 15, decision.desiredReplicas]);
    expect(counts.slice(0, 3)).toEqual([
      [600, 6],
      [690, 12],
      [1_485, 3],
    ]);
    expect(run.replicas.at(-1)).toBe(3);
    expect(run.undecided).toBe(0);
  });

  it('counts pods that have just come as not ready, until they have started', () => {
    const run = runOf({ kind: 'Step', highPercent: 200, atMinutes: 1 }, 5, 100);
    const grown = run.changes[0]?.index ?? 0;
    expect(run.replicas[grown]).toBe(6);
    expect(run.ready.slice(grown, grown + 9)).toEqual([3, 3, 3, 3, 3, 3, 3, 6, 6]);
  });

  it('is the same every time', () => {
    const curve = { kind: 'Daily', highPercent: 500 } as const;
    expect(runOf(curve, 24 * 60)).toEqual(runOf(curve, 24 * 60));
  });

  it('does not carry out what a dry run decides', () => {
    const policy = exampleScenario.policy.replace('minReplicas: 3', 'minReplicas: 3\n  dryRun: true');
    const run = runOf({ kind: 'Step', highPercent: 300, atMinutes: 1 }, 5, 20, policy);
    expect(new Set(run.ready)).toEqual(new Set([3]));
  });

  it('keeps the windows of a policy with watermarks', () => {
    const run = runOf({ kind: 'Step', highPercent: 300, atMinutes: 1 }, 10, 0, watermarks);
    const times = run.changes.map(({ index }) => index * 15);
    expect(times.length).toBeGreaterThan(1);
    expect(times.slice(1).every((each, index) => each - (times[index] ?? 0) >= 60)).toBe(true);
  });

  it('is refused where it has too many passes', () => {
    const base = inputOf(exampleScenario.policy.replace('minReplicas', 'interval: 1s\n  minReplicas'));
    const request = { base, loadAt: () => 100, minutes: 7 * 24 * 60, podStartSeconds: 0 };
    expect(runCurve(request)).toEqual({ ok: false, error: { passes: 604_801, most: 50_000 } });
  });
});

describe('a policy that was typed', () => {
  it('is read by the parser, with line, column and hint of what is wrong', () => {
    const text = exampleScenario.policy.replace('maxReplicas: 20', 'maxReplica: 20');
    const { policy, diagnostics } = readPolicyText(text);
    expect(policy).toBeUndefined();
    expect(diagnostics).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'UnknownField', line: 10, column: 3, hint: expect.any(String) }),
      ]),
    );
  });

  it.each(['', 'nothing', 'kind: [', 'kind: Deployment'])('that is none is said to be none: %j', (text) => {
    const { policy, diagnostics } = readPolicyText(text);
    expect(policy).toBeUndefined();
    expect(diagnostics[0]?.severity).toBe('error');
  });
});

describe('schedules and freezes', () => {
  const windows = `  schedules:
    - { name: sale, cron: '10 12 * * *', timeZone: UTC, duration: 10m, minReplicas: 7 }
  freeze:
    - { name: release, cron: '0 13 * * *', timeZone: UTC, duration: 30m, direction: Both }
`;
  const policy = `${exampleScenario.policy}${windows}`;

  it('act in a run by the time of each pass', () => {
    const run = runOf({ kind: 'Step', highPercent: 300, atMinutes: 62 }, 100, 20, policy);
    const counts = [9, 11, 61, 65, 89, 92].map((minute) => run.replicas[minute * 4]);
    expect(counts).toEqual([3, 7, 3, 3, 3, 9]);
  });

  it('act on figures by their time', () => {
    const read = readPolicyText(policy).policy;
    if (read === undefined) throw new Error('not read');
    const at = (clock: string) =>
      observationOf({ ...formFor(read), time: `2026-11-20T${clock}Z` }, read)['windows'];
    expect(at('12:15:00')).toMatchObject([{ kind: 'Schedule', name: 'sale', minReplicas: 7 }]);
    expect(at('12:25:00')).toEqual([]);
  });
});

describe('defaults beside a policy', () => {
  const defaults = (name: string, values: string, selector = '') => `---
apiVersion: plimsoll.dev/v1alpha1
kind: PolicyDefaults
metadata: { name: ${name} }
spec:
  values: ${values}
${selector}`;
  const bare = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: checkout, namespace: shop, labels: { tier: front } }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: checkout }
  minReplicas: 2
`;

  it.each([
    {
      name: 'fill in what it leaves out',
      more: [defaults('all', '{ minReplicas: 5, maxReplicas: 9 }')],
      want: [2, 9],
    },
    {
      name: 'come before those with a selector, which fill in the rest',
      more: [
        defaults(
          'front',
          '{ maxReplicas: 40, interval: 30s }',
          '  selector: { matchLabels: { tier: front } }\n',
        ),
        defaults('all', '{ maxReplicas: 9 }'),
      ],
      want: [2, 9],
    },
    {
      name: 'are left out where their selector is of others',
      more: [defaults('back', '{ maxReplicas: 40 }', '  selector: { matchLabels: { tier: back } }\n')],
      want: undefined,
    },
  ])('$name', ({ more, want }) => {
    const { policy } = readPolicyText(`${bare}${more.join('')}`);
    expect(policy && [policy.minReplicas, policy.maxReplicas]).toEqual(want);
  });

  it('that contradict each other, or are wrong, are named at their place', () => {
    const conflict = readPolicyText(
      `${bare}${defaults('one', '{ maxReplicas: 8 }')}${defaults('two', '{ maxReplicas: 9 }')}`,
    );
    expect(conflict.diagnostics).toMatchObject([{ code: 'ConflictingDefaults', line: 4 }]);
    expect(conflict.policy).toBeUndefined();
    const wrong = readPolicyText(`${bare}${defaults('one', '{ maxReplica: 8 }')}`);
    expect(wrong.diagnostics).toContainEqual(expect.objectContaining({ code: 'UnknownField', line: 12 }));
  });
});

describe('the place of a cursor', () => {
  it.each([
    { text: 'sp', want: { path: [], key: undefined, typed: 'sp' } },
    { text: 'spec:\n  min', want: { path: ['spec'], key: undefined, typed: 'min' } },
    {
      text: 'spec:\n  metrics:\n    - ty',
      want: { path: ['spec', 'metrics', '[]'], key: undefined, typed: 'ty' },
    },
    {
      text: 'spec:\n  metrics:\n  - type: Resource\n    resource:\n      target:\n        ',
      want: { path: ['spec', 'metrics', '[]', 'resource', 'target'], key: undefined, typed: '' },
    },
    {
      text: 'spec:\n  metrics:\n    - type: Resource\n    - type: Ex',
      want: { path: ['spec', 'metrics', '[]'], key: 'type', typed: 'Ex' },
    },
    {
      text: 'spec:\n  scaleTargetRef: { apiVersion: apps/v1, ki',
      want: { path: ['spec', 'scaleTargetRef'], key: undefined, typed: 'ki' },
    },
    {
      text: 'spec:\n  behavior:\n    scaleUp: { policies: [{ type: Per',
      want: { path: ['spec', 'behavior', 'scaleUp', 'policies', '[]'], key: 'type', typed: 'Per' },
    },
    { text: 'kind: A\n---\nki', want: { path: [], key: undefined, typed: 'ki' } },
  ])('is found in $text', ({ text, want }) => {
    expect(yamlPlaceAt(text)).toEqual(want);
  });

  it('is none in a comment', () => {
    expect(yamlPlaceAt('spec:\n  # min')).toBeUndefined();
  });

  it('is completed by the schema of the kind, with type and meaning', () => {
    const found = completionsAt('kind: AutoscalingPolicy\nspec:\n  min');
    expect(found?.typed).toBe(3);
    expect(found?.options).toContainEqual({
      label: 'minReplicas',
      detail: 'integer',
      info: 'By default 1; 0 needs an Object or External metric.',
      text: 'minReplicas: ',
    });
    const words = completionsAt('kind: AutoscalingPolicy\nspec:\n  metrics:\n    - type: ');
    expect(words?.options.map(({ label }) => label)).toContain('ContainerResource');
    expect(completionsAt('kind: ')?.options.map(({ label }) => label)).toContain('WatermarkPodAutoscaler');
    expect(completionsAt('spec:\n  nothing:\n    of: ')).toBeUndefined();
  });
});

describe('a link', () => {
  it('holds the whole scenario', async () => {
    const scenario = {
      ...exampleScenario,
      minutes: 7,
      observation: '{"time":1}',
      memory: { scaleUpEvents: [] },
    };
    const link = (await linkOf(scenario)) ?? '';
    expect(link.length).toBeLessThan(1_500);
    expect(await scenarioOf(link)).toEqual(scenario);
  });

  it('is none where there is too much in it', async () => {
    const csv = Array.from({ length: 50_000 }, (_, index) => `${index},${(index * 7_919) % 10_007}`).join(
      '\n',
    );
    expect(await linkOf({ ...exampleScenario, curve: { ...exampleScenario.curve, csv } })).toBeUndefined();
  });

  it.each(['', '#s=', '#s=AAAA', '#other', '#s=%%'])('that is none is left alone: %j', async (hash) => {
    expect(await scenarioOf(hash)).toBeUndefined();
  });

  it.each(['-271821-04-20T00:00:00.000Z', '+275760-09-13T00:00:00.000Z', 'Jan 5', '12'])(
    'that says %s, which is no time of ours, is of the usual time',
    async (time) => {
      const figures = { time, replicas: 3, ready: 3, request: '200m', measured: [] };
      const link = await linkOf({ ...exampleScenario, figures });
      const found = await scenarioOf(link ?? '');
      expect(found?.figures?.time).toBe('2026-06-15T00:00:00.000Z');
    },
  );

  it('that unfolds to more than it may is left alone', async () => {
    const link = await linkOf({ ...exampleScenario, policy: 'x'.repeat(10_000_000) });
    expect(link?.length).toBeGreaterThan(1_000);
    expect(await scenarioOf(link ?? '')).toBeUndefined();
  });
});

const watermarks = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: checkout, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: checkout }
  minReplicas: 2
  maxReplicas: 20
  metrics:
    - type: External
      external:
        metric: { name: queue }
        target: { type: Watermark, algorithm: average, lowWatermark: 20, highWatermark: 60 }
  behavior:
    scaleUp: { limitPercent: 50, forbiddenWindowSeconds: 60 }
`;

function inputOf(text: string): DecideInput {
  const { policy, document, diagnostics } = readPolicyText(text);
  if (policy === undefined) throw new Error(diagnostics[0]?.message);
  const observation = observationOf({ ...formFor(policy), time }, policy);
  const evaluated = evaluate({ policy: document, settings: {}, observation, memory: {} });
  if (evaluated.kind === 'Unusable') throw new Error(evaluated.error.message);
  return evaluated.input;
}

/** The run of a curve, in so many minutes. */
// eslint-disable-next-line max-params -- a table of runs reads better so
function runOf(
  curve: Partial<LoadCurve>,
  minutes: number,
  podStartSeconds = 20,
  policy = exampleScenario.policy,
): Run {
  const base = inputOf(policy);
  const loadAt = valueOf(loadAtOf({ ...exampleScenario.curve, ...curve }, Date.parse(time) / 1_000));
  return runSteps(valueOf(runCurve({ base, loadAt, minutes, podStartSeconds })));
}

function valueOf<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
