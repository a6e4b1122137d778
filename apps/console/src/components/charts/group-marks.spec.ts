import { describe, expect, it } from '@jest/globals';
import { groupMarks } from './group-marks.ts';
import type { MarkKind, PlotMark } from './plot-marks.ts';

const mark = (time: number, kind: MarkKind = 'up'): PlotMark => ({
  id: `${kind} ${time}`,
  time,
  kind,
  title: `${kind} at ${time}`,
  path: '/',
});
const shown = (marks: readonly PlotMark[], seconds: number) =>
  groupMarks(marks, seconds).map(({ time, title }) => [time, title]);

describe('marks on a time axis', () => {
  it('are one where they would cover each other', () => {
    const burst = [mark(0), mark(1), mark(2)];
    expect(shown(burst, 10)).toEqual([[2, 'up at 2; and 2 others, such as up at 1']]);
    expect(shown(burst, 1)).toHaveLength(3);
  });

  it('do not cover those of other lanes', () => {
    expect(shown([mark(0), mark(0, 'sync'), mark(0, 'policy')], 10)).toHaveLength(3);
  });

  it('are led by what has the others in its train, at the time of the newest', () => {
    expect(shown([mark(5, 'sync'), mark(3, 'ended')], 10)).toEqual([[5, 'ended at 3; also sync at 5']]);
  });
});
