import { describe, expect, it } from '@jest/globals';
import { mergeDefaults } from './merge-defaults.ts';
import { readPolicyDefaults } from './policy-defaults.ts';

describe('merging defaults', () => {
  it('fills maps field by field, the nearest rank first, and says where each value comes from', () => {
    const merged = mergeDefaults({ maxReplicas: 9, behavior: { scaleUp: { delaySeconds: 5 } } }, [
      [
        {
          source: 'near',
          values: { interval: '5s', behavior: { scaleUp: { delaySeconds: 9, limitPercent: 50 } } },
        },
      ],
      [
        {
          source: 'far',
          values: { interval: '60s', dryRun: true, behavior: { scaleDown: { limitPercent: 10 } } },
        },
      ],
    ]);
    expect(merged.spec).toEqual({
      maxReplicas: 9,
      interval: '5s',
      dryRun: true,
      behavior: { scaleUp: { delaySeconds: 5, limitPercent: 50 }, scaleDown: { limitPercent: 10 } },
    });
    expect(merged.conflicts).toEqual([]);
    expect(merged.originOf(['maxReplicas'])).toBeUndefined();
    expect(merged.originOf(['behavior', 'scaleUp', 'delaySeconds'])).toBeUndefined();
    expect(merged.originOf(['behavior', 'scaleUp', 'limitPercent'])).toBe('near');
    expect(merged.originOf(['behavior', 'scaleDown', 'limitPercent'])).toBe('far');
  });

  it('replaces lists, and takes null for absent', () => {
    const merged = mergeDefaults({ metrics: null, interval: '9s' }, [
      [{ source: 'a', values: { metrics: [{ type: 'Pods' }], interval: null, dryRun: null } }],
    ]);
    expect(merged.spec).toEqual({ metrics: [{ type: 'Pods' }], interval: '9s' });
    expect(merged.originOf(['metrics', 0, 'type'])).toBe('a');
  });

  it('reports two of one rank that differ, where nothing nearer decides', () => {
    const rank = [
      { source: 'a', values: { interval: '5s', dryRun: true } },
      { source: 'b', values: { interval: '6s', dryRun: true } },
    ];
    expect(mergeDefaults({}, [rank]).conflicts).toEqual([{ path: ['interval'], sources: ['a', 'b'] }]);
    expect(mergeDefaults({ interval: '1s' }, [rank]).conflicts).toEqual([]);
    expect(mergeDefaults({}, [[{ source: 'n', values: { interval: '1s' } }], rank]).conflicts).toEqual([]);
  });
});

describe('two of one rank that say the same in other words', () => {
  it.each([
    { name: 'a number and a text', one: { tolerance: 5 }, other: { tolerance: '5' }, conflicts: 0 },
    { name: 'two units', one: { limitPercent: '500m' }, other: { limitPercent: 0.5 }, conflicts: 0 },
    { name: 'other values', one: { limitPercent: '500m' }, other: { limitPercent: 0.6 }, conflicts: 1 },
    {
      name: 'texts that are no quantities',
      one: { interval: '5' },
      other: { interval: '5.0' },
      conflicts: 1,
    },
    {
      name: 'a quantity within a list',
      one: { metrics: [{ type: 'External', external: { target: { value: 1 } } }] },
      other: { metrics: [{ type: 'External', external: { target: { value: '1000m' } } }] },
      conflicts: 0,
    },
  ])('$name: $conflicts conflicts', ({ one, other, conflicts }) => {
    const rank = [
      { source: 'a', values: one },
      { source: 'b', values: other },
    ];
    expect(mergeDefaults({}, [rank]).conflicts).toHaveLength(conflicts);
  });
});

describe('reading PolicyDefaults', () => {
  const document = (spec: unknown): unknown => ({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'PolicyDefaults',
    metadata: { name: 'a' },
    spec,
  });

  it.each([
    {
      name: 'takes fields of a policy',
      spec: { values: { interval: '5s', behavior: { scaleUp: { limitPercent: 5 } } } },
      want: [],
    },
    {
      name: 'takes a selector',
      spec: { selector: { namespaces: ['a'], matchLabels: { b: 'c' } }, values: {} },
      want: [],
    },
    { name: 'needs values', spec: {}, want: ['spec.values Required'] },
    {
      name: 'refuses what belongs to a policy',
      spec: { values: { replicas: 3 } },
      want: ['spec.values.replicas Forbidden'],
    },
    {
      name: 'refuses unknown fields',
      spec: { values: { intervall: '5s' } },
      want: ['spec.values.intervall UnknownField'],
    },
    {
      name: 'refuses wrong values',
      spec: { values: { interval: '2h' } },
      want: ['spec.values.interval OutOfRange'],
    },
    {
      name: 'refuses wrong selectors',
      spec: { selector: { namespaces: ['A'] }, values: {} },
      want: ['spec.selector.namespaces.0 InvalidValue'],
    },
  ])('$name', ({ spec, want }) => {
    const { value, problems } = readPolicyDefaults(document(spec));
    expect(problems.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual(want);
    expect(value === undefined).toBe(want.length > 0);
  });
});
