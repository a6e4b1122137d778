import { beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyRuntimes } from '../runtime/policy-runtimes.ts';
import { anActivePolicy } from '../testing/a-policy.ts';
import { World } from '../testing/a-world.ts';
import type { DuePass } from './begin-passes.ts';
import { PassSchedule } from './pass-schedule.ts';

let clock: World['clock'];
let schedule: PassSchedule;

beforeEach(() => {
  const world = new World();
  clock = world.clock;
  const runtimes = new PolicyRuntimes();
  runtimes.adopt([anActivePolicy()]);
  schedule = new PassSchedule({
    ports: world,
    options: { jitterPercent: 0, seed: '' },
    runtimes,
    mayBegin: () => true,
  });
});

/** What is due so many seconds later. */
function dueAfter(seconds: number): readonly DuePass[] {
  clock.advance(seconds * 1_000);
  return schedule.takeDue();
}

function one(due: readonly DuePass[]): DuePass {
  expect(due).toHaveLength(1);
  return due[0]!;
}

describe('a pass that waits for its place', () => {
  it('keeps another from being taken, until its place has come', () => {
    const pass = one(dueAfter(0));
    expect(dueAfter(15)).toEqual([]);
    expect(schedule.leaveLine(pass)).toBe(true);
    expect(dueAfter(15)).toHaveLength(1);
  });

  it('keeps one that is early from being taken no longer than an early one does', () => {
    const pass = one(dueAfter(0));
    schedule.hasten(pass.runtime);
    const early = one(dueAfter(1));
    expect(early.isEarly).toBe(true);
    schedule.hasten(pass.runtime);
    expect(dueAfter(1)).toEqual([]);
    expect(schedule.leaveLine(early)).toBe(true);
    schedule.hasten(pass.runtime);
    expect(one(dueAfter(1)).isEarly).toBe(true);
  });

  it('keeps no other from being taken after a minute, and begins in its place or not at all', () => {
    const pass = one(dueAfter(0));
    for (const seconds of [15, 15, 15]) expect(dueAfter(seconds)).toEqual([]);
    const next = one(dueAfter(15));
    expect(schedule.leaveLine(next)).toBe(true);
    expect(schedule.leaveLine(pass)).toBe(false);
  });

  it('comes after the one under way where it is early', () => {
    const { runtime } = one(dueAfter(0));
    schedule.hasten(runtime);
    const early = one(dueAfter(1));
    runtime.beginPass();
    expect(schedule.leaveLine(early)).toBe(false);
    runtime.endPass();
    expect(one(dueAfter(1)).isEarly).toBe(true);
  });
});
