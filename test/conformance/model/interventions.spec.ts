import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide, type DecideOutput, type Decision, parseDecideInput } from '#decision';
import { secondsAgo } from '../support/expand-vector.ts';
import { arbitraryWatermarkCase, type WatermarkCase } from './watermark-case.ts';
import { inputOf } from './watermark-input.ts';

const runs = Number(process.env['PLIMSOLL_MODEL_CASES'] ?? 500);
const expires = secondsAgo(-60);
const direction = fc.constantFrom('Up', 'Down', 'Both');

describe('interventions, against the same pass without them', () => {
  it('a suspension or a freeze stops its direction, and changes nothing else', () => {
    const property = fc.property(
      arbitraryWatermarkCase,
      direction,
      fc.boolean(),
      (given, stopped, isFreeze) => {
        const plain = decideWith(given, {});
        const observed = isFreeze
          ? { windows: [{ kind: 'Freeze', name: 'release', direction: stopped }] }
          : { interventions: [{ kind: 'Suspend', direction: stopped, expires }] };
        const stoppedPass = decideWith(given, observed);
        if (!isStopped(plain.decision, stopped)) expect(verdictOf(stoppedPass)).toEqual(verdictOf(plain));
        else expect(verdictOf(stoppedPass)).toEqual([given.current, 'None']);
        expect(stoppedPass.memory.recommendations).toEqual(plain.memory.recommendations);
        expect(positionsOf(stoppedPass)).toEqual(positionsOf(plain));
      },
    );
    fc.assert(property, { numRuns: runs });
  });

  it('a pin is the count, within the bounds, unless the target is paused', () => {
    const property = fc.property(
      arbitraryWatermarkCase,
      fc.integer({ min: 0, max: 30 }),
      (given, replicas) => {
        const interventions = [{ kind: 'Override', replicas, expires }];
        const pinned = decideWith(given, { interventions });
        const bounded = Math.min(given.max, Math.max(given.min, 1, replicas));
        expect(pinned.decision.desiredReplicas).toBe(given.current === 0 ? 0 : bounded);
        if (given.current > 0) expect(pinned.decision.reason).toBe('Override');
        expect(pinned.decision.action).not.toBe('Hold');
        expect(pinned.memory.recommendations).toEqual(decideWith(given, {}).memory.recommendations);
      },
    );
    fc.assert(property, { numRuns: runs });
  });

  it('an expired intervention is named and does nothing', () => {
    const property = fc.property(arbitraryWatermarkCase, (given) => {
      const past = secondsAgo(0);
      const interventions = [
        { kind: 'Override', replicas: 3, minReplicas: 2, expires: past },
        { kind: 'Suspend', direction: 'Both', expires: past },
      ];
      const output = decideWith(given, { interventions });
      expect(verdictOf(output)).toEqual(verdictOf(decideWith(given, {})));
      const rules = output.decision.steps.map(({ rule }) => rule);
      expect(rules).toEqual(expect.arrayContaining(['override', 'suspend']));
    });
    fc.assert(property, { numRuns: runs });
  });
});

function decideWith(given: WatermarkCase, observed: Readonly<Record<string, unknown>>): DecideOutput {
  const input = inputOf(given);
  const parsed = parseDecideInput({ ...input, observation: { ...input.observation, ...observed } });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return decide(parsed.value);
}

function isStopped({ action }: Decision, direction: string): boolean {
  return (action === 'ScaleUp' && direction !== 'Down') || (action === 'ScaleDown' && direction !== 'Up');
}

function verdictOf({ decision }: DecideOutput): readonly unknown[] {
  return [decision.desiredReplicas, decision.action];
}

function positionsOf({ decision }: DecideOutput): readonly unknown[] {
  return decision.conditions.filter(({ type }) => type !== 'AbleToScale');
}
