import { describe, expect, it } from '@jest/globals';
import { presentOutcome } from '../reporting/present-outcome.ts';
import { outcomeOfReady } from './outcome-of-ready.ts';
import type { PassOutcome } from './pass-outcome.ts';

const outcomes: readonly PassOutcome[] = [
  { kind: 'Done', reason: 'Scaled', message: 'scaled from 2 to 4' },
  { kind: 'Done', reason: 'Unchanged', message: 'nothing changes' },
  { kind: 'Waiting', reason: 'CacheNotSynced', message: 'the cache is not synced' },
  { kind: 'Waiting', reason: 'FailedGetResourceMetric', message: 'no metrics' },
  { kind: 'Stalled', reason: 'Conflict', message: 'another autoscaler scales it' },
  { kind: 'Stalled', reason: 'Contested', message: 'others undo it' },
  { kind: 'Failed', reason: 'FailedGetScale', message: '403' },
  { kind: 'Failed', reason: 'PassTimedOut', message: 'too long' },
  { kind: 'Bug', reason: 'Bug', message: 'a mistake of ours' },
];

describe('the outcome of a stored condition', () => {
  it.each(outcomes)('is the one that set it: $kind, $reason', (outcome) => {
    const { condition } = presentOutcome(outcome, {
      key: 'shop/checkout',
      subject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' },
      time: '2026-11-20T12:00:00.000Z',
      selector: null,
      family: 'hpa',
      previous: null,
    });
    expect(outcomeOfReady({ ...condition, lastTransitionTime: '2026-11-20T12:00:00.000Z' })).toEqual(outcome);
  });

  it('is a failure where a later release gave the reason', () => {
    const state = { status: 'False', lastTransitionTime: '2026-11-20T12:00:00.000Z', message: 'm' } as const;
    expect(outcomeOfReady({ ...state, reason: 'Newer' })).toEqual({
      kind: 'Failed',
      reason: 'Newer',
      message: 'm',
    });
  });
});
