import { describe, expect, it } from '@jest/globals';
import { aPolicy } from '../testing/a-policy.ts';
import { bestEffortOfBrake } from './native-window.ts';

interface Row {
  readonly name: string;
  /** Of scaling down, in seconds. */
  readonly window?: number;
  readonly selectPolicy?: 'Disabled';
  readonly intervalSeconds?: number;
  readonly actuation?: 'Scale';
  /** After how many seconds each of the two may act; null: nothing is said. */
  readonly want: readonly [number, number] | null;
}

const rows: readonly Row[] = [
  { name: 'the window of the native controller', want: null },
  { name: 'a window as long', window: 300, want: null },
  { name: 'a window that is shorter by a second', window: 299, want: [299, 300] },
  { name: 'no window', window: 0, want: [0, 300] },
  { name: 'an interval and a pass within the window', intervalSeconds: 270, want: null },
  { name: 'an interval and a pass beyond it', intervalSeconds: 271, want: [300, 301] },
  { name: 'a window that is long enough for them', window: 301, intervalSeconds: 271, want: null },
  { name: 'no window where nothing is scaled down', window: 0, selectPolicy: 'Disabled', want: null },
  { name: 'no window where the policy is carried out by scale', window: 0, actuation: 'Scale', want: null },
];

describe('the fleet brake and the native controller', () => {
  it.each(rows)('with $name: $want', ({ window, selectPolicy, want, intervalSeconds = 15, actuation }) => {
    const { behavior } = aPolicy();
    const scaleDown = {
      ...(window !== undefined && { stabilizationWindowSeconds: window }),
      ...(selectPolicy !== undefined && { selectPolicy }),
    };
    const said = bestEffortOfBrake({
      actuation: actuation ?? 'HorizontalPodAutoscaler',
      behavior: { ...behavior, scaleDown },
      intervalSeconds,
    });
    const sentence = (after: number, needed: number): string =>
      `the fleet brake is best effort: the native controller may scale in after ${after} s, and the stop may take ${needed} s`;
    expect(said).toEqual(want === null ? [] : [sentence(...want)]);
  });
});
