import { describe, expect, it } from '@jest/globals';
import { readPolicy } from '../documents/parse-policy.ts';

const policy = (spec: object): ReturnType<typeof readPolicy> =>
  readPolicy({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, ...spec },
  });

describe('hints', () => {
  const behavior = (stabilizationWindowSeconds: string) => ({
    maxReplicas: 9,
    behavior: { scaleDown: { stabilizationWindowSeconds } },
  });

  it.each([
    { name: 'a percentage', spec: { maxReplicas: '60%' }, want: 'write 60, without quotes and %' },
    { name: 'a number in quotes', spec: { maxReplicas: '4' }, want: 'write 4, without quotes' },
    {
      name: 'minutes where seconds are asked for',
      spec: behavior('5m'),
      want: 'write 300: it is in seconds',
    },
    { name: 'minutes elsewhere', spec: { maxReplicas: '5m' }, want: undefined },
    { name: 'another text', spec: { maxReplicas: 'many' }, want: undefined },
    { name: 'a number that may be octal', spec: { maxReplicas: '010' }, want: undefined },
  ])('say which number is meant by $name', ({ spec, want }) => {
    const { problems } = policy(spec);
    expect(problems.map(({ code, hint }) => [code, hint])).toEqual([['InvalidType', want]]);
  });

  it.each([
    {
      name: 'a map where a list is wanted',
      spec: { schedules: { name: 'a' } },
      want: 'begin each of its items with "- "',
    },
    {
      name: 'dashes without a space where a list is wanted',
      spec: { schedules: { '-name': 'a', '-start': 'b' } },
      want: 'put a space after the dash: - name',
    },
    { name: 'a boolean in quotes', spec: { enabled: 'false' }, want: 'write false, without quotes' },
    { name: 'another text for a boolean', spec: { enabled: 'off' }, want: undefined },
  ])('say what is meant by $name', ({ spec, want }) => {
    const { problems } = policy({ maxReplicas: 9, ...spec });
    expect(problems.map(({ code, hint }) => [code, hint])).toEqual([['InvalidType', want]]);
  });

  it.each([
    {
      name: 'below an empty field',
      spec: { behavior: null, scaleDown: {} },
      want: 'behavior above it is empty: indent it deeper, if it is a field of behavior',
    },
    {
      name: 'below an empty field, and below another that is unknown',
      spec: { behavior: null, scaleDown: {}, scaleUp: {} },
      want: 'behavior above it is empty: indent it deeper, if it is a field of behavior',
    },
    {
      name: 'with a slip of the pen',
      spec: { behavior: null, maxReplica: 9 },
      want: 'did you mean maxReplicas?',
    },
    {
      name: 'elsewhere',
      spec: { behavior: {}, scaleDown: {} },
      want: expect.stringMatching(/^its fields are scaleTargetRef, /),
    },
  ])('say of an unknown field $name where it may belong', ({ spec, want }) => {
    const hints = policy({ maxReplicas: 9, ...spec }).problems.map(({ hint }) => hint);
    expect([...new Set(hints)]).toEqual([want]);
  });

  it('say nothing of the library that reads crons', () => {
    const window = { name: 'night', timeZone: 'UTC', duration: '1h', minReplicas: 2 };
    const { problems } = policy({ maxReplicas: 9, schedules: [{ ...window, cron: '0 99 * * *' }] });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^cron is no schedule \((?!\w+: )/),
    ]);
  });
});
