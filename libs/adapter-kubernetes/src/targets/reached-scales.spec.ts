import { describe, expect, it } from '@jest/globals';
import { systemTiming } from '../time/timing.ts';
import { ReachedScales } from './reached-scales.ts';

const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };

interface Answer {
  /** In seconds. */
  readonly at: number;
  readonly version: string;
  /** What the watch has when it is asked; default: nothing. */
  readonly watched?: string;
  /** What a trusted watch has, with which a pass before the answer went on; default: no pass did. */
  readonly passed?: string;
}

/** `Believed` or `WentBack` of each answer in turn, after a write that gave version 9. */
function judged(answers: readonly Answer[]): readonly string[] {
  let elapsed = 0;
  const reached = new ReachedScales({ ...systemTiming, elapsed: () => elapsed });
  reached.note(target, '9');
  return answers.map(({ at, version, watched, passed }) => {
    elapsed = at * 1_000;
    if (passed !== undefined) reached.noteWatched(target, passed);
    try {
      reached.judge(target, version, reached.floorOf(target, watched));
      return 'Believed';
    } catch (error) {
      return (error as { code: string }).code;
    }
  });
}

describe('an answer of a server', () => {
  it.each<{ name: string; answers: readonly Answer[]; want: readonly string[] }>([
    { name: 'of the version that is known', answers: [{ at: 0, version: '9' }], want: ['Believed'] },
    { name: 'of a later one', answers: [{ at: 0, version: '10' }], want: ['Believed'] },
    {
      name: 'of one before, for a minute, and from then on',
      answers: [0, 59, 60, 61, 200].map((at) => ({ at, version: '7' })),
      want: ['WentBack', 'WentBack', 'Believed', 'Believed', 'Believed'],
    },
    {
      name: 'of one before, the minute counted from when it last had what is known',
      answers: [
        { at: 0, version: '7' },
        { at: 40, version: '9' },
        { at: 70, version: '7' },
      ],
      want: ['WentBack', 'Believed', 'WentBack'],
    },
    {
      name: 'of one before, the minute begun anew where passes went on with a watch meanwhile',
      answers: [
        { at: 0, version: '7' },
        { at: 3_600, version: '7', passed: '9' },
        { at: 3_661, version: '7' },
      ],
      want: ['WentBack', 'WentBack', 'Believed'],
    },
    {
      name: 'of one before, though a watch is as far back',
      answers: [
        { at: 0, version: '7' },
        { at: 60, version: '7', passed: '7' },
      ],
      want: ['WentBack', 'Believed'],
    },
    {
      name: 'of one before what a watch has',
      answers: [
        { at: 0, version: '10', watched: '12' },
        { at: 1, version: '12', watched: '12' },
      ],
      want: ['WentBack', 'Believed'],
    },
    {
      name: 'of one before what a watch has that ended, for a minute, and from then on',
      answers: [0, 60, 61, 300].map((at) => ({ at, version: '10', watched: '12' })),
      want: ['WentBack', 'Believed', 'Believed', 'Believed'],
    },
    {
      name: 'of a form that is no number',
      answers: [{ at: 0, version: 'abc' }],
      want: ['Believed'],
    },
  ])('$name: $want', ({ answers, want }) => {
    expect(judged(answers)).toEqual(want);
  });

  it('is not judged by what came to be known while it was under way', () => {
    const reached = new ReachedScales(systemTiming);
    const floor = reached.floorOf(target, '5');
    reached.note(target, '9');
    expect(() => reached.judge(target, '6', floor)).not.toThrow();
    expect(reached.floorOf(target, undefined)).toBe('9');
  });
});
