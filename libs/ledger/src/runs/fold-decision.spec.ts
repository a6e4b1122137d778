import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Decision } from '#decision';
import { canonicalJson } from '#kernel';
import {
  aCommit,
  aDecision,
  aDecisionPayload,
  aMetric,
  timeAfter,
} from '../../../../test/support/ledger-builders.ts';
import type { DecisionPayload, DecisionRunPayload } from '../entries/payloads/decision-payloads.ts';
import type { OpenRun } from './fold-decision.ts';
import { foldDecision, type FoldedDecision, runEndOf, sealedRun, sealRun } from './fold-decision.ts';

function fold(records: readonly DecisionPayload[]): {
  readonly appended: FoldedDecision['append'];
  readonly openRun: OpenRun | null;
} {
  let openRun: OpenRun | null = null;
  const appended = records.flatMap((record, index) => {
    const folded = foldDecision(openRun, record);
    // As the controller folds, which knows the decision before.
    const before = records[index - 1];
    if (before !== undefined) {
      expect(
        foldDecision(openRun, record, runEndOf({ ...before, input: sharedInput(before, record) })),
      ).toEqual(folded);
    }
    openRun = folded.openRun;
    return folded.append;
  });
  return { appended, openRun };
}

/** The input of a decision before, with the very policy of the next one where it is the same. */
function sharedInput(
  { input }: DecisionPayload,
  { input: { policy } }: DecisionPayload,
): DecisionPayload['input'] {
  return canonicalJson(input.policy) === canonicalJson(policy) ? { ...input, policy } : input;
}

const everyFifteenSeconds = (count: number, change: (index: number) => Partial<Decision> = () => ({})) =>
  Array.from({ length: count }, (_, index) =>
    aDecisionPayload({ time: timeAfter(index * 15), ...change(index) }),
  );

describe('foldDecision', () => {
  it('records the first decision in full', () => {
    const record = aDecisionPayload();
    expect(foldDecision(null, record).append).toEqual([
      { stream: 'policy:shop/checkout', kind: 'Decision', time: record.decision.time, payload: record },
    ]);
  });

  it('folds decisions that repeat it, with the range of each metric', () => {
    const current = ['900m', '1', '1100m'].map((value, index) => ({
      metrics: [aMetric({ current: { averageUtilization: 60 + index, averageValue: value } })],
    }));
    const { appended, openRun } = fold(everyFifteenSeconds(4, (index) => current[index - 1] ?? {}));
    expect(appended.map(({ kind }) => kind)).toEqual(['Decision']);
    expect(sealRun(openRun)).toEqual([
      {
        stream: 'policy:shop/checkout',
        kind: 'DecisionRun',
        time: timeAfter(45),
        payload: {
          policy: { namespace: 'shop', name: 'checkout' },
          first: timeAfter(15),
          last: timeAfter(45),
          count: 3,
          action: 'None',
          desiredReplicas: 4,
          reason: 'the count is right',
          metrics: [
            {
              type: 'Resource',
              name: 'cpu',
              proposedReplicas: { min: 4, max: 4 },
              current: {
                averageUtilization: { min: 60, max: 62 },
                averageValue: { min: '900m', max: '1100m' },
              },
            },
          ],
        } satisfies DecisionRunPayload,
      },
    ]);
  });

  it('seals a run before it lasts 15 minutes, and goes on without a new decision', () => {
    const { appended, openRun } = fold(everyFifteenSeconds(63));
    expect(appended.map(({ kind, time }) => [kind, time])).toEqual([
      ['Decision', timeAfter(0)],
      ['DecisionRun', timeAfter(60 * 15)],
    ]);
    expect(openRun).toMatchObject({ count: 2, first: timeAfter(61 * 15), last: timeAfter(62 * 15) });
  });

  const [condition] = aDecision().conditions;
  const differences: readonly { name: string; given: DecisionPayload }[] = [
    { name: 'action', given: aDecisionPayload({ action: 'Hold' }) },
    { name: 'desiredReplicas', given: aDecisionPayload({ desiredReplicas: 5 }) },
    { name: 'reason', given: aDecisionPayload({ reason: 'other' }) },
    {
      name: 'selection',
      given: aDecisionPayload({
        selection: { requested: 'OwnerReference', effective: 'OwnerReference', fallback: null },
      }),
    },
    { name: 'rule ids', given: aDecisionPayload({ steps: [] }) },
    {
      name: "a condition's reason",
      given: aDecisionPayload({ conditions: [{ ...condition!, reason: 'BackoffBoth' }] }),
    },
    {
      name: 'a metric error',
      given: aDecisionPayload({
        metrics: [aMetric({ error: { reason: 'FailedGetResourceMetric', message: 'm' } })],
      }),
    },
    { name: 'the departures', given: aDecisionPayload({}, { departures: ['the native controller rounds'] }) },
    {
      name: 'the commit, as of a policy that was removed and came back between two passes',
      given: aDecisionPayload({}, { commit: { ...aCommit, hash: 'f'.repeat(40) } }),
    },
    { name: 'the engine version', given: aDecisionPayload({}, { engineVersion: '9.9.9' }) },
    {
      name: 'the policy',
      given: aDecisionPayload({}, { input: { ...aDecisionPayload().input, policy: { spec: 'other' } } }),
    },
    { name: 'a clock that went back', given: aDecisionPayload({ time: timeAfter(-1) }) },
  ];

  it.each(differences)('seals the run and records in full on a difference of $name', ({ given }) => {
    const [first, second] = everyFifteenSeconds(2);
    const time = given.decision.time === timeAfter(0) ? timeAfter(60) : given.decision.time;
    const last = { ...given, decision: { ...given.decision, time } };
    const { appended, openRun } = fold([first!, second!, last]);
    expect(appended.map(({ kind }) => kind)).toEqual(['Decision', 'DecisionRun', 'Decision']);
    expect(openRun?.count).toBe(0);
  });

  it.each([
    { name: 'the message of a condition', given: { conditions: [{ ...condition!, message: 'other' }] } },
    {
      name: 'the time of a condition',
      given: { conditions: [{ ...condition!, lastTransitionTime: timeAfter(9) }] },
    },
    {
      name: 'the figures in a step',
      given: { steps: [{ ...aDecision().steps[0]!, because: 'within 9 %' }] },
    },
    { name: 'the present count', given: { currentReplicas: 5 } },
  ])('sees no difference in $name', ({ given }) => {
    const { appended } = fold([aDecisionPayload(), aDecisionPayload({ time: timeAfter(15), ...given })]);
    expect(appended).toHaveLength(1);
  });

  it('goes on after a shutdown without recording the same decision anew', () => {
    const { openRun } = fold(everyFifteenSeconds(3));
    const reopened = sealedRun(openRun!);
    expect(sealRun(reopened)).toEqual([]);
    const folded = foldDecision(reopened, aDecisionPayload({ time: timeAfter(3_600) }));
    expect(folded.append).toEqual([]);
    expect(folded.openRun).toMatchObject({ count: 1, first: timeAfter(3_600) });
  });

  it('accounts for every decision exactly once, in order', () => {
    const passes = fc.array(
      fc.record({ desiredReplicas: fc.nat({ max: 2 }), after: fc.nat({ max: 400 }), usage: fc.nat() }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(passes, (given) => {
        let seconds = 0;
        const records = given.map(({ desiredReplicas, after, usage }) => {
          seconds += after;
          const metrics = [aMetric({ current: { averageUtilization: usage } })];
          return aDecisionPayload({ time: timeAfter(seconds), desiredReplicas, metrics });
        });
        const { appended, openRun } = fold(records);
        const told = [...appended, ...sealRun(openRun)].flatMap((draft) =>
          draft.kind === 'Decision'
            ? fullOf(draft.payload as DecisionPayload)
            : runOf(draft.payload as DecisionRunPayload),
        );
        expect(told).toEqual(records.map(({ decision }) => decision.desiredReplicas));
      }),
    );
  });

  it('keeps each run short, and its values within its range', () => {
    const usages = fc.array(fc.nat({ max: 200 }), { minLength: 2, maxLength: 200 });
    fc.assert(
      fc.property(usages, (given) => {
        const records = everyFifteenSeconds(given.length, (index) => ({
          metrics: [aMetric({ current: { averageUtilization: given[index] ?? 0 } })],
        }));
        const { appended, openRun } = fold(records);
        const runs = [...appended, ...sealRun(openRun)]
          .filter(({ kind }) => kind === 'DecisionRun')
          .map(({ payload }) => payload as DecisionRunPayload);
        for (const { first, last, metrics } of runs) {
          expect(Date.parse(last) - Date.parse(first)).toBeLessThan(15 * 60 * 1_000);
          const seen = records
            .filter(({ decision }) => decision.time >= first && decision.time <= last)
            .map(({ decision }) => decision.metrics[0]?.current.averageUtilization ?? 0);
          const want = { min: Math.min(...seen), max: Math.max(...seen) };
          expect(metrics[0]?.current.averageUtilization).toEqual(want);
        }
      }),
    );
  });
});

function fullOf({ decision }: DecisionPayload): readonly (number | null)[] {
  return [decision.desiredReplicas];
}

function runOf({ count, desiredReplicas }: DecisionRunPayload): readonly (number | null)[] {
  return Array.from({ length: count }, () => desiredReplicas);
}
