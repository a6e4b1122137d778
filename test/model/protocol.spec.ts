import { describe, expect, it } from '@jest/globals';
import { nextScopePhase } from '#coordination';
import { explore } from './explore.ts';
import type { Fault, ModelOptions, Rules } from './model-rules.ts';
import { ProtocolModel } from './protocol-model.ts';
import { scopeSteps } from './shell-rules.ts';

/**
 * Every interleaving of two replicas that compete for one scope with one target (ADR 16). More faults on one way, and a
 * restored database with two writes, take minutes and gigabytes:
 * `MODEL_FAULTS=2 NODE_OPTIONS=--max-old-space-size=8000 npm run jest -- test/model`.
 */
const faults = Number(process.env['MODEL_FAULTS'] ?? 1);
const isDeep = faults > 1;

interface Explored {
  readonly violation: string | null;
  readonly states: number;
}

function explored(options: ModelOptions): Explored {
  const { violation, states, steps } = explore(new ProtocolModel(options));
  if (isDeep) process.stdout.write(`${JSON.stringify(options)}: ${states} states, ${steps} steps\n`);
  return { violation: violation && [violation.rule, ...violation.trace].join('\n  '), states };
}

/** A model that takes fewer steps than the protocol finds nothing, either: so many states there are at least. */
function expectToHold(options: ModelOptions, fewestStates: number): void {
  const { violation, states } = explored(options);
  expect(violation).toBeNull();
  expect(states).toBeGreaterThan(fewestStates);
}

const fencedWrite = 'a write of a fenced holder takes effect after its successor has read the scale';
const fencedEntry = 'the ledger takes an entry of a holder that was taken over';

describe('the protocol of a scope and of its writes', () => {
  it('holds in every state that two replicas with Leases reach', () => {
    expectToHold({ faults }, 2_500_000);
  }, 600_000);

  it('holds in every state that two processes without Leases reach, where a row expires', () => {
    expectToHold({ faults: faults + 1, leases: 'None' }, 370_000);
  }, 600_000);

  it('holds in every state that a replica with Leases and a process without them reach', () => {
    expectToHold({ faults, leases: 'First' }, 1_500_000);
  }, 600_000);

  it('holds where the database is restored from a copy, with one write', () => {
    expectToHold({ faults: 1, kinds: ['Restore'], writes: 1 }, 1_900_000);
  }, 600_000);

  if (isDeep) {
    it('holds where the database is restored from a copy, with two writes', () => {
      expectToHold({ faults: 1, kinds: ['Restore'] }, 1_900_000);
    }, 600_000);
  }

  it.each(scopeSteps)(
    'takes a scope from $from by $event to $to, as the shell does',
    ({ from, event, to }) => {
      expect(nextScopePhase(from, event)).toBe(to);
    },
  );

  it.each<{ rule: keyof Rules; kinds?: readonly Fault[]; leases?: 'First'; broken: string }>([
    { rule: 'intent', broken: 'a write takes effect without an intent that is pending' },
    { rule: 'deadline', broken: fencedWrite },
    { rule: 'fence', broken: fencedEntry },
    { rule: 'holder', kinds: ['Restore'], broken: fencedEntry },
    { rule: 'lookAfterConflict', broken: fencedWrite },
    { rule: 'findRefused', broken: 'a write that was made is recorded as not made' },
    { rule: 'resolve', broken: fencedWrite },
    { rule: 'invalidate', broken: 'a write that was made is recorded as not made' },
    { rule: 'waitForFence', broken: fencedWrite },
    { rule: 'onlyExpired', leases: 'First', broken: fencedWrite },
    { rule: 'sameFence', broken: fencedWrite },
    { rule: 'renewInTime', broken: fencedWrite },
  ])('shows what goes wrong without the rule $rule', ({ rule, broken, ...given }) => {
    expect(explored({ faults: 1, rules: { [rule]: false }, ...given }).violation).toContain(broken);
  });
});
