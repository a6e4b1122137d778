import { describe, expect, it } from '@jest/globals';
import { memoryWithoutWrite } from '../evaluation/memory-after.ts';
import { ago, aPod, decideFor, inputFor, marked, queue, type Situation } from '../testing/decide-for.ts';

const settings = { maximumFutureSeconds: 60, maximumSampleAgeSeconds: 180 };
const yearOfTheEnd = '9999-12-31T23:59:59Z';

/** A clock that was set back by an hour: everything remembered lies in the future. */
const later = ago(-3600);

describe('a clock that was set back', () => {
  const situation: Situation = {
    spec: {
      metrics: [marked],
      behavior: {
        scaleUp: { forbiddenWindowSeconds: 60, policies: [{ type: 'Pods', value: 2, periodSeconds: 60 }] },
      },
    },
    observation: { metrics: [{ values: ['1000000'] }] },
    settings,
    memory: {
      recommendations: [{ replicas: 2, time: later }],
      scaleUpEvents: [{ replicas: 1, time: later }],
      lastScaleTime: later,
      conditions: [{ type: 'AboveHighWatermark', status: 'True', lastTransitionTime: later }],
    },
  };

  it('counts what is remembered as of now, and says so', () => {
    const { decision, memory } = decideFor(situation);
    expect(decision.steps[0]).toEqual({
      rule: 'clock',
      before: 4,
      after: 4,
      because:
        '4 remembered times lie more than 60 s after this moment and count as now: the clock was set back',
    });
    expect(decision.action).toBe('None');
    expect(memory.lastScaleTime).toBe(ago(0));
    expect(memory.recommendations).toEqual([{ replicas: 2, time: ago(0) }]);
  });

  it('lets a delay begin anew, and skips it no more than before', () => {
    const { decision } = decideFor({
      ...situation,
      spec: { metrics: [marked], behavior: { scaleUp: { delaySeconds: 60 } } },
      memory: {
        conditions: [{ type: 'AboveHighWatermark', status: 'True', lastTransitionTime: later }],
      },
    });
    expect(decision).toMatchObject({ action: 'None', reason: 'A delay keeps the present count' });
  });

  it('leaves no time of the future when nothing is written', () => {
    const input = inputFor(situation);
    const kept = memoryWithoutWrite(input, decideFor(situation));
    expect(JSON.stringify(kept)).not.toContain(later);
    expect(kept).toMatchObject({ lastScaleTime: ago(0), scaleUpEvents: [{ replicas: 1, time: ago(0) }] });
  });

  it('is not noticed within the limit, nor without one', () => {
    const near = { ...situation, memory: { lastScaleTime: ago(-60) } };
    const unlimited = { ...situation, settings: {} };
    for (const each of [near, unlimited])
      expect(decideFor(each).decision.steps.map(({ rule }) => rule)).not.toContain('clock');
    expect(decideFor(unlimited).memory.lastScaleTime).toBe(later);
  });
});

describe('a sample of the future', () => {
  it('makes the metric invalid where it is a value', () => {
    const { decision } = decideFor({
      spec: { metrics: [queue] },
      settings,
      observation: { metrics: [{ values: ['1'], timestamp: yearOfTheEnd }] },
    });
    expect(decision.action).toBe('Hold');
    expect(decision.metrics[0]?.error?.message).toBe(
      'the value of 9999-12-31T23:59:59Z lies more than 60 s in the future',
    );
  });

  it.each([
    { timestamp: ago(-61), missing: ['a'] },
    { timestamp: ago(-60), missing: [] },
    { timestamp: ago(180), missing: [] },
    { timestamp: ago(181), missing: ['a'] },
  ])('of $timestamp leaves $missing without a metric', ({ timestamp, missing }) => {
    const { decision } = decideFor({
      settings,
      current: 2,
      observation: {
        pods: [aPod('a'), aPod('b')],
        metrics: [
          {
            pods: ['a', 'b'].map((pod) => ({
              pod,
              timestamp: pod === 'a' ? timestamp : ago(1),
              containers: [{ name: 'app', usage: { cpu: '80m' } }],
            })),
          },
        ],
      },
    });
    expect(decision.metrics[0]?.pods.missing).toEqual(missing);
  });
});
