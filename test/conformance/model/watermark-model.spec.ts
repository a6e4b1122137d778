import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide, type DecideOutput, parseDecideInput } from '#decision';
import { secondsAgo } from '../support/expand-vector.ts';
import { arbitraryWatermarkCase, type CaseCondition, type CaseCount } from './watermark-case.ts';
import { inputOf } from './watermark-input.ts';
import { type PassModel, watermarkModel } from './watermark-model.ts';

const runs = Number(process.env['PLIMSOLL_MODEL_CASES'] ?? 2_000);

describe('decide and a second implementation of the watermark rules', () => {
  it(`agree on ${String(runs)} passes`, () => {
    const property = fc.property(arbitraryWatermarkCase, (given) => {
      const input = parseDecideInput(inputOf(given));
      if (!input.ok) throw new Error(JSON.stringify(input.error));
      expect(factsOf(decide(input.value))).toEqual(expectedOf(watermarkModel(given)));
    });
    fc.assert(property, { numRuns: runs });
  }, 600_000);
});

function factsOf({ decision, memory }: DecideOutput): Record<string, unknown> {
  const find = (type: string): DecideOutput['decision']['conditions'][number] | undefined =>
    decision.conditions.find((condition) => condition.type === type);
  const text = (type: string): string | null => {
    const condition = find(type);
    return condition === undefined ? null : `${condition.status} ${condition.reason}`;
  };
  const timed = (type: string): unknown => {
    const condition = find(type);
    return condition === undefined ? null : [condition.status, condition.lastTransitionTime];
  };
  return {
    desired: decision.desiredReplicas,
    action: decision.action,
    proposals: decision.metrics.map(({ proposedReplicas }) => proposedReplicas),
    scalingActive: text('ScalingActive'),
    scalingLimited: text('ScalingLimited'),
    able: text('AbleToScale'),
    ableTime: find('AbleToScale')?.lastTransitionTime,
    above: timed('AboveHighWatermark'),
    below: timed('BelowLowWatermark'),
    converge: text('ConvergeToWatermark'),
    lastScale: memory.lastScaleTime ?? null,
    recommendations: memory.recommendations,
  };
}

function expectedOf(model: PassModel): Record<string, unknown> {
  const timed = (condition: CaseCondition | null): unknown =>
    condition && [condition.status, secondsAgo(condition.age)];
  const counts = (list: readonly CaseCount[]): unknown =>
    list.map(({ replicas, age }) => ({ replicas, time: secondsAgo(age) }));
  return {
    desired: model.desired,
    action: model.action,
    proposals: model.proposals,
    scalingActive: model.scalingActive,
    scalingLimited: model.scalingLimited,
    able: model.able,
    ableTime: secondsAgo(model.ableAge),
    above: timed(model.above),
    below: timed(model.below),
    converge: model.converge,
    lastScale: model.lastScale === null ? null : secondsAgo(model.lastScale),
    recommendations: counts(model.recommendations),
  };
}
