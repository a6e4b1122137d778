import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide } from './decide.ts';
import { memoryAfterFailedWrite, memoryWithoutWrite } from './evaluation/memory-after.ts';
import { parseDecideInput } from './input/parse-decide-input.ts';
import type { DecideInput } from './model/decide-input.ts';
import type { Decision, MetricReport } from './model/decision.ts';
import type { ObservedPod, PodSample } from './model/observation.ts';
import { compareCodePoints } from './selection/compare-code-points.ts';
import { arbitraryInput, type RawInput } from './testing/arbitrary-input.ts';

const runs = { numRuns: 200 };

function read(raw: RawInput): DecideInput {
  const input = parseDecideInput(JSON.parse(JSON.stringify(raw)));
  if (!input.ok) throw new Error(`${input.error.code} ${input.error.path}: ${input.error.message}`);
  return input.value;
}

function holdsFor(property: (input: DecideInput, raw: RawInput) => void): void {
  fc.assert(
    fc.property(arbitraryInput, (raw) => {
      property(read(raw), raw);
    }),
    runs,
  );
}

const rules = [
  'schedule',
  'override',
  'disabled',
  'lifecycle',
  'scale-unreadable',
  'paused',
  'min-max-correction',
  'status-lag',
  'selector',
  'invalid-metric',
  'zero-value',
  'proposal',
  'tolerance',
  'converge',
  'replica-step',
  'highest-proposal',
  'stabilization',
  'rate-policies',
  'legacy-limit',
  'velocity',
  'forbidden-window',
  'delay',
  'override',
  'min-max',
  'freeze',
  'suspend',
  'dry-run',
];

/** Whether the rules appear in the order of a pass; an override stands first by its bound, late by its pin. */
function isInOrder({ steps }: Decision): boolean {
  let at = 0;
  for (const { rule } of steps) {
    const found = rules.indexOf(rule, at);
    if (found < 0) return false;
    at = found;
  }
  return true;
}

describe('decide', () => {
  it('gives the same bytes for the same input', () => {
    holdsFor((input, raw) => {
      expect(JSON.stringify(decide(read(raw)))).toBe(JSON.stringify(decide(input)));
    });
  });

  it('explains itself: the steps follow each other from the present count to the desired one, in order', () => {
    holdsFor((input) => {
      const { decision } = decide(input);
      const { steps, currentReplicas, desiredReplicas } = decision;
      let count = currentReplicas;
      for (const { before, after, because } of steps) {
        expect(before).toBe(count);
        expect(because).not.toBe('');
        count = after;
      }
      expect(steps.length).toBeGreaterThan(0);
      expect(count).toBe(desiredReplicas);
      expect(decision.reason).not.toBe('');
      expect(isInOrder(decision)).toBe(true);
    });
  });

  it('names the action after the change, and scales within the bounds only', () => {
    holdsFor((input) => {
      const { action, currentReplicas, desiredReplicas, steps } = decide(input).decision;
      if (currentReplicas === null || desiredReplicas === null) {
        expect([action, currentReplicas, desiredReplicas]).toEqual(['Hold', null, null]);
        return;
      }
      if (desiredReplicas > currentReplicas) expect(action).toBe('ScaleUp');
      else if (desiredReplicas < currentReplicas) expect(action).toBe('ScaleDown');
      else expect(['None', 'Hold']).toContain(action);
      const isBounded = steps.some(({ rule }) => rule === 'schedule' || rule === 'override');
      if (desiredReplicas !== currentReplicas && !isBounded) {
        expect(desiredReplicas).toBeGreaterThanOrEqual(input.policy.minReplicas);
        expect(desiredReplicas).toBeLessThanOrEqual(input.policy.maxReplicas);
      }
    });
  });

  it('does not look at the order of pods, samples and owners', () => {
    fc.assert(
      fc.property(arbitraryInput, fc.nat(), (raw, seed) => {
        const input = read(raw);
        const { observation } = input;
        const shuffled: DecideInput = {
          ...input,
          observation: {
            ...observation,
            pods: rotate<ObservedPod>(observation.pods ?? [], seed),
            metrics: (observation.metrics ?? []).map((metric) =>
              metric?.pods ? { ...metric, pods: rotate<PodSample>(metric.pods, seed) } : metric,
            ),
          },
        };
        expect(JSON.stringify(decide(shuffled))).toBe(JSON.stringify(decide(input)));
      }),
      runs,
    );
  });

  it('puts every considered pod of a per-pod metric into exactly one group, names sorted', () => {
    holdsFor((input) => {
      for (const metric of decide(input).decision.metrics) {
        const { considered, ready, unready, missing, ignored } = metric.pods;
        for (const list of [considered, ready, unready, missing, ignored])
          expect(list).toEqual(list.toSorted(compareCodePoints));
        if (isPerPod(metric))
          expect([...ready, ...unready, ...missing, ...ignored].sort()).toEqual([...considered].sort());
      }
    });
  });

  it('returns a memory that the next pass accepts and that survives its text', () => {
    holdsFor((input, raw) => {
      const output = decide(input);
      const memories = [
        output.memory,
        memoryWithoutWrite(input, output),
        memoryAfterFailedWrite(input, output),
      ];
      for (const memory of memories) {
        const next = read({ ...raw, memory });
        expect(next.memory).toEqual(memory);
        expect(decide(next)).toEqual(decide({ ...next, memory }));
      }
    });
  });

  it('changes a transition time only with the status', () => {
    holdsFor((input) => {
      const { decision, memory } = decide(input);
      for (const before of input.memory.conditions ?? []) {
        const isFirst = input.memory.conditions?.find(({ type }) => type === before.type) === before;
        const after = memory.conditions?.find(({ type }) => type === before.type);
        if (!isFirst || after === undefined || before.type === 'AbleToScale') continue;
        const isKept = after.lastTransitionTime === before.lastTransitionTime;
        expect(isKept || after.lastTransitionTime === decision.time).toBe(true);
        if (after.status !== before.status) expect(after.lastTransitionTime).toBe(decision.time);
      }
    });
  });

  it('never shrinks while a metric is invalid, unless a person or a bound says so', () => {
    holdsFor((input) => {
      const { metrics, action, steps } = decide(input).decision;
      if (!metrics.some(({ error }) => error !== null)) return;
      const isAsked = steps.some(({ rule, before, after }) => rule === 'override' && before !== after);
      if (!isAsked) expect(action).not.toBe('ScaleDown');
    });
  });

  it('proposes no fewer replicas for more load', () => {
    const load = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 8 });
    const target = fc.integer({ min: 1, max: 150 });
    fc.assert(
      fc.property(
        fc.record({ usage: load, percent: target, more: fc.nat({ max: 300 }), isMarked: fc.boolean() }),
        (given) => {
          const { usage, percent, more, isMarked } = given;
          const proposal = (extra: number): number => {
            const input = read(underLoad({ usage, percent, extra, isMarked }));
            return decide(input).decision.metrics[0]?.proposedReplicas ?? Number.NaN;
          };
          expect(proposal(more)).toBeGreaterThanOrEqual(proposal(0));
        },
      ),
      runs,
    );
  });
});

function rotate<T>(list: readonly T[], by: number): readonly T[] {
  const at = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(at), ...list.slice(0, at)].reverse();
}

function isPerPod({ type, target }: MetricReport): boolean {
  return (
    type === 'Pods' ||
    ((type === 'Resource' || type === 'ContainerResource') && target['type'] !== 'Watermark')
  );
}

/** Ready pods that all have a sample, so that nothing is assumed. */
function underLoad(given: { usage: number[]; percent: number; extra: number; isMarked: boolean }): RawInput {
  const { usage, percent, extra, isMarked } = given;
  const target = isMarked
    ? { type: 'Watermark', lowWatermark: `${percent}m`, highWatermark: `${percent * 2}m` }
    : { type: 'Utilization', averageUtilization: percent };
  const pods = usage.map((_, index) => `pod-${index}`);
  return {
    policy: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 1000,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
      },
    },
    observation: {
      time: '2026-11-20T12:00:00Z',
      scale: { specReplicas: pods.length, statusReplicas: pods.length, selector: 'app=web' },
      pods: pods.map((name) => ({
        name,
        phase: 'Running',
        startTime: '2026-11-20T08:00:00Z',
        ready: { status: 'True', lastTransitionTime: '2026-11-20T08:00:10Z' },
        containers: [{ name: 'app', requests: { cpu: '200m' } }],
      })),
      metrics: [
        {
          pods: pods.map((pod, index) => ({
            pod,
            containers: [{ name: 'app', usage: { cpu: `${(usage[index] ?? 0) + extra}m` } }],
          })),
        },
      ],
    },
  };
}
