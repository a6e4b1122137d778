import { describe, expect, it } from '@jest/globals';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { presentOutcome } from './present-outcome.ts';

const subject = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const time = '2026-11-20T12:00:00.000Z';
const scaled: PassOutcome = { kind: 'Done', reason: 'Scaled', message: 'shop/checkout 4 → 6' };
const dryRun = (to: number): PassOutcome => ({ kind: 'Done', reason: 'DryRun', message: `4 → ${to}` });
const unchanged: PassOutcome = { kind: 'Done', reason: 'Unchanged', message: 'decides again' };
const holding: PassOutcome = { kind: 'Waiting', reason: 'Holding', message: 'no metrics' };
const conflict: PassOutcome = { kind: 'Stalled', reason: 'Conflict', message: 'HPA web' };
const failed: PassOutcome = { kind: 'Failed', reason: 'LedgerUnavailable', message: 'disk full' };
const bug: PassOutcome = { kind: 'Bug', reason: 'Bug', message: 'x is not a function' };
const told = (outcome: PassOutcome, previous: PassOutcome | null) =>
  presentOutcome(outcome, {
    key: 'shop/checkout',
    subject,
    time,
    previous,
    selector: 'app=a',
    family: 'hpa',
  });

describe('presentOutcome', () => {
  it.each([
    {
      name: 'a scaling every time',
      outcome: scaled,
      previous: scaled,
      status: 'True',
      level: 'info',
      event: false,
    },
    { name: 'a first quiet pass in silence', outcome: unchanged, previous: null, status: 'True' },
    { name: 'a quiet pass after a scaling in silence', outcome: unchanged, previous: scaled, status: 'True' },
    {
      name: 'that it works again',
      outcome: unchanged,
      previous: failed,
      status: 'True',
      level: 'info',
      event: false,
    },
    { name: 'the same dry run in silence', outcome: dryRun(6), previous: dryRun(6), status: 'True' },
    {
      name: 'a dry run that asks for more',
      outcome: dryRun(7),
      previous: dryRun(6),
      status: 'True',
      level: 'info',
    },
    {
      name: 'waiting once',
      outcome: holding,
      previous: scaled,
      status: 'Unknown',
      level: 'info',
      event: true,
    },
    { name: 'the same waiting in silence', outcome: holding, previous: holding, status: 'Unknown' },
    {
      name: 'stalled at info, the user must act',
      outcome: conflict,
      previous: holding,
      status: 'False',
      level: 'info',
      event: true,
    },
    {
      name: 'a failure as a warning',
      outcome: failed,
      previous: null,
      status: 'False',
      level: 'warn',
      event: true,
    },
    {
      name: 'a bug as an error',
      outcome: bug,
      previous: null,
      status: 'False',
      level: 'error',
      event: false,
    },
  ])('tells $name', ({ outcome, previous, status, level, event }) => {
    const { condition, log, event: emitted } = told(outcome, previous);
    expect(condition).toEqual({ type: 'Ready', status, reason: outcome.reason, message: outcome.message });
    expect(log?.level).toBe(level);
    expect(emitted !== null).toBe(event ?? false);
  });

  it('names the policy in every line', () => {
    expect(told(scaled, null).log?.text).toBe('shop/checkout 4 → 6');
    expect(told(holding, null).log).toEqual({
      level: 'info',
      text: 'shop/checkout  no metrics',
      fields: { policy: 'shop/checkout', outcome: 'Waiting', reason: 'Holding' },
    });
    expect(told(holding, null).event).toEqual({
      subject,
      type: 'Warning',
      reason: 'Holding',
      message: 'no metrics',
      time,
    });
  });
});
